#include "pipeline/answer_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "lore/error.hpp"
#include "pipeline/json_values.hpp"

namespace lore::pipeline {
namespace {

constexpr std::string_view kLineStart = "{\"id\":";

std::string text_of(const Json& object, const char* key) {
  const auto member = object.find(key);
  return member != object.end() && member->is_string() ? member->get<std::string>() : "";
}

bool is_answer(const Json& object) {
  if (!object.is_object() || !object.contains("id") || !object.contains("question")) return false;
  const std::string status = text_of(object, "status");
  return status == status_name(AnswerStatus::answered) ||
         status == status_name(AnswerStatus::not_in_documents) ||
         status == status_name(AnswerStatus::failed);
}

/// What is left of a line whose writer was stopped.
bool may_be_torn(std::string_view line) {
  return line.starts_with(kLineStart) || kLineStart.starts_with(line);
}

}  // namespace

AnswerLog::AnswerLog(const std::filesystem::path& path, bool resume) : path_(path) {
  std::error_code ignored;
  exists_ = std::filesystem::exists(path, ignored);
  // Pipes and devices hold no answers.
  if (!exists_ || !std::filesystem::is_regular_file(path, ignored)) return;
  if (!resume) {
    throw Error(
        ErrorCode::invalid_argument,
        path.string() + " exists already; go on with it by --resume, or choose another file",
        path.string());
  }
  read();
}

void AnswerLog::read() {
  const std::string text = read_file(path_);
  std::size_t number = 0;
  for (std::size_t start = 0; start < text.size();) {
    ++number;
    const std::size_t end = text.find('\n', start);
    const bool whole = end != std::string::npos;
    const std::string_view line = std::string_view(text).substr(start, end - start);
    start = whole ? end + 1 : text.size();
    const Json object = whole ? Json::parse(line, nullptr, false) : Json();
    if (whole ? !is_answer(object) : !may_be_torn(line)) {
      throw Error(ErrorCode::invalid_argument,
                  path_.string() + " is no file of answers: line " + std::to_string(number) +
                      " is none; name another file by --output",
                  path_.string());
    }
    if (!whole || text_of(object, "status") == status_name(AnswerStatus::failed)) {
      has_waste_ = true;
      continue;
    }
    done_.emplace(dump(object["id"]), text_of(object, "question"));
    kept_.append(line);
    kept_ += '\n';
  }
}

bool AnswerLog::is_done(const QuestionRow& row) const {
  const auto found = done_.find(row.id_json);
  if (found == done_.end()) return false;
  if (found->second == row.question) return true;
  throw Error(ErrorCode::invalid_argument,
              path_.string() + " holds the answer to another question under the id " + row.id_json +
                  " (\"" + found->second +
                  "\"), so the questions have changed since; name another file by --output",
              path_.string());
}

void AnswerLog::open() {
  if (has_waste_) write_file_atomically(path_, std::exchange(kept_, {}));
  descriptor_ =
      FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (!descriptor_) throw system_error("write", path_, errno, true);
  if (!exists_) sync_folder(path_.parent_path());
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
