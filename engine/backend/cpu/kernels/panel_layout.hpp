// How the bytes lie inside a packed panel of 16 weight rows: written by pack.cpp, read by the
// kernels of every table. Constants only, so that instruction-set units may include it.
//
// All types interleave the 16 rows so that one 64-byte line feeds all of them:
//   F32        line k:  value k of rows 0 … 15
//   F16, BF16  line i:  values 2i and 2i + 1 of row 0, of row 1, …; k is padded to even with zero
//   quantized  a group of 32 values is 8 steps of 4 values; a step is 64 codes, the 4 of row 0, of
//              row 1, … This is what one vpdpbusd takes, and a row of an AMX B tile.
//
// The codes of a group (unsigned, offset included) take one of these line layouts after another:
//   bytes      8 lines, line s = step s
//   halves     4 lines, line i = step i in the low and step i + 4 in the high half of each byte
//   quarters   2 lines, line i = steps 4i, 4i + 1, 4i + 2, 4i + 3 from the low bits up
//   bits       1 line, bit s of each byte = step s
//
// One to eight groups and their scales make a block, a whole number of lines, so that a panel is
// one stream of aligned lines from beginning to end.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lore::engine::cpu {

/// Where the parts of a quantized block stand, in bytes from the block's beginning.
struct PanelBlock {
  std::size_t groups;       // groups of 32 values in a block
  std::size_t bytes;        // of a block
  std::size_t codes;        // first group's codes
  std::size_t group_bytes;  // from the codes of a group to those of the next
  std::size_t low_bits;     // 8 (bytes), 4 (halves) or 2 (quarters): the first lines of a group
  std::size_t high_bits;    // 0, 1 (bits) or 2 (quarters): the lines after them, above the low bits
};

// Q4_0, Q5_0, Q8_0: line 0 holds the binary16 scales of 16 rows for both groups.
inline constexpr PanelBlock kPanelQ4_0{2, 576, 64, 256, 4, 0};
inline constexpr PanelBlock kPanelQ5_0{2, 704, 64, 320, 4, 1};
inline constexpr PanelBlock kPanelQ8_0{2, 1088, 64, 512, 8, 0};
// Q4_1, Q5_1: line 0 holds 16 binary16 scales, then 16 binary16 minimums.
inline constexpr PanelBlock kPanelQ4_1{1, 320, 64, 256, 4, 0};
inline constexpr PanelBlock kPanelQ5_1{1, 384, 64, 320, 4, 1};
// Q2_K, Q4_K, Q5_K: line 0 holds d and dmin, binary16. From byte 64: Q2_K 16 bytes for each 16
// values, scale in the low half and minimum in the high one; the others for each 32 values 16 bytes
// of scales, then 16 of minimums.
inline constexpr PanelBlock kPanelQ2_K{8, 1344, 320, 128, 2, 0};
inline constexpr PanelBlock kPanelQ4_K{8, 2368, 320, 256, 4, 0};
inline constexpr PanelBlock kPanelQ5_K{8, 2880, 320, 320, 4, 1};
// Q3_K, Q6_K: line 0 holds d in float32. From byte 64 16 signed scales for each 16 values.
inline constexpr PanelBlock kPanelQ3_K{8, 1856, 320, 192, 2, 1};
inline constexpr PanelBlock kPanelQ6_K{8, 3392, 320, 384, 4, 2};

}  // namespace lore::engine::cpu
