#include "ingest/worker/worker.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "ingest/pdf/assemble.hpp"
#include "ingest/worker/child_process.hpp"
#include "ingest/worker/protocol.hpp"

namespace lore::ingest {
namespace {

using Clock = std::chrono::steady_clock;
using worker::FrameKind;

constexpr std::size_t kMaxPages = 1'000'000;  // that a child may claim
constexpr std::uint64_t kClockFactor = 6;     // others may need the machine, too
constexpr std::chrono::milliseconds kPoll{50};
constexpr std::chrono::milliseconds kGrace{2000};

/// Why a child ended before it was done. `code` as in Failure.
struct Death {
  std::string code;
  std::string reason;
};

std::string seconds_text(std::uint64_t seconds) { return std::to_string(seconds) + " s"; }

/// One document over at most two children.
class Extractor {
 public:
  Extractor(const std::filesystem::path& path, const ExtractOptions& options)
      : path_(path), options_(options) {}

  Extraction run() {
    if (options_.worker_command.empty()) {
      throw Error(ErrorCode::invalid_argument,
                  "no command is given that reads " + path_.string() +
                      "; set ExtractOptions::worker_command",
                  "worker_command");
    }
    document_ = FileDescriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    struct stat status {};
    if (!document_ || ::fstat(document_.get(), &status) != 0) return open_failure(errno);
    if (!S_ISREG(status.st_mode)) return Failure{path_, "is no file", "unsupported", 0};
    if (status.st_size == 0) return Failure{path_, "the file is empty (0 bytes)", "empty", 0};
    const std::uint64_t whole =
        options_.cpu_seconds + static_cast<std::uint64_t>(status.st_size) / (1u << 20);
    std::optional<Death> death = attempt(whole);
    if (death && info_ && pages_.size() < info_->page_count) {
      first_death_ = death;
      fail_page(death->reason);
      death = pages_.size() < info_->page_count ? attempt(whole / 3 + 1) : std::nullopt;
    }
    if (!info_ && failure_) return std::move(*failure_);
    if (!info_) return Failure{path_, death->reason, death->code, 0};
    while (death && pages_.size() < info_->page_count) fail_page(death->reason);
    return finished(death);
  }

 private:
  Failure open_failure(int number) const {
    if (number == ENOENT) {
      return {path_, "the file vanished before it was read", "vanished", 0};
    }
    return {path_, system_error("read", path_, number).what(), "unreadable", 0};
  }

  /// Runs one child from the first page that is missing. Nothing where it did all of its work.
  std::optional<Death> attempt(std::uint64_t cpu_seconds) {
    worker::Request request;
    request.memory_limit = options_.memory_limit;
    request.cpu_seconds = cpu_seconds;
    request.output_limit = options_.output_limit;
    request.first_page = pages_.size();
    request.passwords = options_.passwords;
    if (::lseek(document_.get(), 0, SEEK_SET) != 0) return Death{"unreadable", "cannot be read"};
    std::optional<worker::ChildProcess> child;
    try {
      child.emplace(options_.worker_command, worker::encode(request), document_);
    } catch (const Error& error) {
      return Death{"worker", error.what()};
    }
    const auto wall = std::chrono::seconds(kClockFactor * cpu_seconds + 2);
    const auto deadline = Clock::now() + wall;
    worker::FrameReader frames;
    std::uint64_t received = 0;
    done_ = false;
    for (;;) {
      if (options_.stop && options_.stop()) {
        throw Error(ErrorCode::interrupted, "stopped while " + path_.string() + " was read",
                    path_.string());
      }
      if (Clock::now() >= deadline) {
        return Death{"timeout", "reading it took longer than " +
                                    seconds_text(static_cast<std::uint64_t>(wall.count()))};
      }
      std::string bytes;
      const auto read = child->read(bytes, kPoll);
      if (read == worker::ChildProcess::Read::end) break;
      received += bytes.size();
      if (received > options_.output_limit) return over_output();
      frames.add(bytes);
      while (const auto frame = frames.next()) {
        if (!take(*frame)) return nonsense();
        if (done_ || (failure_ && !info_)) return std::nullopt;
        if (failure_) return Death{failure_->code, failure_->reason};  // a second child
      }
      if (frames.broken()) return nonsense();
    }
    return end_of(child->finish(kGrace), cpu_seconds);
  }

  /// False where the frame makes no sense at this point.
  bool take(const worker::Frame& frame) {
    switch (frame.kind) {
      case FrameKind::info:
        return take_info(frame.payload);
      case FrameKind::start: {
        const auto index = worker::decode_index(frame.payload);
        return info_ && index && *index == pages_.size();
      }
      case FrameKind::page: {
        auto page = worker::decode_page(frame.payload);
        if (!page || !info_ || pages_.size() >= info_->page_count) return false;
        pages_.push_back(std::move(*page));
        return true;
      }
      case FrameKind::failure: {
        const auto message = worker::decode_failure(frame.payload);
        if (!message) return false;
        failure_ = Failure{path_, message->reason, message->code, read_pages()};
        return true;
      }
      case FrameKind::done:
        done_ = info_ && pages_.size() == info_->page_count;
        return done_;
    }
    return false;
  }

  bool take_info(const std::string& payload) {
    auto info = worker::decode_info(payload);
    if (!info || info->page_count == 0 || info->page_count > kMaxPages) return false;
    if (info_) return info->page_count == info_->page_count;  // the second child
    info_ = std::move(info);
    return true;
  }

  Death over_output() const {
    return {"too_large", "it has more text than the limit of one document (" +
                             std::to_string(options_.output_limit >> 20) + " MiB)"};
  }

  static Death nonsense() {
    return {"worker",
            "the process that reads it sent nonsense; that may be a bug of lore or an "
            "attack by the file"};
  }

  Death end_of(int status, std::uint64_t cpu_seconds) const {
    constexpr int kOutputClosed = 3;  // of worker_main
    if (WIFSIGNALED(status)) {
      const int signal = WTERMSIG(status);
      if (signal == SIGXCPU || signal == SIGKILL) {
        return {"timeout",
                "reading it took more than " + seconds_text(cpu_seconds) + " of processor time"};
      }
      if (signal == SIGBUS) return {"vanished", "the file became shorter while it was read"};
      return {"crashed", "the process that reads it crashed (signal " + std::to_string(signal) +
                             "); the file is damaged or hostile"};
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == kOutputClosed) return over_output();
    return {"worker", "the process that reads it ended too early (exit code " +
                          std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : -1) + ")"};
  }

  void fail_page(const std::string& reason) {
    pdf::PageRecord page;
    page.label = std::to_string(pages_.size() + 1);
    page.state = PageState::failed;
    page.note = reason;
    pages_.push_back(std::move(page));
  }

  std::size_t read_pages() const {
    return static_cast<std::size_t>(
        std::count_if(pages_.begin(), pages_.end(),
                      [](const pdf::PageRecord& page) { return page.state != PageState::failed; }));
  }

  Extraction finished(const std::optional<Death>& death) {
    const std::size_t read = read_pages();
    if (read == 0) {
      const std::optional<Death>& cause = death ? death : first_death_;
      return Failure{path_,
                     "none of its " + std::to_string(pages_.size()) +
                         " pages could be read: " + pages_.front().note,
                     cause ? cause->code : "damaged", 0};
    }
    if (read < pages_.size()) {
      info_->problems.push_back(std::to_string(pages_.size() - read) + " of " +
                                std::to_string(pages_.size()) + " pages could not be read");
    }
    return pdf::assemble(*info_, pages_);
  }

  const std::filesystem::path& path_;
  const ExtractOptions& options_;
  FileDescriptor document_;
  std::optional<pdf::DocumentInfo> info_;
  std::vector<pdf::PageRecord> pages_;
  std::optional<Failure> failure_;
  std::optional<Death> first_death_;
  bool done_ = false;
};

}  // namespace

Extraction extract_in_worker(const std::filesystem::path& path, const ExtractOptions& options) {
  return Extractor(path, options).run();
}

}  // namespace lore::ingest
