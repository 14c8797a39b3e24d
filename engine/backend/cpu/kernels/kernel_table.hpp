// What a set of kernels for one instruction set offers to the CPU backend.
//
// The numerics that every table keeps, so that results do not depend on batching or threads:
//
//  * An output element is computed by one fixed sequence of operations over k, whatever tile, tail
//    or thread computes it, in both regimes of a table alike.
//  * Quantized weights meet activations quantized to 8 bits, symmetric, round to nearest even, with
//    one float scale t = max|x| / 127 (NaN where a value is not finite) for a span of one or more
//    groups of 32 values. Products of weight codes and activations are summed in int32, exactly,
//    over each group that shares a weight scale s, with offsets of symmetric types (Q8_0, Q4_0,
//    Q5_0, Q6_K, Q3_K) removed in the integers. A span adds, with c = 1.25 * 2^23,
//      partial = -c * (the sum of its s, one after another)
//      partial = fma(c + dot, s, partial)                 for each s of a group; c + dot is exact
//      partial = fma(m, sum of the activations, partial)  then for each minimum m of the group
//                                                         (Q4_1, Q5_1, Q4_K, Q5_K, Q2_K)
//      acc = fma(partial, t, acc)
//    group after group and span after span in the order of k, then the bias. While a span is summed
//    partial is rounded to about one unit of the integer products, a tenth of what rounding the
//    activations to 8 bits does. So all tables give the same bits, except those of machines without
//    fused multiply-add (sse41, KernelTable::fused): there each fma is a product and a sum, rounded
//    apart, and those tables give the same bits among themselves.
//  * F32 weights are multiplied in float32. F16 and BF16 weights are multiplied in float32, or as
//    bf16 pairs in tables whose `activation_for` says so.
//
// An instruction-set unit includes this header, intrinsics and block layouts, nothing else: so this
// header includes fixed-width types only and declares no inline functions with linkage.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lore::engine::cpu {

/// Output rows of a weight matrix that are stored interleaved and computed together.
inline constexpr std::size_t kPanelRows = 16;
/// Values of an activation row that meet one scale, or two, of the weights.
inline constexpr std::size_t kActivationGroup = 32;
/// Groups of a row of `many` that share a scale, at most: Activations::span.
inline constexpr std::size_t kMostSpan = 4;
/// Keys that attention merges at a time; blocks start at multiples of it from position 0.
inline constexpr std::size_t kKeyBlock = 64;

/// A weight matrix [n, k] (n outputs, k inputs) rearranged into panels of 16 rows; rows past n are
/// zero. `type` is a GGUF type number (tensor/dtype.hpp). The bytes inside a panel are private to
/// the kernels folder (pack.hpp); they take what the file takes, up to the padding of the last
/// panel.
struct PackedMatrix {
  const std::uint8_t* data = nullptr;  // [panels, panel_bytes], 64-byte aligned
  std::uint32_t type = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  std::size_t panels = 0;  // ceil(n / 16)
  std::size_t panel_bytes = 0;
};

/// How activations are prepared for a product.
enum class ActivationFormat : std::uint8_t { f32, bf16, q8 };

/// `rows` prepared activation rows of `k` values, row-major. Which arrays are set depends on the
/// format.
struct Activations {
  ActivationFormat format = ActivationFormat::f32;
  std::size_t rows = 0;
  std::size_t k = 0;
  const float* f32 = nullptr;     // [rows, f32_stride]
  std::size_t f32_stride = 0;     // in floats
  std::uint16_t* bf16 = nullptr;  // [rows, k rounded up to 32, zero padded]
  std::int8_t* q8 = nullptr;      // [rows, k]
  std::size_t span = 1;           // groups of 32 that share a scale, from the row's beginning on
  float* scales = nullptr;        // [rows, k / 32]: equal within a span
  std::int32_t* sums = nullptr;   // [rows, k / 16], sum of the 16 int8 values
};

/// Which product a call computes. Prompt and embedding tokens are `many` even for one row,
/// generated tokens `few` even for sixteen (design, "two regimes").
enum class Regime : std::uint8_t { many, few };

/// One product: out[r, p] = bias[p] + sum_k activation[r, k] * weight[p, k] for the rows
/// [row_begin, row_end) and the panels [panel_begin, panel_end).
struct MatmulTask {
  const PackedMatrix* weights = nullptr;
  const Activations* activations = nullptr;
  const float* bias = nullptr;  // [n] or null
  float* out = nullptr;         // [rows, out_stride], float32; only columns below n are written
  std::size_t out_stride = 0;   // in floats
  std::size_t row_begin = 0, row_end = 0;
  std::size_t panel_begin = 0, panel_end = 0;
  std::uint8_t* scratch = nullptr;  // matmul_scratch_bytes(k) bytes, 64-byte aligned, one a thread
};

/// How keys and values are stored.
enum class CacheFormat : std::uint8_t { f32, f16, q8_0 };

/// One step of attention: `rows` queries of one head against `keys` consecutive keys of its
/// key-value head, at most kKeyBlock. Keeps the running maximum and sum of softmax (Milakov and
/// Gimelshein 2018; Dao et al. 2022) and adds into `accumulator`. A query's result does not depend
/// on the other rows. Rows whose range of visible keys is empty are left as they are.
struct AttentionBlock {
  const float* queries = nullptr;  // [rows, query_stride], already scaled
  std::size_t query_stride = 0;    // in floats
  std::size_t rows = 0;
  const void* keys = nullptr;  // [key_count, head_dim] in `format`, rows key_stride bytes apart
  std::size_t key_stride = 0;
  const void* values = nullptr;  // [key_count, head_dim], rows value_stride bytes apart
  std::size_t value_stride = 0;
  std::size_t key_count = 0;
  std::size_t head_dim = 0;
  CacheFormat format = CacheFormat::f32;
  const std::int32_t* visible_begin = nullptr;  // [rows], index into this block's keys
  const std::int32_t* visible_end = nullptr;    // [rows]
  float* accumulator = nullptr;                 // [rows, head_dim], float32, starts at 0
  float* maximum = nullptr;                     // [rows], starts at -infinity
  float* sum = nullptr;                         // [rows], starts at 0
  float softcap = 0;                            // scores become c * tanh(score / c) where c > 0
  float* scratch = nullptr;                     // attention_scratch_floats(head_dim) floats
  const void* next_keys = nullptr;              // a whole block to be asked for, or null
  const void* next_values = nullptr;
};

/// Functions of one instruction set. All are reentrant and keep no state. Row functions take
/// unaligned pointers; `out` may equal the input where the shapes agree.
struct KernelTable {
  const char* name;
  bool fused;  // quantized products add in one rounding, like the scalar table's (see above)

  ActivationFormat (*activation_for)(std::uint32_t weight_type);
  void (*quantize_q8)(const float* x, std::size_t k, std::size_t span, std::int8_t* q8,
                      float* scales, std::int32_t* sums);                   // k a multiple of 32
  void (*convert_bf16)(const float* x, std::size_t k, std::uint16_t* out);  // pads to 32 with 0

  std::size_t (*matmul_scratch_bytes)(std::size_t k);
  void (*matmul_many)(const MatmulTask& task);
  void (*matmul_few)(const MatmulTask& task);

  std::size_t (*attention_scratch_floats)(std::size_t head_dim);
  void (*attention_block)(const AttentionBlock& block);

  // Conversions between float32 and stored keys, values and rows.
  void (*f32_to_f16)(const float* x, std::size_t n, std::uint16_t* out);
  void (*f16_to_f32)(const std::uint16_t* x, std::size_t n, float* out);
  void (*f32_to_q8_0)(const float* x, std::size_t n, void* out);  // GGUF blocks; n % 32 == 0

  // Element-wise and row-wise, over n floats.
  void (*rms_norm)(const float* x, const float* weight, float epsilon, std::size_t n, float* out);
  void (*layer_norm)(const float* x, const float* weight, const float* bias, float epsilon,
                     std::size_t n, float* out);
  void (*add)(const float* a, const float* b, std::size_t n, float* out);
  void (*multiply)(const float* a, const float* b, std::size_t n, float* out);
  void (*scale)(const float* x, float factor, std::size_t n, float* out);
  void (*gelu_erf)(const float* x, std::size_t n, float* out);  // exact: x * Phi(x)
  void (*gelu_tanh)(const float* x, std::size_t n, float* out);
  void (*silu)(const float* x, std::size_t n, float* out);
  void (*silu_multiply)(const float* gate, const float* up, std::size_t n, float* out);
  void (*gelu_tanh_multiply)(const float* gate, const float* up, std::size_t n, float* out);
  /// Rotates one head. cos_sin: [rotary_dim / 2] pairs (cos, sin). `interleaved` pairs (2i, 2i+1)
  /// (RoFormer, Llama's GGUF), else (i, i + rotary_dim / 2) (NeoX, Qwen, Gemma).
  void (*rope)(float* head, const float* cos_sin, std::size_t rotary_dim, bool interleaved);
  float (*dot)(const float* a, const float* b, std::size_t n);

  // The most that the instructions of the products can do, for measurements. `count_` functions run
  // `rounds` rounds (at most kMostLimitRounds) of products of ones, from registers, and return the
  // operations that their sums have counted, a product and a sum being two. count_bf16 is null
  // where no instruction multiplies bfloat16.
  double (*count_int8)(std::size_t rounds);
  double (*count_bf16)(std::size_t rounds);
  double (*count_f32)(std::size_t rounds);
  /// Reads `lines` lines of 64 bytes, at least one; returns their 64-bit words, joined by OR.
  std::uint64_t (*read_lines)(const std::uint8_t* data, std::size_t lines);
};

/// Sums of float32 count exactly so far: a round adds at most 32 to one.
inline constexpr std::size_t kMostLimitRounds = std::size_t{1} << 19;

/// The table in plain C++; the others are select.hpp's to hand out.
const KernelTable& scalar_table();

}  // namespace lore::engine::cpu
