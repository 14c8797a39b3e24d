#include <sys/stat.h>

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
    if (format == Format::unknown) {
      return Failure{path, "is " + describe_unknown(head) + ", which lore does not read",
                     "unsupported", 0};
    }
    if (format == Format::text) return read_plain_text(read_file(path, options.output_limit));
    return extract_in_worker(path, format, options);
  } catch (const Error& error) {
    switch (error.code()) {
      case ErrorCode::interrupted:
      case ErrorCode::internal:
      case ErrorCode::invalid_argument:
        throw;
      default:
        break;
    }
    return failure_of(path, error);
  }
}

}  // namespace lore::ingest
