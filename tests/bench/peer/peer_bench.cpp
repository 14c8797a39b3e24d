// Times llama.cpp on the workloads of tests/bench/compare.py, through its C interface.
//
//   peer_bench embed   MODEL THREADS FLASH UBATCH CHUNKS TOKENS
//   peer_bench prefill MODEL THREADS FLASH UBATCH TOKENS
//   peer_bench decode  MODEL THREADS FLASH UBATCH DEPTH TOKENS
//   peer_bench batch   MODEL THREADS FLASH UBATCH DEPTH TOKENS SEQUENCES   (one prompt, shared)
//   peer_bench vector  MODEL THREADS FLASH UBATCH TEXT    (loads, embeds a text, ends)
//   peer_bench token   MODEL THREADS FLASH UBATCH TEXT    (loads, computes a text's next token,
//   ends)
//
// Prints one JSON object: {"seconds": of the timed part, "tokens": computed in it}. The model is
// loaded and warmed up before the clock starts; vector and token are timed from outside.

#include <llama.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "peer_bench: %s\n", what);
  std::exit(1);
}

struct Options {
  std::string mode;
  std::string model;
  int threads = 2;
  bool flash = false;
  int ubatch = 512;
  int first = 0;   // chunks, tokens of the prompt or depth
  int second = 0;  // tokens a chunk or tokens to generate
  int sequences = 1;
  std::string text;
};

struct Session {
  std::unique_ptr<llama_model, void (*)(llama_model*)> model{nullptr, llama_model_free};
  std::unique_ptr<llama_context, void (*)(llama_context*)> context{nullptr, llama_free};
};

Session open_session(const Options& options, int context_tokens, bool embeddings,
                     int sequences = 1) {
  Session session;
  session.model.reset(
      llama_model_load_from_file(options.model.c_str(), llama_model_default_params()));
  if (!session.model) fail("cannot load the model");
  llama_context_params parameters = llama_context_default_params();
  parameters.n_ctx = static_cast<uint32_t>(context_tokens);
  parameters.n_batch = static_cast<uint32_t>(embeddings ? options.ubatch : context_tokens);
  parameters.n_ubatch = static_cast<uint32_t>(options.ubatch);
  parameters.n_seq_max = static_cast<uint32_t>(embeddings ? 64 : sequences);
  parameters.kv_unified = true;
  parameters.n_threads = options.threads;
  parameters.n_threads_batch = options.threads;
  parameters.embeddings = embeddings;
  if (embeddings) parameters.pooling_type = LLAMA_POOLING_TYPE_MEAN;
  parameters.flash_attn_type =
      options.flash ? LLAMA_FLASH_ATTN_TYPE_ENABLED : LLAMA_FLASH_ATTN_TYPE_DISABLED;
  session.context.reset(llama_init_from_model(session.model.get(), parameters));
  if (!session.context) fail("cannot make a context");
  return session;
}

// Ordinary ids, away from the special ones at both ends of a vocabulary.
llama_token some_token(int i) { return 1000 + (i * 7919) % 20000; }

void add(llama_batch& batch, llama_token token, int position, int sequence, bool output) {
  const int i = batch.n_tokens++;
  batch.token[i] = token;
  batch.pos[i] = position;
  batch.n_seq_id[i] = 1;
  batch.seq_id[i][0] = sequence;
  batch.logits[i] = output ? 1 : 0;
}

void compute(llama_context* context, llama_batch& batch, bool encoder) {
  const int status = encoder ? llama_encode(context, batch) : llama_decode(context, batch);
  if (status != 0) fail("computing failed");
}

double embed(const Options& options) {
  Session session = open_session(options, options.ubatch, true);
  const bool encoder = true;
  const int per_batch = std::max(1, options.ubatch / options.second);
  llama_batch batch = llama_batch_init(per_batch * options.second, 0, 1);
  Clock::time_point start;
  for (int round = 0; round < 2; ++round) {  // the first warms up
    start = Clock::now();
    const int chunks = round == 0 ? per_batch : options.first;
    for (int chunk = 0; chunk < chunks; chunk += per_batch) {
      batch.n_tokens = 0;
      for (int sequence = 0; sequence < per_batch && chunk + sequence < chunks; ++sequence) {
        for (int i = 0; i < options.second; ++i) {
          add(batch, some_token(i + chunk), i, sequence, true);
        }
      }
      compute(session.context.get(), batch, encoder);
      if (llama_get_embeddings_seq(session.context.get(), 0) == nullptr) fail("no vectors");
    }
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  llama_batch_free(batch);
  return seconds;
}

void run_prompt(llama_context* context, llama_batch& batch, int tokens) {
  llama_memory_clear(llama_get_memory(context), true);
  batch.n_tokens = 0;
  for (int i = 0; i < tokens; ++i) add(batch, some_token(i), i, 0, i + 1 == tokens);
  compute(context, batch, false);
  llama_synchronize(context);
}

double prefill(const Options& options) {
  Session session = open_session(options, options.first, false);
  llama_batch batch = llama_batch_init(options.first, 0, 1);
  run_prompt(session.context.get(), batch, std::min(options.first, 64));
  const Clock::time_point start = Clock::now();
  run_prompt(session.context.get(), batch, options.first);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  llama_batch_free(batch);
  return seconds;
}

double decode(const Options& options) {
  const int depth = std::max(1, options.first);
  Session session = open_session(options, depth + options.second + 8, false);
  llama_batch batch = llama_batch_init(depth, 0, 1);
  run_prompt(session.context.get(), batch, depth);
  Clock::time_point start;
  for (int i = -2; i < options.second; ++i) {  // two steps to warm up
    if (i == 0) start = Clock::now();
    batch.n_tokens = 0;
    add(batch, some_token(i + 3), depth + 2 + i, 0, true);
    compute(session.context.get(), batch, false);
    llama_synchronize(session.context.get());
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  llama_batch_free(batch);
  return seconds;
}

/// The sequences begin with the same prompt, computed once, and go on with tokens of their own.
double batch_decode(const Options& options) {
  const int context = options.first + options.sequences * (options.second + 4);
  Session session = open_session(options, context, false, options.sequences);
  llama_batch batch = llama_batch_init(std::max(options.first, options.sequences), 0, 1);
  run_prompt(session.context.get(), batch, options.first);
  for (int sequence = 1; sequence < options.sequences; ++sequence) {
    llama_memory_seq_cp(llama_get_memory(session.context.get()), 0, sequence, -1, -1);
  }
  Clock::time_point start;
  for (int i = -2; i < options.second; ++i) {  // two steps to warm up
    if (i == 0) start = Clock::now();
    batch.n_tokens = 0;
    for (int sequence = 0; sequence < options.sequences; ++sequence) {
      add(batch, some_token(17 * sequence + i + 3), options.first + 2 + i, sequence, true);
    }
    compute(session.context.get(), batch, false);
    llama_synchronize(session.context.get());
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  llama_batch_free(batch);
  return seconds;
}

/// What a command that answers one text does.
void one_text(const Options& options, bool embeddings) {
  Session session = open_session(options, 512, embeddings);
  const llama_vocab* vocabulary = llama_model_get_vocab(session.model.get());
  std::vector<llama_token> ids(512);
  const int count =
      llama_tokenize(vocabulary, options.text.c_str(), static_cast<int>(options.text.size()),
                     ids.data(), static_cast<int>(ids.size()), true, false);
  if (count <= 0) fail("cannot tokenize the text");
  llama_batch batch = llama_batch_init(count, 0, 1);
  batch.n_tokens = 0;
  for (int i = 0; i < count; ++i) {
    add(batch, ids[static_cast<std::size_t>(i)], i, 0, embeddings || i + 1 == count);
  }
  compute(session.context.get(), batch, embeddings);
  llama_synchronize(session.context.get());
  const float* result = embeddings ? llama_get_embeddings_seq(session.context.get(), 0)
                                   : llama_get_logits_ith(session.context.get(), -1);
  if (result == nullptr) fail("no result");
  llama_batch_free(batch);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 7) fail("usage: peer_bench MODE MODEL THREADS FLASH UBATCH N|TEXT [N] [N]");
  const Options options{arguments[1],
                        arguments[2],
                        std::atoi(arguments[3]),
                        std::atoi(arguments[4]) != 0,
                        std::atoi(arguments[5]),
                        std::atoi(arguments[6]),
                        count > 7 ? std::atoi(arguments[7]) : 0,
                        count > 8 ? std::atoi(arguments[8]) : 1,
                        arguments[6]};
  llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
  llama_backend_init();
  double seconds = 0;
  long tokens = 0;
  if (options.mode == "embed") {
    seconds = embed(options);
    tokens = static_cast<long>(options.first) * options.second;
  } else if (options.mode == "prefill") {
    seconds = prefill(options);
    tokens = options.first;
  } else if (options.mode == "decode") {
    seconds = decode(options);
    tokens = options.second;
  } else if (options.mode == "batch") {
    seconds = batch_decode(options);
    tokens = static_cast<long>(options.second) * options.sequences;
  } else if (options.mode == "vector" || options.mode == "token") {
    one_text(options, options.mode == "vector");
  } else {
    fail("unknown mode");
  }
  std::printf("{\"seconds\": %.6f, \"tokens\": %ld}\n", seconds, tokens);
  llama_backend_free();
  return 0;
}
