#include "engine/backend/cpu/kernels/select.hpp"

#include "engine/backend/cpu/kernels/common/type_numbers.hpp"
#include "engine/tensor/dtype.hpp"

namespace lore::engine::cpu {
namespace {

constexpr bool same(std::uint32_t number, DType type) {
  return number == static_cast<std::uint32_t>(type);
}
static_assert(same(kTypeF32, DType::f32) && same(kTypeF16, DType::f16) &&
              same(kTypeBF16, DType::bf16) && same(kTypeQ4_0, DType::q4_0) &&
              same(kTypeQ4_1, DType::q4_1) && same(kTypeQ5_0, DType::q5_0) &&
              same(kTypeQ5_1, DType::q5_1) && same(kTypeQ8_0, DType::q8_0) &&
              same(kTypeQ2_K, DType::q2_k) && same(kTypeQ3_K, DType::q3_k) &&
              same(kTypeQ4_K, DType::q4_k) && same(kTypeQ5_K, DType::q5_k) &&
              same(kTypeQ6_K, DType::q6_k));

}  // namespace

const KernelTable& select_kernels(const simd::CpuFeatures& features, std::string_view name) {
  switch (simd::choose_level(features, name)) {
    case simd::Level::scalar:
    case simd::Level::avx2:
    case simd::Level::avx512:
    case simd::Level::amx:
      break;
  }
  return scalar_table();
}

std::vector<const KernelTable*> all_tables(const simd::CpuFeatures&) { return {&scalar_table()}; }

}  // namespace lore::engine::cpu
