#include "pipeline/answer_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "lore/error.hpp"
#include "pipeline/json_values.hpp"

namespace lore::pipeline {

AnswerLog::AnswerLog(const std::filesystem::path& path, bool resume) : path_(path) {
  std::error_code ignored;
  const bool exists = std::filesystem::exists(path, ignored);
  if (exists && !resume && std::filesystem::is_regular_file(path, ignored)) {
    throw Error(
        ErrorCode::invalid_argument,
        path.string() + " exists already; go on with it by --resume, or choose another file",
        path.string());
  }
  if (exists && resume) keep_good_lines();
  descriptor_ =
      FileDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!descriptor_) throw system_error("write", path_, errno, true);
  if (!exists) {
    const std::filesystem::path folder = path.parent_path();
    sync_folder(folder.empty() ? std::filesystem::path(".") : folder);
  }
}

void AnswerLog::keep_good_lines() {
  const std::string text = read_file(path_);
  std::string kept;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = text.find('\n', start);
    if (end == std::string::npos) break;  // torn: its writer was stopped
    const std::string_view line = std::string_view(text).substr(start, end - start);
    const Json object = Json::parse(line, nullptr, false);
    if (object.is_object() && object.contains("id") && object.value("status", "") != "failed") {
      done_.insert(dump(object["id"]));
      kept.append(line);
      kept += '\n';
    }
    start = end + 1;
  }
  if (kept.size() != text.size()) write_file_atomically(path_, kept);
}

void AnswerLog::append(std::string_view line) {
  std::string bytes(line);
  bytes += '\n';
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_.get(), rest.data(), rest.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      throw system_error("write", path_, errno, true);
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  // Pipes and devices cannot be synced, and need not be.
  if (::fdatasync(descriptor_.get()) != 0 && errno != EINVAL && errno != EROFS) {
    throw system_error("write", path_, errno, true);
  }
}

}  // namespace lore::pipeline
