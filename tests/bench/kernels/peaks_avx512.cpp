#include <immintrin.h>

#include "tests/bench/kernels/peaks.hpp"

namespace lore::bench {
namespace {

constexpr std::size_t kChains = 12;  // more than latency times rate of any of the instructions

// Keeps the compiler from seeing that the result is not used.
template <typename T>
void keep(T& value) {
  asm volatile("" : "+v"(value));
}

}  // namespace

double run_int8_dots(std::size_t iterations) {
  __m512i sums[kChains] = {};
  __m512i a = _mm512_set1_epi8(3);
  for (std::size_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 12
    for (auto& sum : sums) {
      asm volatile("vpdpbusd %1, %1, %0" : "+v"(sum) : "v"(a));
    }
  }
  for (auto& sum : sums) keep(sum);
  return static_cast<double>(iterations) * kChains * 128;
}

double run_bf16_dots(std::size_t iterations) {
  __m512 sums[kChains] = {};
  __m512i a = _mm512_set1_epi8(0);
  for (std::size_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 12
    for (auto& sum : sums) {
      asm volatile("vdpbf16ps %1, %1, %0" : "+v"(sum) : "v"(a));
    }
  }
  for (auto& sum : sums) keep(sum);
  return static_cast<double>(iterations) * kChains * 64;
}

double run_f32_fmas(std::size_t iterations) {
  __m512 sums[kChains] = {};
  __m512 a = _mm512_setzero_ps();
  for (std::size_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 12
    for (auto& sum : sums) {
      asm volatile("vfmadd231ps %1, %1, %0" : "+v"(sum) : "v"(a));
    }
  }
  for (auto& sum : sums) keep(sum);
  return static_cast<double>(iterations) * kChains * 32;
}

std::uint64_t read_memory(const std::uint8_t* data, std::size_t bytes) {
  __m512i sums[8] = {};
  for (std::size_t i = 0; i < bytes; i += 512) {
    for (std::size_t j = 0; j < 8; ++j) {
      sums[j] = _mm512_xor_si512(sums[j], _mm512_load_si512(data + i + j * 64));
    }
    _mm_prefetch(reinterpret_cast<const char*>(data + i + 4096), _MM_HINT_T0);
    _mm_prefetch(reinterpret_cast<const char*>(data + i + 4096 + 256), _MM_HINT_T0);
  }
  __m512i all = sums[0];
  for (std::size_t j = 1; j < 8; ++j) all = _mm512_xor_si512(all, sums[j]);
  return static_cast<std::uint64_t>(_mm512_reduce_or_epi64(all));
}

}  // namespace lore::bench
