// Times llama_tokenize of llama.cpp as tests/bench/tokenizer/tokenizer_bench.cpp times lore.
//
//   peer_tokenize MODEL.gguf TEXT [--runs 5] [--ids FILE] [--lines]
//
// Loads the vocabulary alone and cuts the whole text into tokens in one call on one thread (with
// --lines: in a call a line), without tokens around it, special-token text as plain text. Prints
// one JSON object: {"bytes", "tokens", "seconds" (the best run), "median_seconds", "cpu_seconds"
// (the least), "load_seconds"}; --ids writes the ids as 32-bit integers.

#include <llama.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "peer_tokenize: %s\n", what);
  std::exit(1);
}

/// Processor time of this program: what remains comparable where others load the machine.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Options {
  const char* model;
  const char* text;
  int runs = 5;
  const char* ids = nullptr;
  bool lines = false;
};

Options parse(int count, char** arguments) {
  if (count < 3) fail("usage: peer_tokenize MODEL.gguf TEXT [--runs N] [--ids FILE] [--lines]");
  Options options{arguments[1], arguments[2]};
  for (int i = 3; i < count; ++i) {
    const std::string_view name = arguments[i];
    const bool has_value = i + 1 < count;
    if (name == "--lines") {
      options.lines = true;
    } else if (name == "--runs" && has_value) {
      options.runs = std::max(1, std::atoi(arguments[++i]));
    } else if (name == "--ids" && has_value) {
      options.ids = arguments[++i];
    } else {
      fail("unknown flag");
    }
  }
  return options;
}

/// Writes the ids of a text to ids[at …]; returns where they end.
std::size_t tokenize(const llama_vocab* vocabulary, std::string_view text,
                     std::vector<llama_token>& ids, std::size_t at) {
  const int tokens =
      llama_tokenize(vocabulary, text.data(), static_cast<int32_t>(text.size()), ids.data() + at,
                     static_cast<int32_t>(ids.size() - at), false, false);
  if (tokens < 0) fail("the text has more tokens than there is room for");
  return at + static_cast<std::size_t>(tokens);
}

std::size_t tokenize_lines(const llama_vocab* vocabulary, std::string_view text,
                           std::vector<llama_token>& ids) {
  std::size_t at = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    at = tokenize(vocabulary, text.substr(0, end), ids, at);
    text.remove_prefix(end);
  }
  return at;
}

}  // namespace

int main(int count, char** arguments) {
  const Options options = parse(count, arguments);
  std::ifstream file(options.text, std::ios::binary);
  if (!file) fail("cannot read the text");
  const std::string text{std::istreambuf_iterator<char>(file), {}};

  llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
  llama_backend_init();
  llama_model_params parameters = llama_model_default_params();
  parameters.vocab_only = true;
  const auto load_start = Clock::now();
  const std::unique_ptr<llama_model, void (*)(llama_model*)> model(
      llama_model_load_from_file(options.model, parameters), llama_model_free);
  if (!model) fail("cannot load the vocabulary");
  const double load_seconds = seconds_since(load_start);
  const llama_vocab* vocabulary = llama_model_get_vocab(model.get());

  // No token is shorter than a byte, but a SentencePiece model adds a space to each text.
  std::vector<llama_token> ids(2 * text.size() + 16);
  std::vector<double> seconds;
  double cpu = std::numeric_limits<double>::infinity();
  std::size_t tokens = 0;
  for (int i = 0; i < options.runs; ++i) {
    const double cpu_start = cpu_seconds();
    const auto start = Clock::now();
    tokens =
        options.lines ? tokenize_lines(vocabulary, text, ids) : tokenize(vocabulary, text, ids, 0);
    seconds.push_back(seconds_since(start));
    cpu = std::min(cpu, cpu_seconds() - cpu_start);
  }
  if (options.ids != nullptr) {
    std::ofstream out(options.ids, std::ios::binary);
    out.write(reinterpret_cast<const char*>(ids.data()),
              static_cast<std::streamsize>(sizeof(llama_token) * tokens));
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf(
      "{\"bytes\": %zu, \"tokens\": %zu, \"seconds\": %.6f, \"median_seconds\": %.6f, "
      "\"cpu_seconds\": %.6f, "
      "\"load_seconds\": %.6f}\n",
      text.size(), tokens, seconds.front(), seconds[seconds.size() / 2], cpu, load_seconds);
  llama_backend_free();
  return 0;
}
