// Times llama_tokenize of llama.cpp as tests/bench/tokenizer/tokenizer_bench.cpp times lore.
//
//   peer_tokenize MODEL.gguf TEXT [RUNS] [IDS-FILE]
//
// Loads the vocabulary alone and cuts the whole text into tokens in one call on one thread, without
// tokens around it, special-token text as plain text. Prints one JSON object: {"bytes", "tokens",
// "seconds" (the best run), "median_seconds", "load_seconds"}; writes the ids as 32-bit integers.

#include <llama.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "peer_tokenize: %s\n", what);
  std::exit(1);
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) fail("usage: peer_tokenize MODEL.gguf TEXT [RUNS] [IDS-FILE]");
  const int runs = count > 3 ? std::max(1, std::atoi(arguments[3])) : 5;
  std::ifstream file(arguments[2], std::ios::binary);
  if (!file) fail("cannot read the text");
  const std::string text{std::istreambuf_iterator<char>(file), {}};

  llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
  llama_backend_init();
  llama_model_params parameters = llama_model_default_params();
  parameters.vocab_only = true;
  const auto load_start = Clock::now();
  const std::unique_ptr<llama_model, void (*)(llama_model*)> model(
      llama_model_load_from_file(arguments[1], parameters), llama_model_free);
  if (!model) fail("cannot load the vocabulary");
  const double load_seconds = seconds_since(load_start);
  const llama_vocab* vocabulary = llama_model_get_vocab(model.get());

  // No token is shorter than a byte, but a SentencePiece model adds a space.
  std::vector<llama_token> ids(text.size() + 16);
  std::vector<double> seconds;
  int tokens = 0;
  for (int i = 0; i < runs; ++i) {
    const auto start = Clock::now();
    tokens = llama_tokenize(vocabulary, text.data(), static_cast<int32_t>(text.size()), ids.data(),
                            static_cast<int32_t>(ids.size()), false, false);
    seconds.push_back(seconds_since(start));
    if (tokens < 0) fail("the text has more tokens than bytes");
  }
  if (count > 4) {
    std::ofstream out(arguments[4], std::ios::binary);
    out.write(reinterpret_cast<const char*>(ids.data()),
              static_cast<std::streamsize>(sizeof(llama_token)) * tokens);
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf(
      "{\"bytes\": %zu, \"tokens\": %d, \"seconds\": %.6f, \"median_seconds\": %.6f, "
      "\"load_seconds\": %.6f}\n",
      text.size(), tokens, seconds.front(), seconds[seconds.size() / 2], load_seconds);
  llama_backend_free();
  return 0;
}
