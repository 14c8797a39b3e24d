// What runs programs: prepares the weights of a model for a machine and computes batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/function_ref.hpp"
#include "base/thread_pool.hpp"
#include "engine/backend/work.hpp"
#include "engine/cache/kv_cache.hpp"
#include "engine/gguf/gguf_file.hpp"
#include "engine/graph/program.hpp"

namespace lore::engine {

/// What a token is decides how its products are computed (design, "two regimes"): tokens of a
/// prompt or of a text to embed, or tokens that the model has generated.
enum class TokenKind : std::uint8_t { prompt, generated };

/// Tokens of a prompt that are computed together at most; a longer one goes piece by piece.
inline constexpr std::size_t kPromptPiece = 512;

/// Consecutive rows of a batch that belong to one sequence.
struct SequenceRows {
  std::size_t begin = 0;           // first row
  std::size_t count = 0;           // rows, at least 1
  std::size_t first_position = 0;  // position of the first row in its sequence
  KvCache* cache = nullptr;        // keys and values before first_position; gets those of the rows
};

/// Sequences laid end to end, without padding.
struct Batch {
  TokenKind kind = TokenKind::prompt;
  std::span<const std::int32_t> tokens;  // [rows], each below the vocabulary's size
  /// In order, covering all rows. A sequence without a cache starts at position 0.
  std::span<const SequenceRows> sequences;
  std::span<const std::uint32_t> selected;  // rows whose output is wanted
  float* hidden = nullptr;                  // [selected, hidden_size], float32, or null
  float* logits = nullptr;                  // [selected, vocabulary], float32, or null
};

/// The memory of one computation at a time over a model's weights.
///
/// Thread safety: one thread at a time.
class Session {
 public:
  virtual ~Session() = default;

  /// Computes one batch with all threads of the pool together.
  virtual void run(const Batch& batch) = 0;

  /// Computes sequences that need no cache, as many at a time as suits the machine, and hands over
  /// the rows of each after the final norm: [its tokens, hidden_size], float32. `rows` is called
  /// from several threads at once, once a sequence.
  virtual void run_all(std::span<const std::span<const std::int32_t>> sequences,
                       std::size_t batch_tokens,
                       FunctionRef<void(std::size_t sequence, std::span<const float>)> rows) = 0;

  /// From here on the times of all steps are recorded, anew with each call.
  virtual void record() = 0;
  /// What took time since then, most first.
  virtual std::vector<OperationTime> recorded() const = 0;
};

/// A program with its weights, ready to run.
///
/// Thread safety: immutable; sessions may run at the same time.
class Executable {
 public:
  virtual ~Executable() = default;
  virtual const graph::Program& program() const = 0;
  virtual std::unique_ptr<Session> create_session(ThreadPool& pool) const = 0;
  /// What a batch has to compute and read. Caches need no room for it.
  virtual Work work(const Batch& batch) const = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  /// The instruction set in use.
  virtual std::string_view name() const = 0;
  /// See graph::PreparedRowBytes.
  virtual std::size_t prepared_row_bytes(std::size_t width,
                                         std::span<const DType> readers) const = 0;
  /// Rearranges the weights, in parallel, and lets go of the file's pages that were copied. `file`
  /// must outlive the result: tables are read from it.
  virtual std::unique_ptr<const Executable> prepare(graph::Program program,
                                                    const gguf::GgufFile& file,
                                                    ThreadPool& pool) const = 0;
  /// Measures for about a second. Throws Error{limit_exceeded}.
  virtual MachineLimits measure_limits(ThreadPool& pool) const = 0;
};

/// The backend for this processor, with the kernel table `kernels` ("auto" takes the widest).
/// Throws Error{invalid_argument, unsupported}.
std::unique_ptr<const Backend> create_cpu_backend(std::string_view kernels);

}  // namespace lore::engine
