// The engine's door: models, embedding, generation. Nobody outside engine/ includes anything else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_pool.hpp"
#include "engine/backend/work.hpp"
#include "engine/sample/sampler.hpp"
#include "engine/tokenizer/chat_template.hpp"
#include "engine/tokenizer/tokenizer.hpp"

namespace lore::engine {

enum class Pooling { none, mean, cls, last };
enum class InputType { none, query, passage };
enum class CacheType { f32, f16, q8_0 };

/// "mean" … and back. parse throws Error{invalid_argument} that lists the choices.
std::string_view pooling_name(Pooling pooling) noexcept;
Pooling parse_pooling(std::string_view name);

struct ModelOptions {
  std::string kernels = "auto";  ///< auto, scalar, sse41, avx2, avxvnni, avx512, amx, neon
};

/// What a model file says of itself.
struct ModelInfo {
  std::filesystem::path path;
  std::string architecture;  ///< "bert", "llama", "qwen2", "gemma3"
  std::string name;
  std::string quantization;  ///< the type of most weight bytes, "Q4_K"
  std::vector<std::pair<std::string, std::size_t>> tensor_types;  ///< type name, number of tensors
  std::uint64_t file_bytes = 0;
  std::uint64_t parameters = 0;
  std::size_t layers = 0;
  std::size_t hidden_size = 0;  ///< values a token
  std::size_t context = 0;      ///< tokens at most
  std::size_t vocabulary = 0;
  bool generates = false;  ///< a decoder with an output layer
  bool causal = false;
  Pooling default_pooling = Pooling::mean;
  std::string query_prefix;  ///< put before a query of this family, "" for none
  std::string passage_prefix;
  std::string kernels;  ///< the kernel table in use
  bool has_chat_template = false;
};

/// A loaded model: weights packed for this machine, its graph, its tokenizer.
///
/// Thread safety: immutable; any number of embedders and generators may share it, each with calls
/// of its own.
class Model {
 public:
  virtual ~Model() = default;
  /// Throws Error{not_found, corrupt, unsupported, io} that names the file and the key or tensor.
  static std::shared_ptr<const Model> load(const std::filesystem::path& path, ThreadPool& pool,
                                           const ModelOptions& options = {});
  virtual const ModelInfo& info() const = 0;
  virtual const Tokenizer& tokenizer() const = 0;
  /// Null where the file carries none. Throws Error{unsupported} where it cannot be understood.
  virtual const ChatTemplate* chat_template() const = 0;
  /// SHA-256 of the file (of all parts in order, for a split one), in hexadecimal; read once.
  virtual std::string sha256() const = 0;
};

struct EmbedderOptions {
  std::optional<Pooling> pooling;   ///< the model's own where empty
  bool normalize = true;            ///< to length 1 (after a cut to `dimensions`)
  std::size_t dimensions = 0;       ///< keep the first so many (Matryoshka); 0 keeps all
  std::size_t batch_tokens = 2048;  ///< tokens computed together at most (a longer text: alone)
};

/// Vectors of token sequences. Results do not depend on how sequences are batched or ordered, nor
/// on the number of threads, bit for bit.
///
/// Thread safety: one thread at a time.
class Embedder {
 public:
  virtual ~Embedder() = default;
  /// Throws Error{invalid_argument} where the options do not fit the model.
  static std::unique_ptr<Embedder> create(std::shared_ptr<const Model> model, ThreadPool& pool,
                                          const EmbedderOptions& options = {});

  virtual std::size_t dimension() const = 0;
  virtual std::size_t max_tokens() const = 0;  ///< special tokens included
  virtual Pooling pooling() const = 0;

  /// The ids of prefix + text with the tokens that the model adds. Special-token text in it is
  /// plain text unless `parse_special`. Not cut.
  virtual std::vector<TokenId> encode(std::string_view text, InputType type,
                                      bool parse_special = false) const = 0;
  /// Cuts to `limit` tokens (max_tokens() where 0), keeping the added ones at both ends.
  virtual std::vector<TokenId> truncate(std::vector<TokenId> ids, std::size_t limit = 0) const = 0;

  /// One vector a sequence (or, with Pooling::none, one a token, sequence after sequence).
  /// `out`: [sequences or tokens, dimension()], row-major, float32. Throws Error{limit_exceeded}
  /// for a sequence over max_tokens(), Error{invalid_argument} for an empty one, Error{corrupt}
  /// where a vector holds what is no finite number: only a damaged model computes one.
  virtual void embed(std::span<const std::vector<TokenId>> sequences, std::span<float> out) = 0;
};

/// Scales to length 1; a zero vector stays as it is.
void normalize(std::span<float> vector);

struct GeneratorOptions {
  std::size_t context = 0;  ///< tokens of prompt and answer at most; 0: min(model's, 4096)
  CacheType cache_type = CacheType::f16;
  std::size_t sequences = 1;  ///< requests that are computed together at most
};

/// Why a generation ended.
enum class Finish { stop, length, stop_string, cancelled };

struct GeneratedToken {
  TokenId id;
  float logprob = 0;              ///< of the model's own distribution
  std::vector<TokenLogprob> top;  ///< as many as asked for
};

struct GenerationRequest {
  std::vector<TokenId> prompt;  ///< not empty
  std::size_t max_tokens = 256;
  SamplingOptions sampling;
  std::vector<std::string> stop;  ///< the text ends before the first of these
  std::size_t logprobs = 0;       ///< how many alternatives to report a token
  bool want_logprobs = false;
  bool ignore_end = false;  ///< go on past end-of-generation tokens
  /// Guess tokens that stand in the context already, and verify several at once where this is the
  /// only request in hand: the same tokens, sooner where an answer quotes.
  bool lookup = true;
  /// Called with each token that belongs to the text, before the piece that it completes.
  std::function<void(const GeneratedToken&)> on_token;
  /// Called with the next piece of the text as soon as it is certain (whole UTF-8, no part of a
  /// stop string). False cancels.
  std::function<bool(std::string_view)> on_text;
  /// Asked between the pieces of a long prompt and between tokens. False cancels.
  std::function<bool()> keep_going;
  /// Changes the logits before sampling (-infinity forbids a token); one for each token of the
  /// tokenizer. `text`: what was generated so far, to the last byte: it may end inside a character.
  std::function<void(std::string_view text, std::span<float> logits)> filter;
};

struct GenerationResult {
  std::string text;
  std::vector<GeneratedToken> tokens;
  Finish finish = Finish::stop;
  std::size_t prompt_tokens = 0;
  std::size_t reused_tokens = 0;  ///< of the prompt, found in the cache
  double prompt_ms = 0;
  double decode_ms = 0;
};

/// Continues token sequences. Keeps the caches of the last ones, so a prompt that shares a prefix
/// with one of them is not computed again; results are the same bits either way, and the same for a
/// request alone and among others.
///
/// Thread safety: any number of threads may call generate at the same time. As many requests as
/// GeneratorOptions::sequences says are computed together, one token each a pass over the weights;
/// the others wait. The callbacks of a request are called by the thread that made it.
class Generator {
 public:
  virtual ~Generator() = default;
  /// Throws Error{invalid_argument} where the model cannot generate or the context is over its own.
  static std::unique_ptr<Generator> create(std::shared_ptr<const Model> model, ThreadPool& pool,
                                           const GeneratorOptions& options = {});
  virtual std::size_t context() const = 0;
  /// Throws Error{limit_exceeded} where prompt and max_tokens do not fit into the context
  /// (max_tokens is lowered to what fits as long as the prompt leaves room for one token).
  virtual GenerationResult generate(const GenerationRequest& request) = 0;
  /// Logits after each token of `prompt`: [prompt.size(), vocabulary], row-major, float32. For
  /// measurements; starts from an empty cache.
  virtual std::vector<float> logits(std::span<const TokenId> prompt) = 0;
};

// ---- Measuring (backend/work.hpp has the values) ------------------------------------------------

/// What instructions and memory give at most to all threads of the pool. `kernels`: as in
/// ModelOptions. Takes about a second. Throws Error{invalid_argument, unsupported, limit_exceeded}.
MachineLimits measure_limits(ThreadPool& pool, std::string_view kernels);

/// What `texts` texts of `tokens` tokens each have to compute and read to be embedded together.
Work embedding_work(const Model& model, std::size_t texts, std::size_t tokens);
/// The same of a prompt. The model must generate.
Work prompt_work(const Model& model, std::size_t tokens);
/// The same of `tokens` tokens that are generated one by one after `depth` others.
Work decode_work(const Model& model, std::size_t depth, std::size_t tokens);

/// Where the time of a computation goes.
struct PhaseTimes {
  double seconds = 0;                     ///< as a clock on the wall measures
  std::vector<OperationTime> operations;  ///< most time first; the rest of `seconds` is waking and
                                          ///< joining threads
};

/// Embeds texts as an Embedder does, but for pooling.
PhaseTimes time_embedding(const Model& model, ThreadPool& pool,
                          std::span<const std::vector<TokenId>> texts);

struct GenerationTimes {
  PhaseTimes prompt;
  PhaseTimes decode;
};

/// Computes a prompt, not empty, and `generated` tokens after it one by one, as a Generator does,
/// but for choosing them. The model must generate.
GenerationTimes time_generation(const Model& model, ThreadPool& pool,
                                std::span<const TokenId> prompt, std::size_t generated);

/// Turns a folder of BERT-family safetensors into a GGUF file. `type`: "f32", "f16" or "q8_0".
/// Throws Error{not_found, corrupt, unsupported, io}.
void convert_safetensors(const std::filesystem::path& folder, const std::filesystem::path& out,
                         std::string_view type);

}  // namespace lore::engine
