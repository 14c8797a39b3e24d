// Speed of a tokenizer on one thread, in figures that a peer's can stand beside
// (tests/bench/peer/peer_tokenize.cpp).
//
//   tokenizer_bench MODEL.gguf TEXT [--runs 5] [--ids FILE] [--lines] [--spans] [--loads 1]
//
// Loads the tokenizer alone (of a model, only the metadata is read) and cuts the whole text file
// into tokens in one call: without tokens around it, special-token text as plain text. Prints one
// JSON object: bytes and tokens of the text, seconds (the best run) and median_seconds, of one
// call; cpu_seconds, the least processor time of one; load_seconds (the best of --loads) from the
// mapped file to the finished tokenizer, metadata_seconds of them for the file's header.
//
// --ids writes the ids as 32-bit integers; --lines tokenizes every line by itself, as an index
// does with chunks; --spans asks for where each token comes from, too.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "engine/gguf/gguf_file.hpp"
#include "engine/tokenizer/tokenizer.hpp"

namespace {

using lore::engine::EncodeOptions;
using lore::engine::TokenId;
using lore::engine::Tokenizer;
using Clock = std::chrono::steady_clock;
using Flags = std::map<std::string, std::string>;

constexpr EncodeOptions kPlain{.add_special = false, .parse_special = false};

/// Processor time of this program: what remains comparable where others load the machine.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::size_t number(const Flags& flags, const std::string& name, std::size_t fallback) {
  const auto found = flags.find(name);
  return found == flags.end() ? fallback : std::stoul(found->second);
}

struct Loaded {
  std::unique_ptr<const Tokenizer> tokenizer;
  double metadata_seconds = 0;
  double seconds = 0;  ///< of all
};

Loaded load(const char* path) {
  Loaded loaded;
  const auto start = Clock::now();
  const auto file = lore::engine::gguf::GgufFile::open(path);
  loaded.metadata_seconds = seconds_since(start);
  loaded.tokenizer = Tokenizer::from_metadata(file.metadata());
  loaded.seconds = seconds_since(start);
  return loaded;
}

std::vector<std::string_view> pieces_of(std::string_view text, bool lines) {
  if (!lines) return {text};
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return pieces;
}

void write_ids(const std::string& path, const std::vector<TokenId>& ids) {
  lore::write_file_atomically(
      path, {reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(TokenId)});
}

int run(const char* model, const char* text_file, const Flags& flags) {
  Loaded loaded = load(model);
  for (std::size_t i = 1; i < number(flags, "loads", 1); ++i) {
    Loaded again = load(model);
    if (again.seconds < loaded.seconds) loaded = std::move(again);
  }
  const Tokenizer& tokenizer = *loaded.tokenizer;
  const std::string text = lore::read_file(text_file);
  const bool spans = flags.count("spans") != 0;
  std::vector<double> seconds;
  double cpu = std::numeric_limits<double>::infinity();
  std::size_t tokens = 0;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, number(flags, "runs", 5)); ++i) {
    const auto pieces = pieces_of(text, flags.count("lines") != 0);
    std::vector<TokenId> all;
    tokens = 0;
    const double cpu_start = cpu_seconds();
    const auto start = Clock::now();
    for (const std::string_view piece : pieces) {
      const auto ids = spans ? tokenizer.encode(piece, kPlain).ids : tokenizer.ids(piece, kPlain);
      tokens += ids.size();
      if (i == 0 && flags.count("ids") != 0) all.insert(all.end(), ids.begin(), ids.end());
    }
    seconds.push_back(seconds_since(start));
    cpu = std::min(cpu, cpu_seconds() - cpu_start);
    if (i == 0 && flags.count("ids") != 0) write_ids(flags.at("ids"), all);
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf(
      "{\"bytes\": %zu, \"tokens\": %zu, \"seconds\": %.6f, \"median_seconds\": %.6f, "
      "\"cpu_seconds\": %.6f, "
      "\"load_seconds\": %.6f, \"metadata_seconds\": %.6f}\n",
      text.size(), tokens, seconds.front(), seconds[seconds.size() / 2], cpu, loaded.seconds,
      loaded.metadata_seconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr,
                 "usage: tokenizer_bench MODEL.gguf TEXT [--runs N] [--ids FILE] [--lines] "
                 "[--spans] [--loads N]\n");
    return 2;
  }
  try {
    Flags flags;
    for (int i = 3; i < argc; ++i) {
      const std::string name = std::string(argv[i]).substr(2);
      const bool has_value = name != "lines" && name != "spans";
      flags[name] = has_value && i + 1 < argc ? argv[++i] : "";
    }
    return run(argv[1], argv[2], flags);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
