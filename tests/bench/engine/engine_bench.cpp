// Speed of the engine through its door: embedding, prompt and decoding, in figures that a peer's
// can stand beside (tokens, chunks a second; the best and the median of several runs).
//
//   engine_bench embed MODEL [--chunks 128] [--tokens 256]
//   engine_bench prefill MODEL [--tokens 512]
//   engine_bench decode MODEL [--tokens 128] [--depth 1]
// each with [--threads N] [--runs 5] [--kernels auto].
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "engine/engine.hpp"

namespace {

using lore::engine::TokenId;
using Clock = std::chrono::steady_clock;
using Flags = std::map<std::string, std::string>;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::size_t number(const Flags& flags, const std::string& name, std::size_t fallback) {
  const auto found = flags.find(name);
  return found == flags.end() ? fallback : std::stoul(found->second);
}

/// Ordinary ids, the same on every run.
std::vector<TokenId> some_tokens(std::size_t count, std::size_t vocabulary, std::uint64_t seed) {
  std::vector<TokenId> ids(count);
  std::uint64_t state = seed * 2654435761U + 88172645463325252U;
  for (TokenId& id : ids) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    id = static_cast<TokenId>(1000 % vocabulary + (state >> 33) % (vocabulary - 1000 % vocabulary));
  }
  return ids;
}

/// Processor time of all threads: what remains comparable where others load the machine.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void report(const char* what, double amount, const char* unit, std::vector<double> seconds,
            double all_cpu_seconds) {
  const double all = amount * static_cast<double>(seconds.size());
  std::sort(seconds.begin(), seconds.end());
  std::printf("%s: best %.1f, median %.1f %s; %.1f a second of processor time\n", what,
              amount / seconds.front(), amount / seconds[seconds.size() / 2], unit,
              all / all_cpu_seconds);
}

void bench_embed(const std::shared_ptr<const lore::engine::Model>& model, lore::ThreadPool& pool,
                 const Flags& flags) {
  const std::size_t chunks = number(flags, "chunks", 128);
  const std::size_t tokens = number(flags, "tokens", 256);
  const auto embedder = lore::engine::Embedder::create(model, pool);
  std::vector<std::vector<TokenId>> sequences;
  for (std::size_t i = 0; i < chunks; ++i) {
    sequences.push_back(some_tokens(tokens, model->info().vocabulary, i));
  }
  std::vector<float> out(chunks * embedder->dimension());
  std::vector<double> seconds;
  const double cpu_start = cpu_seconds();
  for (std::size_t run = 0; run < number(flags, "runs", 5); ++run) {
    const auto start = Clock::now();
    embedder->embed(sequences, out);
    seconds.push_back(seconds_since(start));
  }
  const double cpu = cpu_seconds() - cpu_start;
  report("embed", static_cast<double>(chunks), "chunks/s", seconds, cpu);
  report("embed", static_cast<double>(chunks * tokens), "tokens/s", seconds, cpu);
}

void bench_generate(const std::shared_ptr<const lore::engine::Model>& model, lore::ThreadPool& pool,
                    const Flags& flags, bool decode) {
  const std::size_t tokens = number(flags, "tokens", decode ? 128 : 512);
  const std::size_t depth = decode ? number(flags, "depth", 1) : tokens;
  lore::engine::GeneratorOptions options;
  options.context = std::min(model->info().context, depth + tokens + 8);
  const auto generator = lore::engine::Generator::create(model, pool, options);
  std::vector<double> seconds;
  double cpu = 0;  // of prompt and decoding together
  for (std::size_t run = 0; run < number(flags, "runs", 5); ++run) {
    lore::engine::GenerationRequest request;
    request.prompt = some_tokens(depth, model->info().vocabulary, run + 1);
    request.max_tokens = decode ? tokens + 1 : 1;
    request.ignore_end = true;
    const double cpu_start = cpu_seconds();
    const auto result = generator->generate(request);
    cpu += cpu_seconds() - cpu_start;
    seconds.push_back((decode ? result.decode_ms : result.prompt_ms) / 1000);
  }
  report(decode ? "decode" : "prefill", static_cast<double>(tokens), "tokens/s", seconds, cpu);
}

int run(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: engine_bench embed|prefill|decode MODEL [--flag value]...\n");
    return 2;
  }
  Flags flags;
  for (int i = 3; i + 1 < argc; i += 2) flags[std::string(argv[i]).substr(2)] = argv[i + 1];
  lore::ThreadPool pool(static_cast<unsigned>(number(flags, "threads", 0)));
  lore::engine::ModelOptions options;
  if (flags.count("kernels") != 0) options.kernels = flags["kernels"];
  const auto start = Clock::now();
  const auto model = lore::engine::Model::load(argv[2], pool, options);
  std::printf("%s, kernels %s, %u threads, loaded in %.2f s\n", model->info().name.c_str(),
              model->info().kernels.c_str(), pool.size(), seconds_since(start));
  const std::string what = argv[1];
  if (what == "embed") {
    bench_embed(model, pool, flags);
  } else {
    bench_generate(model, pool, flags, what == "decode");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
