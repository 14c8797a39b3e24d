// A program that plays the worker process: the real one, and ones that misbehave.
//
// Its first argument is the name of a behaviour.
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "ingest/ingest.hpp"
#include "ingest/worker/limits.hpp"
#include "ingest/worker/protocol.hpp"

namespace lore::ingest {
namespace {

using worker::FrameKind;

void send(FrameKind kind, const std::string& payload) {
  const std::string frame = worker::encode_frame(kind, payload);
  std::size_t done = 0;
  while (done < frame.size()) {
    const ssize_t count = ::write(STDOUT_FILENO, frame.data() + done, frame.size() - done);
    if (count <= 0) std::_Exit(9);
    done += static_cast<std::size_t>(count);
  }
}

worker::Request request() {
  std::string bytes;
  char buffer[4096];
  for (ssize_t count; (count = ::read(STDIN_FILENO, buffer, sizeof buffer)) > 0;) {
    bytes.append(buffer, static_cast<std::size_t>(count));
  }
  return worker::decode_request(bytes).value();
}

void send_info(std::size_t pages) {
  pdf::DocumentInfo info;
  info.title = "made up";
  info.page_count = pages;
  send(FrameKind::info, worker::encode(info));
}

void send_page(std::size_t index) {
  pdf::PageRecord page;
  page.label = std::to_string(index + 1);
  page.state = PageState::text;
  page.blocks.push_back({{{"text of page " + std::to_string(index + 1), 10, 0.1f, 0.2f}}});
  send(FrameKind::start, worker::encode_index(index));
  send(FrameKind::page, worker::encode(page));
}

/// Five pages; dies while it reads those in `deadly`.
void five_pages(const std::vector<std::size_t>& deadly) {
  send_info(5);
  for (std::size_t page = request().first_page; page < 5; ++page) {
    for (const std::size_t one : deadly) {
      if (one != page) continue;
      send(FrameKind::start, worker::encode_index(page));
      std::abort();
    }
    send_page(page);
  }
  send(FrameKind::done, {});
}

/// Three pages; says at the second one that it cannot go on.
void gives_up_on_page_2() {
  send_info(3);
  for (std::size_t page = request().first_page; page < 3; ++page) {
    if (page == 1) return send(FrameKind::failure, worker::encode_failure("too_large", "too much"));
    send_page(page);
  }
  send(FrameKind::done, {});
}

/// Ten pages of which only the first can be read: the others end it by `end`.
template <typename End>
void first_page_of_ten(End end) {
  const worker::Request asked = request();
  worker::apply_limits(asked);
  send_info(10);
  if (asked.first_page == 0) send_page(0);
  send(FrameKind::start, worker::encode_index(std::max<std::uint64_t>(1, asked.first_page)));
  end();
}

/// What a worker under limits can still do, as the text of a page; `file` is one to write.
void probe(const std::string& file) {
  const worker::Request asked = request();
  worker::apply_limits(asked);
  std::string found;
  if (std::ofstream(file).is_open()) found += " writes-files";
  const pid_t child = ::fork();
  if (child == 0) std::_Exit(0);
  if (child > 0) found += " starts-processes";
  if (::socket(AF_INET, SOCK_STREAM, 0) >= 0) found += " opens-sockets";
  pdf::PageRecord page;
  page.state = PageState::text;
  page.blocks.push_back({{{"can:" + found, 10, 0.1f, 0.2f}}});
  send_info(1);
  send(FrameKind::start, worker::encode_index(0));
  send(FrameKind::page, worker::encode(page));
  send(FrameKind::done, {});
}

[[noreturn]] void sleep_for_ever() {
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(60));
}

[[noreturn]] void spin_for_ever() {
  for (volatile unsigned turns = 0;;) turns = turns + 1;
}

[[noreturn]] void flood() {
  send_info(1'000'000);
  for (std::size_t page = 0;; ++page) send_page(page);
}

int run(const std::vector<std::string>& arguments) {
  const std::string behaviour = arguments.empty() ? "" : arguments[0];
  if (behaviour == "real") return worker_main(arguments);
  if (behaviour == "exits") return 7;
  if (behaviour == "killed") ::raise(SIGKILL);
  if (behaviour == "hangs") sleep_for_ever();
  if (behaviour == "hangs-after-close") {
    ::close(STDOUT_FILENO);
    sleep_for_ever();
  }
  if (behaviour == "hangs-after-page") {
    send_info(3);
    send_page(0);
    sleep_for_ever();
  }
  if (behaviour == "spins") {
    worker::apply_limits(request());
    spin_for_ever();
  }
  if (behaviour == "floods") flood();
  if (behaviour == "garbage") {
    for (;;) {
      if (::write(STDOUT_FILENO, "garbage!", 8) <= 0) return 1;
    }
  }
  if (behaviour == "huge-claims") {
    pdf::DocumentInfo info;
    info.page_count = ~std::size_t{0};
    send(FrameKind::info, worker::encode(info));
    sleep_for_ever();
  }
  if (behaviour == "dies-on-page-3") five_pages({2});
  if (behaviour == "dies-on-pages-2-and-4") five_pages({1, 3});
  if (behaviour == "dies-on-every-page") five_pages({0, 1, 2, 3, 4});
  if (behaviour == "gives-up-on-page-2") gives_up_on_page_2();
  if (behaviour == "dies-after-page-1") first_page_of_ten([] { std::abort(); });
  if (behaviour == "spins-after-page-1") first_page_of_ten(spin_for_ever);
  if (behaviour == "probe") probe(arguments.at(1));
  if (behaviour == "ignores-signals") {
    ::signal(SIGTERM, SIG_IGN);
    ::signal(SIGINT, SIG_IGN);
    sleep_for_ever();
  }
  return 0;
}

}  // namespace
}  // namespace lore::ingest

int main(int count, char** values) {
  return lore::ingest::run(std::vector<std::string>(values + 1, values + count));
}
