// Speed of the engine through its door, on the workloads of tests/bench/compare.py.
//
//   engine_bench embed MODEL [--chunks 128] [--tokens 256]     texts of equal length
//   engine_bench mixed MODEL [--chunks 128]                    texts of 32 to 254 tokens
//   engine_bench prefill MODEL [--tokens 512]
//   engine_bench decode MODEL [--tokens 128] [--depth 1]
//   engine_bench batch MODEL [--sequences 16] [--depth 512] [--tokens 32]   one prompt, shared
//   engine_bench reuse MODEL [--depth 2048] [--new 16]         a second prompt on the same prefix
// each with [--threads N] [--runs 5] [--kernels auto].
//
// Prints one JSON object: {"tokens": computed in the timed part, "seconds": of the median run,
// "best_seconds", "cpu_seconds": of all threads in all runs, "kernels", "load_seconds"}; reuse adds
// "first_seconds", the time to the first token of the first prompt.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.hpp"

namespace {

using lore::engine::GenerationRequest;
using lore::engine::GenerationResult;
using lore::engine::Generator;
using lore::engine::TokenId;
using Clock = std::chrono::steady_clock;
using Flags = std::map<std::string, std::string>;
using ModelPointer = std::shared_ptr<const lore::engine::Model>;

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

struct Measured {
  std::size_t tokens = 0;
  std::vector<double> seconds;        // of each run
  std::vector<double> first_seconds;  // reuse
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Measured embed(const ModelPointer& model, lore::ThreadPool& pool, const Flags& flags, bool mixed) {
  constexpr std::size_t kShortest = 32;
  constexpr std::size_t kLongest = 254;
  const std::size_t chunks = number(flags, "chunks", 128);
  const auto embedder = lore::engine::Embedder::create(model, pool);
  Measured measured;
  std::vector<std::vector<TokenId>> sequences;
  for (std::size_t i = 0; i < chunks; ++i) {
    // Every length in turn, in an order that mixes them.
    const std::size_t length =
        mixed ? kShortest + i * 89 % (kLongest - kShortest + 1) : number(flags, "tokens", 256);
    sequences.push_back(some_tokens(length, model->info().vocabulary, i));
    measured.tokens += length;
  }
  std::vector<float> out(chunks * embedder->dimension());
  for (std::size_t run = 0; run < number(flags, "runs", 5); ++run) {
    const auto start = Clock::now();
    embedder->embed(sequences, out);
    measured.seconds.push_back(seconds_since(start));
  }
  return measured;
}

GenerationRequest request_of(std::vector<TokenId> prompt, std::size_t tokens) {
  GenerationRequest request;
  request.prompt = std::move(prompt);
  request.max_tokens = tokens;
  request.ignore_end = true;
  request.lookup = false;  // guesses from a context of random tokens would say nothing
  return request;
}

Measured generate(const ModelPointer& model, lore::ThreadPool& pool, const Flags& flags,
                  bool decode) {
  const std::size_t tokens = number(flags, "tokens", decode ? 128 : 512);
  const std::size_t depth = decode ? number(flags, "depth", 1) : tokens;
  const auto generator = Generator::create(
      model, pool, {.context = std::min(model->info().context, depth + tokens + 8)});
  Measured measured;
  measured.tokens = tokens;
  for (std::size_t run = 0; run < number(flags, "runs", 5); ++run) {
    const GenerationResult result = generator->generate(
        request_of(some_tokens(depth, model->info().vocabulary, run + 1), decode ? tokens + 1 : 1));
    measured.seconds.push_back((decode ? result.decode_ms : result.prompt_ms) / 1000);
  }
  return measured;
}

/// From the moment when all prompts are in the cache to the last token.
double decode_together(Generator& generator, const std::vector<std::vector<TokenId>>& prompts,
                       std::size_t tokens) {
  std::vector<double> begin(prompts.size());
  std::vector<double> end(prompts.size());
  std::vector<std::thread> threads;
  const auto start = Clock::now();
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    threads.emplace_back([&, i] {
      const GenerationResult result = generator.generate(request_of(prompts[i], tokens + 1));
      end[i] = seconds_since(start);
      begin[i] = end[i] - result.decode_ms / 1000;
    });
  }
  for (std::thread& thread : threads) thread.join();
  return *std::max_element(end.begin(), end.end()) - *std::max_element(begin.begin(), begin.end());
}

Measured batch(const ModelPointer& model, lore::ThreadPool& pool, const Flags& flags) {
  const std::size_t sequences = number(flags, "sequences", 16);
  const std::size_t depth = number(flags, "depth", 512);
  const std::size_t tokens = number(flags, "tokens", 32);
  const auto generator =
      Generator::create(model, pool, {.context = depth + tokens + 16, .sequences = sequences});
  Measured measured;
  measured.tokens = sequences * tokens;
  for (std::size_t run = 0; run < number(flags, "runs", 5); ++run) {
    std::vector<std::vector<TokenId>> prompts;
    for (std::size_t i = 0; i < sequences; ++i) {
      prompts.push_back(some_tokens(depth, model->info().vocabulary, run + 1));
      prompts.back().push_back(some_tokens(1, model->info().vocabulary, 100 + i).front());
    }
    measured.seconds.push_back(decode_together(*generator, prompts, tokens));
  }
  return measured;
}

Measured reuse(const ModelPointer& model, lore::ThreadPool& pool, const Flags& flags) {
  const std::size_t depth = number(flags, "depth", 2048);
  const std::size_t more = number(flags, "new", 16);
  const auto generator =
      Generator::create(model, pool, {.context = depth + more + 8, .sequences = 2});
  Measured measured;
  measured.tokens = 1;
  for (std::size_t run = 0; run < number(flags, "runs", 5); ++run) {
    for (const std::size_t question : {0U, 1U}) {
      std::vector<TokenId> prompt = some_tokens(depth, model->info().vocabulary, run + 1);
      const auto own = some_tokens(more, model->info().vocabulary, 1000 + question);
      prompt.insert(prompt.end(), own.begin(), own.end());
      const auto start = Clock::now();
      generator->generate(request_of(std::move(prompt), 1));
      (question == 0 ? measured.first_seconds : measured.seconds).push_back(seconds_since(start));
    }
  }
  return measured;
}

int run(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(
        stderr, "usage: engine_bench embed|mixed|prefill|decode|batch|reuse MODEL [--flag N]...\n");
    return 2;
  }
  Flags flags;
  for (int i = 3; i + 1 < argc; i += 2) flags[std::string(argv[i]).substr(2)] = argv[i + 1];
  lore::ThreadPool pool(static_cast<unsigned>(number(flags, "threads", 0)));
  lore::engine::ModelOptions options;
  if (flags.count("kernels") != 0) options.kernels = flags["kernels"];
  const auto start = Clock::now();
  const auto model = lore::engine::Model::load(argv[2], pool, options);
  const double load_seconds = seconds_since(start);
  const std::string what = argv[1];
  const std::clock_t cpu_start = std::clock();
  Measured measured;
  if (what == "embed" || what == "mixed") {
    measured = embed(model, pool, flags, what == "mixed");
  } else if (what == "batch") {
    measured = batch(model, pool, flags);
  } else if (what == "reuse") {
    measured = reuse(model, pool, flags);
  } else {
    measured = generate(model, pool, flags, what == "decode");
  }
  const double cpu = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  std::printf(
      "{\"tokens\": %zu, \"seconds\": %.6f, \"best_seconds\": %.6f, \"cpu_seconds\": %.6f, ",
      measured.tokens, median(measured.seconds),
      *std::min_element(measured.seconds.begin(), measured.seconds.end()), cpu);
  if (!measured.first_seconds.empty()) {
    std::printf("\"first_seconds\": %.6f, ", median(measured.first_seconds));
  }
  std::printf("\"kernels\": \"%s\", \"load_seconds\": %.3f}\n", model->info().kernels.c_str(),
              load_seconds);
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
