#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/places.hpp"
#include "cli/serve/router.hpp"
#include "lore/error.hpp"

namespace lore::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kDefaultPort = 5673;  // LORE on a telephone
constexpr seconds kGrace{10};       // for requests in hand, when the server is told to stop

/// Tells a server to stop when the user does.
class StopWatch {
 public:
  StopWatch(serve::HttpServer& server, serve::Service& service)
      : thread_([&] { watch(server, service); }) {}
  ~StopWatch() {
    done_ = true;
    thread_.join();
  }
  StopWatch(const StopWatch&) = delete;
  StopWatch& operator=(const StopWatch&) = delete;

 private:
  void watch(serve::HttpServer& server, serve::Service& service) const {
    constexpr milliseconds kTick{100};
    while (!done_ && !interrupted()) std::this_thread::sleep_for(kTick);
    for (milliseconds waited{0}; !done_; waited += kTick) {
      server.stop();  // again, for one that was about to start
      if (waited >= kGrace) service.stop();
      std::this_thread::sleep_for(kTick);
    }
  }

  std::atomic<bool> done_{false};
  std::thread thread_;
};

class ServeCommand : public Command {
 public:
  std::string name() const override { return "serve"; }
  std::string help() const override {
    return "Answer over HTTP: an OpenAI-compatible server for the index and the models";
  }

  void declare(CLI::App& verb) override {
    index_.declare(verb);
    add_value(verb, "-m,--model", service_.model,
              "Model that writes: a name or a .gguf file (qwen-1.5b, else smollm2)", "MODEL");
    add_value(verb, "-c,--context", service_.context,
              "Tokens of prompt and answer at most; 0 takes the model's, up to 4096", "N")
        ->capture_default_str();
    add_value(verb, "--host", http_.host,
              "Address to listen at; one that other machines can reach needs an API key", "ADDRESS")
        ->capture_default_str();
    add_value(verb, "--port", http_.port, "Port to listen at; 0 takes any that is free", "N")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    add_value(verb, "--api-key", key_, "Key that clients must send", "KEY");
    add_value(verb, "--api-key-file", key_file_, "File whose first line is that key", "FILE");
    add_list(verb, "--allow-host", guard_.names,
             "Another name of this machine that clients may use; may be repeated", "NAME");
    add_list(verb, "--cors", guard_.origins,
             "Let web pages from there call (https://…); may be repeated", "ORIGIN");
    add_switch(verb, "--allow-upload", service_.allow_upload,
               "Take documents: they are kept beside the index and read into it");
    add_value(verb, "--jobs", together_, "Answers that are written at the same time", "N")
        ->check(CLI::Range(1, 256))
        ->capture_default_str();
    add_value(verb, "--queue", service_.waiting,
              "Requests that are computed or wait, at most; more are told to come again", "N")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    add_value(verb, "--time-limit", time_limit_, "Seconds that a request may take", "N")
        ->check(CLI::Range(1, 86400))
        ->capture_default_str();
    add_value(verb, "--max-body", max_body_, "Megabytes of a request at most", "N")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
  }

  // No settings from the index's folder: who made the documents does not decide who may ask.
  int run(Console& console) override {
    guard_.key = read_key();
    guard_.host = http_.host;
    if (guard_.key.empty() && !serve::is_loopback(http_.host)) {
      throw Error(ErrorCode::invalid_argument,
                  "--host " + http_.host +
                      " lets other machines in, and they need a key: set one by --api-key, "
                      "--api-key-file or LORE_API_KEY",
                  "--host");
    }
    service_.index = find_index_folder();
    service_.embed_model = index_.embed_model;
    service_.time_limit = seconds(time_limit_);
    http_.max_body = max_body_ << 20U;
    // Each waiting request has a connection; some more are needed to say so to the others.
    http_.connections = service_.waiting + 32;
    set_on_interrupt(OnInterrupt::finish_in_hand);
    serve::Service service(make_library(console, together_), service_,
                           [&](std::string_view line) { console.note(line); });
    serve::Router router(service, guard_);
    serve::HttpServer server(
        http_, router.handlers([&](const std::string& line) { console.detail(line); }));
    announce(server.port(), service, console);
    {
      const StopWatch watch(server, service);
      server.run();
    }
    return interrupted() ? kDone : kFailed;
  }

 private:
  std::filesystem::path find_index_folder() const {
    if (!index_.index.empty()) return locate_index(index_.index);
    return find_index(std::filesystem::current_path()).value_or("");
  }

  std::string read_key() const {
    if (key_file_.empty()) return key_;
    std::ifstream file(key_file_);
    std::string line;
    std::getline(file, line);
    line.erase(std::find(line.begin(), line.end(), '\r'), line.end());
    if (!file || line.empty()) {
      throw Error(ErrorCode::invalid_argument,
                  "--api-key-file " + key_file_ + " cannot be read or its first line is empty",
                  "--api-key-file");
    }
    return line;
  }

  void announce(int port, const serve::Service& service, Console& console) const {
    const std::string host =
        http_.host.find(':') == std::string::npos ? http_.host : "[" + http_.host + "]";
    console.out("lore listens at http://" + host + ":" + std::to_string(port) + "\n");
    console.flush();
    console.note("index: " + (service_.index.empty() ? "none" : shown(service_.index)) +
                 "; embeds: " + or_none(service.embed_model().id) +
                 "; writes: " + or_none(service.generator_model().id) + "; stop with Ctrl-C");
  }

  static std::string or_none(const std::string& name) { return name.empty() ? "none" : name; }

  IndexFlags index_;
  serve::ServiceOptions service_;
  serve::HttpOptions http_{.host = "127.0.0.1", .port = kDefaultPort};
  serve::GuardOptions guard_;
  std::string key_;
  std::string key_file_;
  std::size_t together_ = 8;
  std::size_t time_limit_ = 600;
  std::size_t max_body_ = 32;
};

}  // namespace

std::unique_ptr<Command> make_serve_command() { return std::make_unique<ServeCommand>(); }

}  // namespace lore::cli
