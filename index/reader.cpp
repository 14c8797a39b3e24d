#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

#include "index/index.hpp"
#include "index/inspect.hpp"
#include "index/places.hpp"
#include "index/search.hpp"
#include "index/store/catalog.hpp"
#include "index/store/documents.hpp"
#include "index/store/read_access.hpp"
#include "lore/error.hpp"

namespace lore::index {
namespace {

std::uint64_t bytes_below(const std::filesystem::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code failed;
  std::filesystem::directory_iterator entry(folder, failed);
  for (; !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
    std::error_code vanished;
    const std::uint64_t size = entry->file_size(vanished);
    if (!vanished) bytes += size;
  }
  return bytes;
}

/// What tells a file from another that takes its name later.
std::optional<std::pair<dev_t, ino_t>> identity_of(const std::filesystem::path& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return std::pair(found.st_dev, found.st_ino);
}

bool ends_with_path(std::string_view path, std::string_view ending) {
  return path.ends_with(ending) &&
         (path.size() == ending.size() || path[path.size() - ending.size() - 1] == '/');
}

class ReaderImpl final : public Reader {
 public:
  ReaderImpl(const std::filesystem::path& folder, const LogSink& log)
      : places_(folder),
        access_(places_.database(), log),
        vectors_(places_.folder(), log),
        identity_(identity_of(places_.database())) {}

  const std::filesystem::path& folder() const override { return places_.folder(); }
  bool is_replaced() const override {
    const auto now = identity_of(places_.database());
    return !now || now != identity_;
  }

  std::optional<ModelFingerprint> model() const override {
    return read([](Database& database) { return read_model(database); });
  }
  std::optional<std::string> setting(std::string_view key) const override {
    return read([&](Database& database) { return read_setting(database, key); });
  }
  Counts counts() const override {
    Counts counts = read([](Database& database) {
      Counts result = count_all(database);
      if (const auto generation = read_generation(database)) result.recall = generation->recall;
      return result;
    });
    counts.bytes = bytes_below(places_.folder());
    return counts;
  }
  std::vector<DocumentSummary> documents() const override {
    return read([](Database& database) { return all_documents(database); });
  }
  std::vector<FailureRecord> failures() const override {
    return read([](Database& database) { return read_failures(database); });
  }
  DocumentRecord document(std::string_view path) const override {
    return read([&](Database& database) { return read_document(database, find(database, path)); });
  }
  SearchResult search(const SearchQuery& query) const override {
    return read([&](Database& database) { return search_index(database, vectors_, query); });
  }
  std::filesystem::path resolve(std::string_view stored_path) const override {
    return places_.resolve(stored_path);
  }
  CheckReport check() const override {
    return read([&](Database& database) { return inspect(database, vectors_).report; });
  }

 private:
  template <typename Body>
  std::invoke_result_t<Body, Database&> read(Body body) const {
    std::optional<std::invoke_result_t<Body, Database&>> result;
    access_.read([&](Database& database) { result = body(database); });
    return *std::move(result);
  }

  // The id of the document that `path` names, as stored or by its unique ending.
  std::int64_t find(Database& database, std::string_view path) const {
    const std::string wanted = places_.stored(path);
    std::vector<std::string> candidates;
    std::int64_t id = 0;
    Statement rows = database.prepare("SELECT id, path FROM documents ORDER BY path");
    while (rows.step()) {
      if (rows.text_view(1) == wanted) return rows.integer(0);
      if (!ends_with_path(rows.text_view(1), wanted)) continue;
      id = rows.integer(0);
      candidates.push_back(rows.text(1));
    }
    if (candidates.size() == 1) return id;
    if (candidates.empty()) {
      throw Error(ErrorCode::not_found,
                  "no document \"" + std::string(path) +
                      "\" is in the index; `lore status` lists those that are",
                  std::string(path));
    }
    std::string list;
    for (const std::string& candidate : candidates) list += (list.empty() ? "" : ", ") + candidate;
    throw Error(ErrorCode::invalid_argument,
                "several documents end with \"" + std::string(path) + "\": " + list +
                    "; give more of the path",
                std::string(path));
  }

  Places places_;
  mutable ReadAccess access_;                        // reading may open it anew
  mutable VectorSearch vectors_;                     // keeps the vector file that it loaded
  std::optional<std::pair<dev_t, ino_t>> identity_;  // of the database when it was opened
};

}  // namespace

std::unique_ptr<Reader> Reader::open(const std::filesystem::path& folder, const LogSink& log) {
  return std::make_unique<ReaderImpl>(folder, log);
}

}  // namespace lore::index
