#include "index/store/documents.hpp"

#include "index/store/string_list.hpp"
#include "index/store/vector_blob.hpp"
#include "lore/error.hpp"

namespace lore::index {
namespace {

constexpr std::string_view kSummary =
    "SELECT d.id, d.path, d.size, d.modified_ns, d.sha256, d.format, d.title, d.paged, d.problems,"
    " (SELECT count(*) FROM pages p WHERE p.document_id = d.id),"
    " (SELECT count(*) FROM pages p WHERE p.document_id = d.id AND p.state IN ('empty', "
    "'image_only')),"
    " (SELECT count(*) FROM chunks c WHERE c.document_id = d.id)"
    " FROM documents d";

DocumentSummary summary_of(const Statement& row) {
  DocumentSummary summary;
  summary.id = row.integer(0);
  summary.path = row.text(1);
  summary.size = static_cast<std::uint64_t>(row.integer(2));
  summary.modified_ns = row.integer(3);
  summary.sha256 = row.text(4);
  summary.format = row.text(5);
  summary.title = row.text(6);
  summary.paged = row.integer(7) != 0;
  summary.problems = strings_of_json(row.text_view(8));
  summary.pages = row.size(9);
  summary.pages_without_text = row.size(10);
  summary.chunks = row.size(11);
  return summary;
}

std::vector<DocumentSummary> summaries(Statement& statement) {
  std::vector<DocumentSummary> result;
  while (statement.step()) result.push_back(summary_of(statement));
  return result;
}

constexpr std::string_view kChunkColumns =
    "c.start_at, c.end_at, c.page, c.page_end, c.tokens, c.heading, c.context, c.body";

ChunkRecord chunk_of(const Statement& row, int first) {
  ChunkRecord chunk;
  chunk.start = row.size(first);
  chunk.end = row.size(first + 1);
  chunk.page = row.size(first + 2);
  chunk.page_end = row.size(first + 3);
  chunk.tokens = row.size(first + 4);
  chunk.heading = strings_of_json(row.text_view(first + 5));
  chunk.context = row.text(first + 6);
  chunk.body = row.text(first + 7);
  return chunk;
}

void insert_pages(Database& database, std::int64_t id, const std::vector<PageRecord>& pages) {
  Statement insert = database.prepare(
      "INSERT INTO pages(document_id, number, label, state, note, start_at, end_at)"
      " VALUES (?, ?, ?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const PageRecord& page = pages[i];
    insert.run(id, i, page.label, page.state, page.note, page.start, page.end);
  }
}

void insert_chunks(Database& database, std::int64_t id, const std::vector<ChunkRecord>& chunks,
                   std::span<const float> vectors) {
  Statement insert_chunk = database.prepare(
      "INSERT INTO chunks(document_id, position, start_at, end_at, page, page_end, tokens,"
      " heading, context, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  Statement insert_vector = database.prepare("INSERT INTO vectors(chunk_id, data) VALUES (?, ?)");
  std::vector<float> scratch;
  const std::size_t dimension = chunks.empty() ? 0 : vectors.size() / chunks.size();
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const ChunkRecord& chunk = chunks[i];
    insert_chunk.run(id, i, chunk.start, chunk.end, chunk.page, chunk.page_end, chunk.tokens,
                     json_of_strings(chunk.heading), chunk.context, chunk.body);
    insert_vector.run(database.last_id(),
                      blob_of_floats(vectors.subspan(i * dimension, dimension), scratch));
  }
}

}  // namespace

std::int64_t insert_document(Database& database, std::string_view path,
                             const DocumentRecord& document, std::span<const float> vectors) {
  database
      .prepare(
          "INSERT INTO documents(path, size, modified_ns, sha256, format, title, paged, problems)"
          " VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
      .run(path, document.size, document.modified_ns, document.sha256, document.format,
           document.title, document.paged, json_of_strings(document.problems));
  const std::int64_t id = database.last_id();
  database.prepare("INSERT INTO texts(document_id, text) VALUES (?, ?)").run(id, document.text);
  insert_pages(database, id, document.pages);
  insert_chunks(database, id, document.chunks, vectors);
  return id;
}

bool delete_document(Database& database, std::int64_t id) {
  // Chunks first and by hand: the triggers of the full-text tables need the rows they follow.
  database.prepare("DELETE FROM chunks WHERE document_id = ?").run(id);
  database.prepare("DELETE FROM documents WHERE id = ?").run(id);
  return database.changes() > 0;
}

std::vector<DocumentSummary> all_documents(Database& database) {
  Statement statement = database.prepare(std::string(kSummary) + " ORDER BY d.path");
  return summaries(statement);
}

std::optional<DocumentSummary> find_document(Database& database, std::string_view path) {
  Statement statement = database.prepare(std::string(kSummary) + " WHERE d.path = ?");
  statement.bind(path);
  if (!statement.step()) return std::nullopt;
  return summary_of(statement);
}

DocumentRecord read_document(Database& database, std::int64_t id) {
  Statement row = database.prepare(
      "SELECT d.path, d.size, d.modified_ns, d.sha256, d.format, d.title, d.paged, d.problems,"
      " t.text FROM documents d LEFT JOIN texts t ON t.document_id = d.id WHERE d.id = ?");
  if (!row.bind(id).step()) {
    throw Error(ErrorCode::not_found,
                "no document with the number " + std::to_string(id) + " is in the index",
                std::to_string(id));
  }
  DocumentRecord document;
  document.path = row.text(0);
  document.size = static_cast<std::uint64_t>(row.integer(1));
  document.modified_ns = row.integer(2);
  document.sha256 = row.text(3);
  document.format = row.text(4);
  document.title = row.text(5);
  document.paged = row.integer(6) != 0;
  document.problems = strings_of_json(row.text_view(7));
  document.text = row.text(8);

  Statement pages = database.prepare(
      "SELECT label, state, note, start_at, end_at FROM pages WHERE document_id = ?"
      " ORDER BY number");
  pages.bind(id);
  while (pages.step()) {
    document.pages.push_back(
        {pages.text(0), pages.text(1), pages.text(2), pages.size(3), pages.size(4)});
  }
  Statement chunks = database.prepare("SELECT " + std::string(kChunkColumns) +
                                      " FROM chunks c WHERE c.document_id = ? ORDER BY position");
  chunks.bind(id);
  while (chunks.step()) document.chunks.push_back(chunk_of(chunks, 0));
  return document;
}

std::optional<Hit> read_hit(Database& database, std::int64_t chunk_id) {
  Statement row = database.prepare(
      "SELECT c.document_id, d.path, d.title, d.paged,"
      " (SELECT label FROM pages p WHERE p.document_id = d.id AND p.number = c.page),"
      " (SELECT label FROM pages p WHERE p.document_id = d.id AND p.number = c.page_end), " +
      std::string(kChunkColumns) +
      " FROM chunks c JOIN documents d ON d.id = c.document_id WHERE c.id = ?");
  if (!row.bind(chunk_id).step()) return std::nullopt;
  Hit hit;
  hit.chunk_id = chunk_id;
  hit.document_id = row.integer(0);
  hit.path = row.text(1);
  hit.title = row.text(2);
  hit.paged = row.integer(3) != 0;
  hit.page_label = row.text(4);
  hit.page_end_label = row.text(5);
  hit.chunk = chunk_of(row, 6);
  return hit;
}

Counts count_all(Database& database) {
  const auto count = [&](std::string_view sql) {
    return static_cast<std::size_t>(database.integer(sql).value_or(0));
  };
  Counts counts;
  counts.documents = count("SELECT count(*) FROM documents");
  counts.pages = count("SELECT count(*) FROM pages");
  counts.pages_without_text =
      count("SELECT count(*) FROM pages WHERE state IN ('empty', 'image_only')");
  counts.chunks = count("SELECT count(*) FROM chunks");
  // Every chunk has its vector (check() compares them); counting those would read all of them.
  counts.vectors = counts.chunks;
  return counts;
}

}  // namespace lore::index
