#include "engine/quant/fields.hpp"

#include <cstring>

namespace lore::engine {
namespace {

template <typename Block>
Block load(const std::byte* bytes) noexcept {
  Block block;
  std::memcpy(&block, bytes, sizeof(block));
  return block;
}

constexpr std::uint8_t low_half(std::uint8_t byte) { return byte & 15U; }
constexpr std::uint8_t high_half(std::uint8_t byte) { return static_cast<std::uint8_t>(byte >> 4); }

/// `count` bytes whose low halves are the first `count` codes and high halves the next.
void unpack_halves(const std::uint8_t* bytes, std::size_t count, std::uint8_t* codes) {
  for (std::size_t i = 0; i < count; ++i) codes[i] = low_half(bytes[i]);
  for (std::size_t i = 0; i < count; ++i) codes[count + i] = high_half(bytes[i]);
}

/// Adds bit i of a 32-bit word to code i, as its fifth bit.
void add_fifth_bits(const std::uint8_t* word, std::uint8_t* codes) {
  for (std::size_t i = 0; i < 32; ++i) {
    const unsigned byte = word[i / 8];
    codes[i] |= static_cast<std::uint8_t>(((byte >> (i % 8)) & 1U) << 4);
  }
}

void unpack(const BlockQ4_0& block, BlockFields& out) {
  out.d = block.d;
  unpack_halves(block.codes, 16, out.codes);
}

void unpack(const BlockQ4_1& block, BlockFields& out) {
  out.d = block.d;
  out.dmin = block.m;
  unpack_halves(block.codes, 16, out.codes);
}

void unpack(const BlockQ5_0& block, BlockFields& out) {
  out.d = block.d;
  unpack_halves(block.codes, 16, out.codes);
  add_fifth_bits(block.high, out.codes);
}

void unpack(const BlockQ5_1& block, BlockFields& out) {
  out.d = block.d;
  out.dmin = block.m;
  unpack_halves(block.codes, 16, out.codes);
  add_fifth_bits(block.high, out.codes);
}

void unpack(const BlockQ8_0& block, BlockFields& out) {
  out.d = block.d;
  // Unsigned with the offset 128 is the two's complement with its top bit flipped.
  for (std::size_t i = 0; i < 32; ++i) {
    out.codes[i] = static_cast<std::uint8_t>(static_cast<std::uint8_t>(block.codes[i]) ^ 0x80U);
  }
}

void unpack_quarters(const std::uint8_t* bytes, std::uint8_t* codes) {
  for (std::size_t n = 0; n < 2; ++n) {
    for (std::size_t j = 0; j < 4; ++j) {
      std::uint8_t* to = codes + n * 128 + j * 32;
      for (std::size_t i = 0; i < 32; ++i) {
        to[i] = static_cast<std::uint8_t>(bytes[n * 32 + i] >> (2 * j)) & 3U;
      }
    }
  }
}

void unpack(const BlockQ2_K& block, BlockFields& out) {
  out.d = block.d;
  out.dmin = block.dmin;
  for (std::size_t i = 0; i < 16; ++i) {
    out.scales[i] = static_cast<std::int8_t>(low_half(block.scales[i]));
    out.minimums[i] = high_half(block.scales[i]);
  }
  unpack_quarters(block.codes, out.codes);
}

void unpack(const BlockQ3_K& block, BlockFields& out) {
  out.d = block.d;
  for (std::size_t i = 0; i < 16; ++i) {
    const std::uint8_t byte = block.scales[i % 8];
    const unsigned low = i < 8 ? low_half(byte) : high_half(byte);
    const unsigned highs = block.scales[8 + i % 4];
    const unsigned high = (highs >> (2 * (i / 4))) & 3U;
    out.scales[i] = static_cast<std::int8_t>(static_cast<int>(low | (high << 4)) - 32);
  }
  unpack_quarters(block.codes, out.codes);
  for (std::size_t j = 0; j < 8; ++j) {
    std::uint8_t* to = out.codes + j * 32;
    for (std::size_t i = 0; i < 32; ++i) {
      to[i] |= static_cast<std::uint8_t>(((block.high[i] >> j) & 1U) << 2);
    }
  }
}

void unpack_six_bit_scales(const std::uint8_t* bytes, BlockFields& out) {
  for (std::size_t j = 0; j < 4; ++j) {
    out.scales[j] = static_cast<std::int8_t>(bytes[j] & 63U);
    out.minimums[j] = bytes[j + 4] & 63U;
    const std::uint8_t halves = bytes[j + 8];
    out.scales[j + 4] = static_cast<std::int8_t>(low_half(halves) | ((bytes[j] >> 6) << 4));
    out.minimums[j + 4] = static_cast<std::uint8_t>(high_half(halves) | ((bytes[j + 4] >> 6) << 4));
  }
}

void unpack(const BlockQ4_K& block, BlockFields& out) {
  out.d = block.d;
  out.dmin = block.dmin;
  unpack_six_bit_scales(block.scales, out);
  for (std::size_t c = 0; c < 4; ++c) {
    unpack_halves(block.codes + c * 32, 32, out.codes + c * 64);
  }
}

void unpack(const BlockQ5_K& block, BlockFields& out) {
  out.d = block.d;
  out.dmin = block.dmin;
  unpack_six_bit_scales(block.scales, out);
  for (std::size_t c = 0; c < 4; ++c) {
    unpack_halves(block.codes + c * 32, 32, out.codes + c * 64);
  }
  for (std::size_t j = 0; j < 8; ++j) {
    std::uint8_t* to = out.codes + j * 32;
    for (std::size_t i = 0; i < 32; ++i) {
      to[i] |= static_cast<std::uint8_t>(((block.high[i] >> j) & 1U) << 4);
    }
  }
}

void unpack(const BlockQ6_K& block, BlockFields& out) {
  out.d = block.d;
  std::memcpy(out.scales, block.scales, sizeof(block.scales));
  for (std::size_t n = 0; n < 2; ++n) {
    for (std::size_t j = 0; j < 4; ++j) {
      const std::uint8_t* low = block.low + n * 64 + (j % 2) * 32;
      const std::uint8_t* high = block.high + n * 32;
      std::uint8_t* to = out.codes + n * 128 + j * 32;
      for (std::size_t i = 0; i < 32; ++i) {
        const unsigned four = static_cast<unsigned>(low[i] >> (j < 2 ? 0 : 4)) & 15U;
        to[i] = static_cast<std::uint8_t>(four | (((high[i] >> (2 * j)) & 3U) << 4));
      }
    }
  }
}

}  // namespace

QuantTraits quant_traits(DType type) noexcept {
  switch (type) {
    case DType::q4_0:
      return {32, 32, 8, false};
    case DType::q4_1:
    case DType::q5_1:
      return {32, 32, 0, true};
    case DType::q5_0:
      return {32, 32, 16, false};
    case DType::q8_0:
      return {32, 32, 128, false};
    case DType::q2_k:
      return {256, 16, 0, true};
    case DType::q3_k:
      return {256, 16, 4, false};
    case DType::q4_k:
    case DType::q5_k:
      return {256, 32, 0, true};
    case DType::q6_k:
      return {256, 16, 32, false};
    case DType::f32:
    case DType::f16:
    case DType::bf16:
      break;
  }
  return {};
}

void unpack_fields(DType type, const std::byte* block, BlockFields& out) noexcept {
  switch (type) {
    case DType::q4_0:
      return unpack(load<BlockQ4_0>(block), out);
    case DType::q4_1:
      return unpack(load<BlockQ4_1>(block), out);
    case DType::q5_0:
      return unpack(load<BlockQ5_0>(block), out);
    case DType::q5_1:
      return unpack(load<BlockQ5_1>(block), out);
    case DType::q8_0:
      return unpack(load<BlockQ8_0>(block), out);
    case DType::q2_k:
      return unpack(load<BlockQ2_K>(block), out);
    case DType::q3_k:
      return unpack(load<BlockQ3_K>(block), out);
    case DType::q4_k:
      return unpack(load<BlockQ4_K>(block), out);
    case DType::q5_k:
      return unpack(load<BlockQ5_K>(block), out);
    case DType::q6_k:
      return unpack(load<BlockQ6_K>(block), out);
    case DType::f32:
    case DType::f16:
    case DType::bf16:
      break;
  }
}

}  // namespace lore::engine
