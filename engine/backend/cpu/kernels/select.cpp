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

// One table of each set of units (CMakeLists.txt).
#define LORE_DECLARE_TABLE(isa) \
  namespace isa {               \
  const KernelTable& table();   \
  }
LORE_DECLARE_TABLE(scalar)
#if defined(__x86_64__)
LORE_DECLARE_TABLE(sse41)
LORE_DECLARE_TABLE(avx2)
LORE_DECLARE_TABLE(avx2_vnni)
LORE_DECLARE_TABLE(avx512)
LORE_DECLARE_TABLE(avx512_vnni)
LORE_DECLARE_TABLE(avx512_bf16)
LORE_DECLARE_TABLE(amx)
LORE_DECLARE_TABLE(amx_emulated)
#elif defined(__aarch64__)
LORE_DECLARE_TABLE(neon)
LORE_DECLARE_TABLE(neon_dotprod)
LORE_DECLARE_TABLE(neon_i8mm)
#endif
#undef LORE_DECLARE_TABLE

const KernelTable& scalar_table() { return scalar::table(); }

#if defined(__x86_64__)

namespace {

const KernelTable& widest_avx512(const simd::CpuFeatures& features) {
  if (!features.avx512_vnni) return avx512::table();
  return features.avx512_bf16 ? avx512_bf16::table() : avx512_vnni::table();
}

}  // namespace

const KernelTable& select_kernels(const simd::CpuFeatures& features, std::string_view name) {
  switch (simd::choose_level(features, name)) {
    case simd::Level::amx:
      return amx::table();
    case simd::Level::avx512:
      return widest_avx512(features);
    case simd::Level::avxvnni:
      return avx2_vnni::table();
    case simd::Level::avx2:
      return avx2::table();
    case simd::Level::sse41:
      return sse41::table();
    case simd::Level::neon:
    case simd::Level::scalar:
      break;
  }
  return scalar_table();
}

std::vector<const KernelTable*> all_tables(const simd::CpuFeatures& features) {
  std::vector<const KernelTable*> tables = {&scalar_table(), &amx_emulated::table()};
  if (features.sse41) tables.push_back(&sse41::table());
  if (features.avx2) tables.push_back(&avx2::table());
  if (features.avx_vnni) tables.push_back(&avx2_vnni::table());
  if (features.avx512) tables.push_back(&avx512::table());
  if (features.avx512_vnni) tables.push_back(&avx512_vnni::table());
  if (features.avx512_vnni && features.avx512_bf16) tables.push_back(&avx512_bf16::table());
  if (features.amx) tables.push_back(&amx::table());
  return tables;
}

#else

const KernelTable& select_kernels(const simd::CpuFeatures& features, std::string_view name) {
  const simd::Level level = simd::choose_level(features, name);
#if defined(__aarch64__)
  if (level == simd::Level::neon) {
    if (features.neon_i8mm) return neon_i8mm::table();
    return features.neon_dotprod ? neon_dotprod::table() : neon::table();
  }
#endif
  (void)level;  // scalar
  return scalar_table();
}

std::vector<const KernelTable*> all_tables(const simd::CpuFeatures& features) {
  std::vector<const KernelTable*> tables = {&scalar_table()};
#if defined(__aarch64__)
  if (features.neon) tables.push_back(&neon::table());
  if (features.neon_dotprod) tables.push_back(&neon_dotprod::table());
  if (features.neon_i8mm) tables.push_back(&neon_i8mm::table());
#endif
  return tables;
}

#endif

}  // namespace lore::engine::cpu
