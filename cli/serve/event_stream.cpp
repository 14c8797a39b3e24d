#include "cli/serve/event_stream.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "cli/serve/responses.hpp"

namespace lore::cli::serve {
namespace {

using std::chrono::seconds;

constexpr seconds kFirstWait{2};  // for an error, before the answer is begun
constexpr seconds kHeartbeat{10};

/// What passes from the thread that computes to the one that sends. Unbounded: an answer has its
/// own limit.
class EventQueue {
 public:
  bool send(const Json& event) { return push("data: " + dump(event) + "\n\n"); }

  void end(std::exception_ptr error) {
    {
      const std::lock_guard lock(mutex_);
      error_ = std::move(error);
      ended_ = true;
    }
    changed_.notify_all();
  }

  void abandon() {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
  }

  /// All that has come; none where nothing came in time, and "" at the end.
  std::optional<std::string> take(seconds patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [&] { return ended_ || !text_.empty(); });
    if (text_.empty() && !ended_) return std::nullopt;
    return std::exchange(text_, {});
  }

  /// Throws what ended it, if nothing was sent before.
  void wait_for_first() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kFirstWait, [&] { return ended_ || !text_.empty(); });
    if (text_.empty() && error_) std::rethrow_exception(error_);
  }

  std::exception_ptr error() {
    const std::lock_guard lock(mutex_);
    return error_;
  }

 private:
  bool push(const std::string& text) {
    {
      const std::lock_guard lock(mutex_);
      if (abandoned_) return false;
      text_ += text;
    }
    changed_.notify_all();
    return true;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  bool ended_ = false;
  bool abandoned_ = false;
  std::exception_ptr error_;
};

/// The computing thread; it ends before this does.
class Producer {
 public:
  explicit Producer(std::function<void(const SendEvent&)> produce)
      : done_(std::async(std::launch::async, [this, produce = std::move(produce)] {
          std::exception_ptr error;
          try {
            produce([this](const Json& event) { return queue_.send(event); });
          } catch (...) {
            error = std::current_exception();
          }
          queue_.end(std::move(error));
        })) {}
  ~Producer() {
    queue_.abandon();
    done_.wait();
  }
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  EventQueue& queue() { return queue_; }

 private:
  EventQueue queue_;
  std::future<void> done_;
};

std::string last_event(const std::exception_ptr& error) {
  if (!error) return "data: [DONE]\n\n";
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& what) {
    return "data: " + error_response(what).body + "\n\n";
  }
}

void send_all(EventQueue& queue, const HttpSink& sink) {
  while (true) {
    const std::optional<std::string> text = queue.take(kHeartbeat);
    if (text && text->empty()) break;
    if (!sink(text.value_or(": waiting\n\n"))) return;
  }
  sink(last_event(queue.error()));
}

}  // namespace

HttpResponse event_stream(std::function<void(const SendEvent&)> produce) {
  const auto producer = std::make_shared<Producer>(std::move(produce));
  producer->queue().wait_for_first();
  return {.content_type = "text/event-stream",
          .headers = {{"Cache-Control", "no-store"}},
          .stream = [producer](const HttpSink& sink) { send_all(producer->queue(), sink); }};
}

}  // namespace lore::cli::serve
