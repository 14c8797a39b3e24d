#include "index/vector_search.hpp"

#include <cmath>

#include "base/simd/vector_ops.hpp"
#include "index/store/vector_rows.hpp"
#include "index/vectors/generation_file.hpp"
#include "lore/error.hpp"

namespace lore::index {
namespace {

void scan(Database& database, const ModelFingerprint& model, std::span<const float> query,
          const RowRange& range, TopList& best) {
  const simd::VectorTable& ops = simd::best_vector_table();
  std::vector<float> scores;
  for_each_vector(
      database, query.size(), range,
      [&](std::span<const std::int64_t> ids, std::span<const float> rows) {
        scores.resize(ids.size());
        ops.scan_f32(rows.data(), ids.size(), query.size(), query.data(), scores.data());
        for (std::size_t i = 0; i < ids.size(); ++i) {
          const float score =
              model.normalized ? scores[i]
                               : cosine(rows.subspan(i * query.size(), query.size()), query, false);
          best.add(ids[i], score);
        }
      });
}

// False where the file gives too few that are still stored, and only a scan tells more.
bool add_from_generation(Database& database, const ModelFingerprint& model,
                         const VectorIndex& index, std::span<const float> query, std::size_t limit,
                         TopList& best) {
  VectorReader reader(database, query.size());
  std::vector<float> row(query.size());
  for (std::size_t wanted = 2 * limit + 16;; wanted *= 4) {
    const std::vector<Neighbour> found = index.search(query, wanted);
    std::vector<TopList::Entry> stored;
    for (const Neighbour& neighbour : found) {
      if (!reader.read(neighbour.id, row)) continue;
      stored.push_back({neighbour.id, cosine(row, query, model.normalized)});
    }
    if (stored.size() < limit && found.size() < index.size()) {
      if (found.size() < wanted) return false;
      continue;
    }
    for (const TopList::Entry& entry : stored) best.add(entry.id, entry.score);
    return true;
  }
}

}  // namespace

float cosine(std::span<const float> row, std::span<const float> query, bool normalized) {
  const simd::VectorTable& ops = simd::best_vector_table();
  const float product = ops.dot_f32(row.data(), query.data(), query.size());
  if (normalized) return product;
  const float norm = std::sqrt(ops.dot_f32(row.data(), row.data(), row.size()));
  return norm > 0 ? product / norm : 0;
}

bool normalize(std::span<float> vector) {
  double sum = 0;
  for (const float value : vector) sum += double{value} * double{value};
  if (!(sum > 0)) return false;
  const double scale = 1 / std::sqrt(sum);
  for (float& value : vector) value = static_cast<float>(double{value} * scale);
  return true;
}

VectorSearch::VectorSearch(std::filesystem::path folder, const LogSink& log)
    : folder_(std::move(folder)), log_(log) {}

const VectorIndex* VectorSearch::generation(Database& database, const ModelFingerprint& model) {
  const std::optional<GenerationRecord> record = read_generation(database);
  if (!record) {
    loaded_.reset();
    record_ = {};
    refusal_.clear();
    return nullptr;
  }
  if (record->id == record_.id && record->checksum == record_.checksum) {
    return loaded_ ? &*loaded_ : nullptr;
  }
  loaded_.reset();
  refusal_.clear();
  record_ = *record;
  try {
    if (record->fingerprint != fingerprint_digest(model)) {
      throw Error(ErrorCode::mismatch, record->file + " was made with another model");
    }
    VectorIndex index = load_published(folder_, {record->file, record->bytes, record->checksum});
    if (index.dimension() != model.dimension || index.size() != record->count) {
      throw Error(ErrorCode::corrupt, record->file + " does not hold what is recorded of it");
    }
    loaded_ = std::move(index);
  } catch (const Error& error) {
    refusal_ = error.what();
    if (log_) {
      log_(LogLevel::warning, "the vector file is not used (" + refusal_ +
                                  "); every stored vector is compared instead, until the next "
                                  "`lore index` or `lore check --repair` makes it anew");
    }
  }
  return loaded_ ? &*loaded_ : nullptr;
}

std::vector<TopList::Entry> VectorSearch::search(Database& database, const ModelFingerprint& model,
                                                 std::span<const float> query, std::size_t limit,
                                                 const std::vector<std::int64_t>* documents) {
  TopList best(limit);
  RowRange range;
  if (documents != nullptr) {
    // The file cannot tell chunks of one document from others: an exact scan of the few is both
    // right and fast.
    range.filtered = true;
    range.documents = *documents;
  } else if (const VectorIndex* index = generation(database, model)) {
    if (add_from_generation(database, model, *index, query, limit, best)) {
      range.above = record_.highest_id;
    }
  }
  scan(database, model, query, range, best);
  return best.sorted();
}

}  // namespace lore::index
