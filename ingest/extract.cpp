#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "base/file.hpp"
#include "ingest/ingest.hpp"
#include "ingest/text/text_reader.hpp"
#include "ingest/walk/kinds.hpp"
#include "ingest/worker/worker.hpp"
#include "lore/error.hpp"

namespace lore::ingest {
namespace {

// An HTML parser needs many times the size of its input.
constexpr std::uint64_t kMaxHtmlBytes = std::uint64_t{64} << 20;

Extraction read_text(const std::filesystem::path& path, Format format, std::uint64_t limit) {
  if (format == Format::html) limit = std::min(limit, kMaxHtmlBytes);
  const std::string bytes = read_file(path, limit);
  switch (format) {
    case Format::html:
      return read_html(bytes);
    case Format::markdown:
      return read_markdown(bytes);
    default:
      return read_plain_text(bytes);
  }
}

Failure failure_of(const std::filesystem::path& path, const Error& error) {
  switch (error.code()) {
    case ErrorCode::not_found:
      return system_failure(path, ENOENT);
    case ErrorCode::limit_exceeded:
      return {path, error.what(), "too_large", 0};
    default:
      return {path, error.what(), "unreadable", 0};
  }
}

}  // namespace

Extraction extract(const std::filesystem::path& path, const ExtractOptions& options) {
  if (options.stop && options.stop()) {
    throw Error(ErrorCode::interrupted, "stopped before " + path.string() + " was read",
                path.string());
  }
  // Opening a pipe or a device could wait for ever.
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return system_failure(path, errno);
  if (!S_ISREG(status.st_mode)) return Failure{path, "is no file", "unsupported", 0};
  try {
    const std::string head = read_head(path);
    const Format format = sniff(head, path);
    if (format == Format::pdf) return extract_in_worker(path, options);
    if (format == Format::unknown) {
      return Failure{path, "is " + describe_unknown(head) + ", which lore does not read",
                     "unsupported", 0};
    }
    return read_text(path, format, options.output_limit);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::internal) throw;
    return failure_of(path, error);
  }
}

}  // namespace lore::ingest
