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
constexpr unsigned kClockFactor = 6;          // others may need the machine, too
constexpr unsigned kMostFruitless = 3;        // children in a row that have read no page
constexpr std::chrono::milliseconds kPoll{50};
constexpr std::chrono::milliseconds kGrace{2000};
constexpr std::chrono::milliseconds kNoGrace{0};
constexpr std::uint64_t kMaxSeconds = 100'000;  // that the size of a file may add

/// Why a child ended before it was done. `code` as in Failure.
struct Death {
  std::string code;
  std::string reason;
};

std::string seconds_text(unsigned seconds) { return std::to_string(seconds) + " s"; }

/// One document over as many children as it takes.
class Extractor {
 public:
  Extractor(const std::filesystem::path& path, Format format, const ExtractOptions& options)
      : path_(path), format_(format), options_(options) {}

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
    if (format_ == Format::pdf && status.st_size == 0) {
      return Failure{path_, "the file is empty (0 bytes)", "empty", 0};
    }
    const auto mebibytes = static_cast<std::uint64_t>(status.st_size) >> 20;
    const auto whole =
        options_.cpu_seconds + static_cast<unsigned>(std::min(mebibytes, kMaxSeconds));
    std::optional<Death> death = attempt(whole);
    if (text_) return *std::move(text_);
    if (!info_)
      return failure_ ? *std::move(failure_) : Failure{path_, death->reason, death->code, 0};
    if (death) go_on(*std::move(death), whole / 3 + 1);
    return finished();
  }

 private:
  Failure open_failure(int number) const {
    if (number == ENOENT) {
      return {path_, "the file vanished before it was read", "vanished", 0};
    }
    return {path_, system_error("read", path_, number).what(), "unreadable", 0};
  }

  bool complete() const { return pages_.size() == info_->page_count; }

  /// The pages after the one that was fatal, and after the next one, within `seconds` in all.
  void go_on(Death death, unsigned seconds) {
    first_death_ = death;
    used_seconds_ = 0;
    unsigned fruitless = 0;
    while (!complete()) {
      fail_page(death.reason);
      if (complete() || used_seconds_ >= seconds || fruitless == kMostFruitless) break;
      const std::size_t before = pages_.size();
      const double left = seconds - used_seconds_;
      std::optional<Death> next = attempt(std::max(1u, static_cast<unsigned>(left)));
      if (!next) break;
      fruitless = pages_.size() == before ? fruitless + 1 : 0;
      death = *std::move(next);
    }
    while (!complete()) {
      fail_page(fruitless == kMostFruitless
                    ? "not tried: the process that reads the file ended again and again"
                    : "not tried: the time for one document was over");
    }
  }

  /// Runs one child from the first page that is missing. Nothing where it did all of its work.
  std::optional<Death> attempt(unsigned cpu_seconds) {
    failure_.reset();
    done_ = false;
    worker::Request request;
    request.memory_limit = options_.memory_limit;
    request.cpu_seconds = cpu_seconds;
    request.output_limit = options_.output_limit;
    request.first_page = pages_.size();
    request.format = format_;
    request.passwords = options_.passwords;
    if (::lseek(document_.get(), 0, SEEK_SET) != 0) return Death{"unreadable", "cannot be read"};
    std::optional<worker::ChildProcess> child;
    try {
      child.emplace(options_.worker_command, worker::encode(request), document_);
    } catch (const Error& error) {
      return Death{"worker", error.what()};
    }
    const auto start = Clock::now();
    std::optional<Death> death = listen(*child, start + wall_time(cpu_seconds), cpu_seconds);
    // Waiting counts, too: a child that hangs uses no processor time.
    const std::chrono::duration<double> waited = Clock::now() - start;
    used_seconds_ += std::max(child->finish(kNoGrace).cpu_seconds, waited.count() / kClockFactor);
    return death;
  }

  static std::chrono::seconds wall_time(unsigned cpu_seconds) {
    return std::chrono::seconds(kClockFactor * cpu_seconds + 2);
  }

  /// Takes what a child says until it ends, has said all, or must be ended.
  std::optional<Death> listen(worker::ChildProcess& child, Clock::time_point deadline,
                              unsigned cpu_seconds) {
    worker::FrameReader frames;
    std::uint64_t received = 0;
    for (;;) {
      if (options_.stop && options_.stop()) {
        throw Error(ErrorCode::interrupted, "stopped while " + path_.string() + " was read",
                    path_.string());
      }
      if (Clock::now() >= deadline) {
        const auto seconds = static_cast<unsigned>(wall_time(cpu_seconds).count());
        return Death{"timeout", "reading it took longer than " + seconds_text(seconds)};
      }
      std::string bytes;
      const auto read = child.read(bytes, kPoll);
      if (read == worker::ChildProcess::Read::end) return end_of(child.finish(kGrace), cpu_seconds);
      received += bytes.size();
      if (received > options_.output_limit) return over_output();
      frames.add(bytes);
      while (const auto frame = frames.next()) {
        if (!take(*frame)) return nonsense();
        if (failure_) return Death{failure_->code, failure_->reason};
        if (done_) return std::nullopt;
      }
      if (frames.broken()) return nonsense();
    }
  }

  /// False where the frame makes no sense at this point.
  bool take(const worker::Frame& frame) {
    if (frame.kind == FrameKind::failure) {
      const auto message = worker::decode_failure(frame.payload);
      if (message) failure_ = Failure{path_, message->reason, message->code, 0};
      return message.has_value();
    }
    return format_ == Format::pdf ? take_of_pdf(frame) : take_text(frame);
  }

  bool take_text(const worker::Frame& frame) {
    if (frame.kind != FrameKind::text) return false;
    text_ = worker::decode_text_document(frame.payload, format_);
    done_ = text_.has_value();
    return done_;
  }

  bool take_of_pdf(const worker::Frame& frame) {
    switch (frame.kind) {
      case FrameKind::info:
        return take_info(frame.payload);
      case FrameKind::start: {
        const auto index = worker::decode_index(frame.payload);
        return info_ && index && *index == pages_.size();
      }
      case FrameKind::page: {
        auto page = worker::decode_page(frame.payload);
        if (!page || !info_ || complete()) return false;
        pages_.push_back(std::move(*page));
        return true;
      }
      case FrameKind::done:
        done_ = info_ && complete();
        return done_;
      default:
        return false;
    }
  }

  bool take_info(const std::string& payload) {
    auto info = worker::decode_info(payload);
    if (!info || info->page_count == 0 || info->page_count > kMaxPages) return false;
    if (info_) return info->page_count == info_->page_count;  // a later child
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

  Death end_of(const worker::ChildProcess::End& end, unsigned cpu_seconds) const {
    constexpr int kOutputClosed = 3;  // of worker_main
    const int signal = WIFSIGNALED(end.status) ? WTERMSIG(end.status) : 0;
    if (signal == SIGXCPU || (signal == SIGKILL && end.cpu_seconds >= cpu_seconds)) {
      return {"timeout",
              "reading it took more than " + seconds_text(cpu_seconds) + " of processor time"};
    }
    if (end.by_us) return {"timeout", "the process that reads it did not end"};
    if (signal == SIGKILL) {
      return {"killed",
              "the process that reads it was killed, perhaps since the machine ran out of memory; "
              "close other programs and index again with --retry"};
    }
    if (signal == SIGBUS) return {"vanished", "the file became shorter while it was read"};
    if (signal != 0) {
      return {"crashed", "the process that reads it crashed (signal " + std::to_string(signal) +
                             "); the file is damaged or hostile"};
    }
    const int code = WIFEXITED(end.status) ? WEXITSTATUS(end.status) : -1;
    if (code == kOutputClosed) return over_output();
    return {"worker",
            "the process that reads it ended too early (exit code " + std::to_string(code) + ")"};
  }

  void fail_page(const std::string& reason) {
    pdf::PageRecord page;
    page.label = std::to_string(pages_.size() + 1);
    page.state = PageState::failed;
    page.note = reason;
    pages_.push_back(std::move(page));
  }

  Extraction finished() {
    const bool any_read =
        std::any_of(pages_.begin(), pages_.end(),
                    [](const pdf::PageRecord& page) { return page.state != PageState::failed; });
    if (any_read) return pdf::assemble(*info_, pages_);
    return Failure{path_,
                   "none of its " + std::to_string(pages_.size()) +
                       " pages could be read: " + pages_.front().note,
                   first_death_ ? first_death_->code : "damaged", 0};
  }

  const std::filesystem::path& path_;
  const Format format_;
  const ExtractOptions& options_;
  FileDescriptor document_;
  std::optional<Document> text_;           // of a text format
  std::optional<pdf::DocumentInfo> info_;  // of a PDF,
  std::vector<pdf::PageRecord> pages_;     // and its pages so far
  std::optional<Failure> failure_;         // what the child in hand says
  std::optional<Death> first_death_;
  double used_seconds_ = 0;
  bool done_ = false;
};

}  // namespace

Extraction extract_in_worker(const std::filesystem::path& path, Format format,
                             const ExtractOptions& options) {
  return Extractor(path, format, options).run();
}

}  // namespace lore::ingest
