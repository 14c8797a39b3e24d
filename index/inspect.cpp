#include "index/inspect.hpp"

#include <algorithm>

#include "index/store/documents.hpp"
#include "index/store/vector_rows.hpp"
#include "index/store/verify.hpp"
#include "lore/error.hpp"

namespace lore::index {
namespace {

// The published file against the stored vectors: it must know every row up to its highest.
bool verify_generation(Database& database, VectorSearch& vectors, const ModelFingerprint& model,
                       std::vector<std::string>& problems) {
  const std::optional<GenerationRecord> record = read_generation(database);
  if (!record) return true;
  const VectorIndex* index = vectors.generation(database, model);
  if (index == nullptr) {
    problems.push_back("vector file: " + vectors.refusal());
    return false;
  }
  const std::vector<std::int64_t> ids = index->ids();
  std::size_t missing = 0;
  std::size_t different = 0;
  std::vector<float> unit(model.dimension);
  for_each_vector(database, model.dimension, RowRange{},
                  [&](std::span<const std::int64_t> block, std::span<const float> rows) {
                    for (std::size_t i = 0; i < block.size(); ++i) {
                      if (block[i] > record->highest_id) continue;
                      if (!std::binary_search(ids.begin(), ids.end(), block[i])) {
                        ++missing;
                        continue;
                      }
                      const auto row = rows.subspan(i * model.dimension, model.dimension);
                      unit.assign(row.begin(), row.end());
                      if (!model.normalized) normalize(unit);
                      different += !index->holds(block[i], unit);
                    }
                  });
  const bool too_high = !ids.empty() && ids.back() > record->highest_id;
  if (missing == 0 && different == 0 && !too_high) return true;
  problems.push_back("vector file: " + record->file + " lacks " + std::to_string(missing) +
                     " and differs in " + std::to_string(different) + " of the stored vectors");
  return false;
}

std::string plural(std::size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

// Removes rows that foreign_key_check names.
void remove_orphans(Database& database) {
  Transaction transaction(database, Transaction::Kind::write);
  database.execute(
      "DELETE FROM chunks WHERE document_id NOT IN (SELECT id FROM documents);"
      "DELETE FROM pages WHERE document_id NOT IN (SELECT id FROM documents);"
      "DELETE FROM texts WHERE document_id NOT IN (SELECT id FROM documents);"
      "DELETE FROM vectors WHERE chunk_id NOT IN (SELECT id FROM chunks);");
  transaction.commit();
}

void rebuild_full_text(Database& database, const std::string& table) {
  Transaction transaction(database, Transaction::Kind::write);
  database.execute("INSERT INTO " + table + "(" + table + ") VALUES ('rebuild')");
  transaction.commit();
}

void forget_documents(Database& database, const std::set<std::int64_t>& documents) {
  Transaction transaction(database, Transaction::Kind::write);
  for (const std::int64_t id : documents) delete_document(database, id);
  transaction.commit();
}

Findings inspect_in_transaction(Database& database, VectorSearch& vectors) {
  Transaction transaction(database, Transaction::Kind::read);
  Findings findings = inspect(database, vectors);
  transaction.commit();
  return findings;
}

}  // namespace

Findings inspect(Database& database, VectorSearch& vectors) {
  Findings findings;
  std::vector<std::string>& problems = findings.report.problems;
  // A damaged page ends the part that meets it, not the whole check.
  const auto part = [&](bool& sound, FunctionRef<bool()> verify) {
    try {
      sound = verify();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::corrupt) throw;
      sound = false;
      problems.emplace_back(error.what());
    }
  };
  bool readable = true;
  part(findings.structure, [&] { return verify_structure(database, problems); });
  part(findings.references, [&] { return verify_references(database, problems); });
  part(findings.words, [&] { return verify_full_text(database, "words", problems); });
  part(findings.trigrams, [&] { return verify_full_text(database, "trigrams", problems); });
  part(readable, [&] {
    const std::optional<ModelFingerprint> model = read_model(database);
    if (!model) {
      problems.emplace_back("the model that the index was made with is not recorded");
      return false;
    }
    findings.documents = verify_documents(database, *model, problems);
    part(findings.generation,
         [&] { return verify_generation(database, vectors, *model, problems); });
    const Counts counts = count_all(database);
    findings.report.documents = counts.documents;
    findings.report.chunks = counts.chunks;
    findings.report.vectors =
        static_cast<std::size_t>(database.integer("SELECT count(*) FROM vectors").value_or(0));
    return true;
  });
  if (!readable) findings.structure = false;
  return findings;
}

CheckReport repair_index(Database& database, VectorSearch& vectors, const ModelFingerprint& model,
                         const PublishTarget& target) {
  const Findings found = inspect_in_transaction(database, vectors);
  std::vector<std::string> repaired;
  if (!found.structure) {
    // Tables themselves cannot be made anew: where they are damaged this throws, and says what to
    // do.
    database.execute("REINDEX");
    repaired.emplace_back("made the database's indexes anew");
  }
  // The full-text tables first: forgetting a document takes its words out of them.
  if (!found.words) {
    rebuild_full_text(database, "words");
    repaired.emplace_back("made the full text anew (words)");
  }
  if (!found.trigrams) {
    rebuild_full_text(database, "trigrams");
    repaired.emplace_back("made the full text anew (trigrams)");
  }
  if (!found.references) {
    remove_orphans(database);
    repaired.emplace_back("removed rows that belonged to nothing");
  }
  if (!found.documents.empty()) {
    forget_documents(database, found.documents);
    repaired.emplace_back("forgot " + plural(found.documents.size(), "damaged document") +
                          "; the next `lore index` reads them again");
  }
  if (!found.generation || !found.documents.empty()) {
    publish_generation(database, model, target);
    repaired.emplace_back("made the vector file anew");
  }
  CheckReport report = inspect_in_transaction(database, vectors).report;
  report.repaired = std::move(repaired);
  return report;
}

}  // namespace lore::index
