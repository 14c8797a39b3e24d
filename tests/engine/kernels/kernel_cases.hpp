// Tables, matrices and prepared activations for the kernel tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/simd/cpu_features.hpp"
#include "engine/backend/cpu/kernels/kernel_table.hpp"
#include "engine/tensor/dtype.hpp"

namespace lore::engine::cpu {

/// Every table that this machine can run, the scalar one first.
std::vector<const KernelTable*> runnable_tables();

/// The scalar table that gives the bits of `table` for quantized products.
const KernelTable& scalar_like(const KernelTable& table);

const std::vector<DType>& all_types();
bool is_quantized(DType type);

/// Memory that begins `offset` bytes after a 64-byte border.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t size, std::size_t offset = 0);
  std::uint8_t* data() { return data_; }
  const std::uint8_t* data() const { return data_; }
  float* floats() { return reinterpret_cast<float*>(data_); }

 private:
  std::vector<std::uint8_t> storage_;
  std::uint8_t* data_;
};

/// A random weight matrix [n, k] as a GGUF file has it, the same packed, and its exact values.
struct Weights {
  Weights(DType type, std::size_t n, std::size_t k, unsigned seed);
  Weights(const Weights&) = delete;
  Weights& operator=(const Weights&) = delete;
  /// Packs and dequantizes `rows` again.
  void update();

  DType type;
  std::size_t n;
  std::size_t k;
  std::vector<std::byte> rows;
  AlignedBytes packed_bytes;
  PackedMatrix packed;
  std::vector<float> values;  // [n, k], by dequantize_row
};

/// `rows` activations prepared as a table wants them for a type; int8 values with one scale for
/// `span` groups of 32.
struct Prepared {
  Prepared(const KernelTable& table, DType type, const std::vector<float>& x, std::size_t rows,
           std::size_t k, std::size_t span = 1);
  Activations view;
  std::vector<float> used;  // [rows, k]: what the products see, after rounding

 private:
  std::vector<float> f32_;
  std::vector<std::uint16_t> bf16_;
  std::vector<std::int8_t> q8_;
  std::vector<float> scales_;
  std::vector<std::int32_t> sums_;
};

/// Rounds values as a table does that multiplies pairs of bfloat16.
void round_to_bf16(std::vector<float>& values);

/// Sets every byte of codes to `pattern` (scales stay), packs again and updates `values`.
void fill_codes(Weights& weights, std::uint8_t pattern);

/// Random row-major floats with now and then a large one, as activations have.
std::vector<float> random_floats(std::size_t count, unsigned seed);

/// Runs the whole product in one call; out [rows, n].
std::vector<float> multiply(const KernelTable& table, Regime regime, const Weights& weights,
                            const Prepared& activations, const float* bias);

/// Names a test parameter: "avx2_Q4_K".
std::string table_name(const KernelTable& table);

}  // namespace lore::engine::cpu
