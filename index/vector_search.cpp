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

// False where the file does not tell enough of them apart, so that all are to be compared.
bool add_from_exact(Database& database, const ModelFingerprint& model, const ExactIndex& index,
                    const simd::ScanTable& scan, std::span<const float> query, std::size_t limit,
                    TopList& best) {
  VectorReader reader(database, query.size());
  std::vector<float> row(query.size());
  // More than the limit, since some may be gone: a fifth at most, or the file is made anew.
  for (std::size_t wanted = limit + limit / 4 + 8;; wanted *= 4) {
    const auto found = index.candidates(query, wanted, scan);
    if (!found) return false;
    TopList stored(limit);
    for (const ExactIndex::Candidate& candidate : found->best_first) {
      // Equal scores go on: the id decides.
      if (stored.full() && candidate.upper < stored.worst().score) break;
      if (!reader.read(candidate.id, row)) continue;
      stored.add(candidate.id, cosine(row, query, model.normalized));
    }
    const bool all_seen = found->best_first.size() == index.size();
    if (!all_seen && !(stored.full() && stored.worst().score >= found->floor)) continue;
    for (const TopList::Entry& entry : stored.sorted()) best.add(entry.id, entry.score);
    return true;
  }
}

// False where the file gives too few that are still stored, and only a scan tells more.
bool add_from_lists(Database& database, const ModelFingerprint& model, const ListIndex& index,
                    std::span<const float> query, std::size_t limit, TopList& best) {
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

// Of rows whose float32 products leave float's range or its precision.
float extreme_cosine(std::span<const float> row, std::span<const float> query) {
  double product = 0;
  double squared = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    product += double{row[i]} * double{query[i]};
    squared += double{row[i]} * double{row[i]};
  }
  return squared > 0 ? static_cast<float>(product / std::sqrt(squared)) : 0;
}

}  // namespace

float cosine(std::span<const float> row, std::span<const float> query, bool normalized) {
  const simd::VectorTable& ops = simd::best_vector_table();
  const float product = ops.dot_f32(row.data(), query.data(), query.size());
  if (normalized) return product;
  const float squared = ops.dot_f32(row.data(), row.data(), row.size());
  if (squared > 0x1p-60F && squared < 0x1p60F) return product / std::sqrt(squared);
  return extreme_cosine(row, query);
}

bool normalize(std::span<float> vector) {
  double sum = 0;
  for (const float value : vector) sum += double{value} * double{value};
  if (!(sum > 0)) return false;
  const double scale = 1 / std::sqrt(sum);
  for (float& value : vector) value = static_cast<float>(double{value} * scale);
  return true;
}

VectorSearch::VectorSearch(std::filesystem::path folder, const LogSink& log,
                           const simd::ScanTable& scan)
    : folder_(std::move(folder)), log_(log), scan_(scan) {}

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
  if (limit == 0) return {};
  RowRange range;
  if (documents != nullptr) {
    // The file cannot tell chunks of one document from others: an exact scan of the few is both
    // right and fast.
    range.filtered = true;
    range.documents = *documents;
  } else if (const VectorIndex* index = generation(database, model)) {
    const ExactIndex* const exact = index->exact();
    const bool added = exact != nullptr
                           ? add_from_exact(database, model, *exact, scan_, query, limit, best)
                           : add_from_lists(database, model, *index->lists(), query, limit, best);
    if (added) range.above = record_.highest_id;
  }
  scan(database, model, query, range, best);
  return best.sorted();
}

}  // namespace lore::index
