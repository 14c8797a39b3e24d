#include "index/publish.hpp"

#include "index/store/vector_rows.hpp"
#include "index/vectors/generation_file.hpp"

namespace lore::index {
namespace {

std::int64_t count_above(Database& database, std::int64_t id) {
  Statement row = database.prepare("SELECT count(*) FROM chunks WHERE id > ?");
  row.bind(id).step();
  return row.integer(0);
}

// All stored vectors, at unit length.
class Source {
 public:
  Source(Database& database, const ModelFingerprint& model) : database_(database), model_(model) {}

  void operator()(VectorBlock block) {
    for_each_vector(
        database_, model_.dimension, RowRange{},
        [&](std::span<const std::int64_t> ids, std::span<const float> rows) {
          if (model_.normalized) return block(ids, rows);
          units_.assign(rows.begin(), rows.end());
          for (std::size_t i = 0; i < ids.size(); ++i) {
            normalize(std::span(units_).subspan(i * model_.dimension, model_.dimension));
          }
          block(ids, units_);
        });
  }

 private:
  Database& database_;
  const ModelFingerprint& model_;
  std::vector<float> units_;
};

}  // namespace

bool needs_generation(Database& database, VectorSearch& current, const ModelFingerprint& model) {
  const std::int64_t live = count_above(database, 0);
  const std::optional<GenerationRecord> record = read_generation(database);
  if (!record) return live > 0;
  if (live == 0 || current.generation(database, model) == nullptr) return true;
  const std::int64_t newer = count_above(database, record->highest_id);
  const std::int64_t gone = static_cast<std::int64_t>(record->count) - (live - newer);
  // A small index is made anew in less time than it takes to read a document.
  constexpr std::int64_t kSmall = 20'000;
  if (live <= kSmall) return newer > 0 || gone > 0;
  return newer * 20 > live || gone * 5 > live;
}

void publish_generation(Database& database, const ModelFingerprint& model,
                        const PublishTarget& target) {
  std::size_t count = 0;
  GenerationRecord record;
  Source source(database, model);
  {
    Transaction snapshot(database, Transaction::Kind::read);
    Statement totals =
        database.prepare("SELECT count(*), max(chunk_id) FROM vectors WHERE length(data) = ?");
    totals.bind(model.dimension * sizeof(float)).step();
    count = totals.size(0);
    record.highest_id = totals.integer(1);
    totals.reset();
    if (count > 0) {
      const VectorIndex index =
          VectorIndex::build(model.dimension, count, source, target.exact_codes);
      const PublishedFile published = publish_file(target.folder, index, target.files);
      record.file = published.name;
      record.bytes = published.bytes;
      record.checksum = published.checksum;
      record.kind = index.kind();
      record.dimension = model.dimension;
      record.count = count;
      record.fingerprint = fingerprint_digest(model);
      record.recall = index.recall();
    }
    snapshot.commit();
  }
  Transaction transaction(database, Transaction::Kind::write);
  if (count > 0) {
    write_generation(database, record);
  } else {
    delete_generations(database);
  }
  transaction.commit();
  // Only now does nothing name the old file any more, whatever happens next.
  remove_other_files(target.folder, record.file, target.files);
}

}  // namespace lore::index
