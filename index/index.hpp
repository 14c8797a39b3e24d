// Index's door: what is stored, and how it is found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.hpp"

namespace lore::index {

/// What the vectors of an index were made with. Two that differ do not mix.
struct ModelFingerprint {
  std::string name;    ///< as the user named it, to find it again
  std::string sha256;  ///< of the model file
  std::string architecture;
  std::string pooling;
  std::string query_prefix;
  std::string passage_prefix;
  std::size_t dimension = 0;
  bool normalized = true;
};

struct PageRecord {
  std::string label;
  std::string state;  ///< "text", "empty", "image_only", "failed"
  std::string note;
  std::size_t start = 0;  ///< code points of the document's text
  std::size_t end = 0;
};

struct ChunkRecord {
  std::size_t start = 0;  ///< code points of the document's text
  std::size_t end = 0;
  std::size_t page = 0;  ///< from 0
  std::size_t page_end = 0;
  std::vector<std::string> heading;
  std::string context;
  std::string body;
  std::size_t tokens = 0;
};

/// A document with all that is stored of it.
struct DocumentRecord {
  std::string path;  ///< relative to the folder that holds the index, or absolute outside it
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  std::string sha256;  ///< of the file
  std::string format;
  std::string title;
  bool paged = false;
  std::string text;  ///< pages joined by U+000C
  std::vector<PageRecord> pages;
  std::vector<std::string> problems;
  std::vector<ChunkRecord> chunks;
};

/// A document as listed.
struct DocumentSummary {
  std::int64_t id = 0;
  std::string path;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  std::string sha256;
  std::string format;
  std::string title;
  bool paged = false;
  std::size_t pages = 0;
  std::size_t pages_without_text = 0;
  std::size_t chunks = 0;
  std::vector<std::string> problems;
};

/// A file that could not be read the last time, kept so that it is told and tried again.
struct FailureRecord {
  std::string path;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  std::string reason;
  std::string code;
  std::size_t pages_read = 0;
};

enum class SearchMode { hybrid, vector, text };

struct SearchQuery {
  std::string text;               ///< for BM25
  std::span<const float> vector;  ///< [dimension], for vector search; empty in text mode
  SearchMode mode = SearchMode::hybrid;
  std::size_t limit = 10;
  std::size_t candidates = 50;  ///< taken from each list before fusion
  /// Glob over stored paths; empty takes all. `*` and `?` stop at '/', `**` does not; a pattern
  /// without
  /// '/' may match at any depth, and one that matches a folder takes all below it.
  std::string path_filter;
};

struct Hit {
  std::int64_t chunk_id = 0;
  std::int64_t document_id = 0;
  double score = 0;  ///< reciprocal rank fusion, or the list's own in one mode
  std::optional<std::size_t> vector_rank;  ///< from 1
  std::optional<float> similarity;         ///< cosine; of every hit when a vector was given
  std::optional<std::size_t> text_rank;
  std::optional<double> bm25;  ///< larger is better
  std::string path;            ///< as stored
  std::string title;
  bool paged = false;
  ChunkRecord chunk;
  std::string page_label;
  std::string page_end_label;
};

/// What the query's words and vector met, for the rule that decides "not in the documents".
struct SearchEvidence {
  std::size_t query_terms = 0;     ///< distinct content words of the query
  std::size_t best_terms_met = 0;  ///< most of them in one of the best passages' body or context;
                                   ///< looks at as many whatever the limit
  float best_similarity = 0;
};

struct SearchResult {
  std::vector<Hit> hits;  ///< best first
  SearchEvidence evidence;
};

struct CheckReport {
  std::vector<std::string> problems;  ///< empty: sound
  std::vector<std::string> repaired;
  std::size_t documents = 0, chunks = 0, vectors = 0;
};

struct Counts {
  std::size_t documents = 0, pages = 0, pages_without_text = 0, chunks = 0, vectors = 0;
  std::uint64_t bytes = 0;  ///< of the index folder
  /// Share of the best 20 that the vector file finds, as measured when it was built; empty where
  /// there is none and every search is exact.
  std::optional<double> recall{};
};

/// An index opened for reading. Sees the state of its last committed document; other readers and
/// one writer may work at the same time.
///
/// Thread safety: one thread at a time; open one a thread.
class Reader {
 public:
  virtual ~Reader() = default;
  /// Opens `folder` (".lore"). Throws Error{not_found} where there is no index, Error{corrupt},
  /// Error{unsupported} for a newer schema. Works in a folder that cannot be written.
  static std::unique_ptr<Reader> open(const std::filesystem::path& folder, const LogSink& log = {});

  virtual const std::filesystem::path& folder() const = 0;
  /// Whether the folder holds another index by now (or none), so that it has to be opened anew.
  /// Documents that come and go are seen without that.
  virtual bool is_replaced() const = 0;
  virtual std::optional<ModelFingerprint> model() const = 0;
  virtual std::optional<std::string> setting(std::string_view key) const = 0;
  virtual Counts counts() const = 0;
  virtual std::vector<DocumentSummary> documents() const = 0;
  virtual std::vector<FailureRecord> failures() const = 0;
  /// By stored path, or by a unique ending of it. Throws Error{not_found}, and
  /// Error{invalid_argument} that lists the candidates where several fit.
  virtual DocumentRecord document(std::string_view path) const = 0;

  virtual SearchResult search(const SearchQuery& query) const = 0;
  /// The absolute place of a stored path.
  virtual std::filesystem::path resolve(std::string_view stored_path) const = 0;

  /// Compares everything that can be compared: SQLite's own check, spans against texts, vectors
  /// against chunks, full text against bodies, the generation against the vectors.
  virtual CheckReport check() const = 0;
};

/// The one writer of an index. Each document is one transaction; what was committed stays whatever
/// happens to the process or the machine. Also reads what it needs to decide what has changed.
///
/// Paths may be given absolute; they are stored relative to the folder that holds the index folder
/// where they lie below it.
///
/// Thread safety: one thread at a time.
class Writer {
 public:
  virtual ~Writer() = default;
  /// Opens or creates. Waits up to `wait_seconds` for another writer, then throws Error{busy} that
  /// names its process. Throws Error{read_only, no_space, io, corrupt}; Error{mismatch} where the
  /// index was made with another model.
  static std::unique_ptr<Writer> open(const std::filesystem::path& folder,
                                      const ModelFingerprint& model, unsigned wait_seconds = 5,
                                      LogSink log = {});

  virtual std::optional<DocumentSummary> find(std::string_view path) const = 0;
  virtual std::vector<DocumentSummary> documents() const = 0;
  virtual std::vector<FailureRecord> failures() const = 0;

  /// Replaces or adds one document with its vectors, [chunks, dimension], row-major, in one
  /// transaction; forgets a failure of that path.
  virtual void put(const DocumentRecord& document, std::span<const float> vectors) = 0;
  /// A document that is gone already is no error.
  virtual void remove(std::int64_t document_id) = 0;
  /// The same content at another place, where no document may stand: nothing is computed again.
  /// Throws Error{not_found}, as touch() does.
  virtual void move(std::int64_t document_id, std::string_view path, std::int64_t modified_ns) = 0;
  /// The same content with another time: so that the hash is not read again.
  virtual void touch(std::int64_t document_id, std::int64_t modified_ns) = 0;
  virtual void put_failure(const FailureRecord& failure) = 0;
  virtual void remove_failure(std::string_view path) = 0;
  virtual void set_setting(std::string_view key, std::string_view value) = 0;
  virtual std::optional<std::string> setting(std::string_view key) const = 0;

  /// Builds and publishes a vector file where enough has changed since the last one (or where
  /// there is none, or it is unsound); truncates the WAL.
  virtual void publish() = 0;
  /// Puts right what check() finds and can be rebuilt from SQLite.
  virtual CheckReport repair() = 0;
};

}  // namespace lore::index
