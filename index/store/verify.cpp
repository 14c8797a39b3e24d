#include "index/store/verify.hpp"

#include <cmath>
#include <string_view>

#include "base/utf8.hpp"
#include "index/store/documents.hpp"
#include "index/store/vector_blob.hpp"
#include "lore/error.hpp"

namespace lore::index {
namespace {

constexpr std::size_t kMostOfAKind = 20;

// A text with the byte offset of every code point, so that each span costs nothing to cut out.
class IndexedText {
 public:
  explicit IndexedText(const std::string& text) : text_(text) {
    for (std::size_t i = 0; i < text.size(); utf8::next(text, i)) offsets_.push_back(i);
    offsets_.push_back(text.size());
  }
  std::size_t length() const { return offsets_.size() - 1; }
  std::string_view slice(std::size_t start, std::size_t end) const {
    return std::string_view(text_).substr(offsets_[start], offsets_[end] - offsets_[start]);
  }

 private:
  const std::string& text_;
  std::vector<std::size_t> offsets_;
};

// What is wrong with the spans of a document, or "".
std::string span_problem(const DocumentRecord& document) {
  if (!utf8::is_valid(document.text)) return "its text is no valid UTF-8";
  const IndexedText text(document.text);
  for (std::size_t i = 0; i < document.pages.size(); ++i) {
    const PageRecord& page = document.pages[i];
    if (page.start > page.end || page.end > text.length() ||
        (i > 0 && page.start < document.pages[i - 1].end)) {
      return "the span of page " + std::to_string(i + 1) + " lies outside its text";
    }
  }
  for (std::size_t i = 0; i < document.chunks.size(); ++i) {
    const ChunkRecord& chunk = document.chunks[i];
    const std::string name = "passage " + std::to_string(i + 1);
    if (chunk.start > chunk.end || chunk.end > text.length()) {
      return "the span of " + name + " lies outside its text";
    }
    if (text.slice(chunk.start, chunk.end) != chunk.body) {
      return name + " is not what its text says there";
    }
    if (chunk.page > chunk.page_end || chunk.page_end >= document.pages.size()) {
      return name + " names a page that it does not have";
    }
  }
  return "";
}

// What is wrong with the vectors of a document, or "".
std::string vector_problem(Statement& rows, std::int64_t id, const ModelFingerprint& model) {
  std::vector<float> vector(model.dimension);
  rows.bind(id);
  while (rows.step()) {
    const std::string name = "passage " + std::to_string(rows.integer(0) + 1);
    if (rows.is_null(1)) return name + " has no vector";
    const Blob blob = rows.blob(1);
    if (blob.size() != model.dimension * sizeof(float)) {
      return "the vector of " + name + " has not " + std::to_string(model.dimension) +
             " dimensions";
    }
    floats_of_blob(blob, vector);
    double norm = 0;
    for (const float value : vector) norm += double{value} * double{value};
    if (!std::isfinite(norm)) return "the vector of " + name + " holds values that are no numbers";
    if (!(norm > 0)) return "the vector of " + name + " is zero";
    if (model.normalized && std::abs(norm - 1) >= 0.01) {
      return "the vector of " + name + " is not of unit length";
    }
  }
  return "";
}

// FNV-1a, made to differ from term to term in all bits.
std::uint64_t hash_of(std::string_view term) {
  std::uint64_t hash = 0xCBF29CE484222325ULL;
  for (const char c : term) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
  hash ^= hash >> 32;
  hash *= 0x9E3779B97F4A7C15ULL;
  return hash ^ (hash >> 29);
}

// A sum over terms that does not depend on their order and that adds up over parts of an index.
struct TermSum {
  std::uint64_t documents = 0;
  std::uint64_t occurrences = 0;

  void add(Database& database, const std::string& vocabulary) {
    Statement terms = database.prepare("SELECT term, doc, cnt FROM temp." + vocabulary);
    while (terms.step()) {
      const std::uint64_t hash = hash_of(terms.text_view(0));
      documents += hash * static_cast<std::uint64_t>(terms.integer(1));
      occurrences += hash * static_cast<std::uint64_t>(terms.integer(2));
    }
  }
  bool operator==(const TermSum&) const = default;
};

// The sum that the chunks should give: they go through a table of the same kind in memory, a batch
// at a time.
TermSum expected_terms(Database& database, const std::string& table) {
  const std::string tokenizer = table == "words" ? "unicode61 remove_diacritics 2" : "trigram";
  database.execute(
      "CREATE VIRTUAL TABLE temp.batch USING fts5(body, context, content='', tokenize=\"" +
      tokenizer + "\"); CREATE VIRTUAL TABLE temp.batch_terms USING fts5vocab(temp, batch, row)");
  constexpr int kBatch = 512;
  TermSum sum;
  Statement insert =
      database.prepare("INSERT INTO temp.batch(rowid, body, context) VALUES (?, ?, ?)");
  Statement clear = database.prepare("INSERT INTO temp.batch(batch) VALUES ('delete-all')");
  Statement chunks = database.prepare("SELECT id, body, context FROM chunks ORDER BY id");
  int pending = 0;
  while (chunks.step()) {
    insert.run(chunks.integer(0), chunks.text_view(1), chunks.text_view(2));
    if (++pending < kBatch) continue;
    sum.add(database, "batch_terms");
    clear.run();
    pending = 0;
  }
  sum.add(database, "batch_terms");
  return sum;
}

}  // namespace

bool verify_structure(Database& database, std::vector<std::string>& problems) {
  Statement rows = database.prepare("PRAGMA integrity_check(20)");
  bool sound = true;
  while (rows.step()) {
    if (rows.text_view(0) == "ok") continue;
    sound = false;
    problems.push_back(database.path().string() + ": " + rows.text(0));
  }
  return sound;
}

bool verify_references(Database& database, std::vector<std::string>& problems) {
  Statement rows = database.prepare("PRAGMA foreign_key_check");
  std::size_t count = 0;
  while (rows.step()) {
    if (++count > kMostOfAKind) continue;
    problems.push_back("row " + rows.text(1) + " of " + rows.text(0) + " belongs to no row of " +
                       rows.text(2));
  }
  return count == 0;
}

std::set<std::int64_t> verify_documents(Database& database, const ModelFingerprint& model,
                                        std::vector<std::string>& problems) {
  std::set<std::int64_t> unsound;
  Statement documents = database.prepare("SELECT id, path FROM documents ORDER BY path");
  Statement vectors = database.prepare(
      "SELECT c.position, v.data FROM chunks c LEFT JOIN vectors v ON v.chunk_id = c.id"
      " WHERE c.document_id = ? ORDER BY c.position");
  while (documents.step()) {
    const std::int64_t id = documents.integer(0);
    std::string problem = span_problem(read_document(database, id));
    if (problem.empty()) problem = vector_problem(vectors, id, model);
    if (problem.empty()) continue;
    unsound.insert(id);
    if (unsound.size() <= kMostOfAKind) problems.push_back(documents.text(1) + ": " + problem);
  }
  return unsound;
}

bool verify_full_text(Database& database, const std::string& table,
                      std::vector<std::string>& problems) {
  bool sound = false;
  std::string detail = "its terms are not those of the passages";
  try {
    const std::int64_t missing =
        database
            .integer("SELECT count(*) FROM chunks WHERE id NOT IN (SELECT id FROM " + table +
                     "_docsize)")
            .value_or(0);
    const std::int64_t extra = database
                                   .integer("SELECT count(*) FROM " + table +
                                            "_docsize WHERE id NOT IN (SELECT id"
                                            " FROM chunks)")
                                   .value_or(0);
    if (missing + extra > 0) {
      detail = std::to_string(missing) + " passages are missing and " + std::to_string(extra) +
               " are too many";
    } else {
      database.execute("CREATE VIRTUAL TABLE temp.stored_terms USING fts5vocab(main, " + table +
                       ", row)");
      TermSum stored;
      stored.add(database, "stored_terms");
      sound = stored == expected_terms(database, table);
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::corrupt) throw;
    detail = error.what();
  }
  database.execute(
      "DROP TABLE IF EXISTS temp.stored_terms; DROP TABLE IF EXISTS temp.batch_terms;"
      " DROP TABLE IF EXISTS temp.batch;");
  if (!sound) problems.push_back("full text (" + table + "): " + detail);
  return sound;
}

}  // namespace lore::index
