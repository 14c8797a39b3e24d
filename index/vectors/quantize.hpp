// A vector as codes of 8 and of 4 bits, and how far they are from it: the arithmetic behind an
// exact search.
//
// Why a scan of codes can be exact. A row x is stored as x = s c + e: codes c in [-127, 127], a
// scale s, the rest e. A query is q = t d + f alike, with codes d. The scan computes the integer
// I = c.d without error, and with it the score a = s t I. Then
//
//   x.q - a  =  x.q - (x - e).(q - f)  =  e.q + (x - e).f
//
// and by Cauchy and Schwarz  |x.q - a| <= ||e|| ||q|| + ||x - e|| ||f||.              (1)
//
// What a float scan gives for the row is not x.q but its rounded evaluation r; with u = 2^-24 and n
// dimensions, summed in any order, fused or not (Higham, Accuracy and Stability of Numerical
// Algorithms, 3.1):
//
//   a stored unit row:     |r - x.q| <= g ||x|| ||q||,  g = n u / (1 - n u)
//   a row y of another length, scored as y.q / sqrt(y.y), with x = y / ||y|| rounded:
//                          |r - x.q| <= (3/2 g + 6 u)(1 + 2^-10) ||x|| ||q||
//
// Evaluating a in float takes three roundings, adding the bound to it a fourth, each of at most
// u |a| <= u (||x|| + ||e||)(||q|| + ||f||) <= 2 u (||x|| + ||e||) ||q||. For n up to 2^16 the sum
// of all this is below (2 n + 64) u (||x|| + ||e||) ||q||, so that
//
//   |r - a|  <=  ||q|| E + L ||f||,   E = ||e|| + (2 n + 64) u (||x|| + ||e||),   L >= ||x - e||
//   (2)
//
// E is stored a row, L once, for the longest. These, ||q|| and ||f|| are computed in double and
// rounded up by 2^-20, which is more than the roundings of (2) itself take away. Rows for which
// this does not hold (values that are no numbers, lengths near the ends of float's range) get an
// infinite E, and are candidates of every search.
//
// All of this holds for any codes and any E that is measured with them. Of each row there are two:
// the fine one above, and a coarse one of half the bits, 16 floor(c / 16) + 8 in place of c. A scan
// reads the coarse one, and the rest only of rows that the coarse bound does not rule out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lore::index {

/// A bound's two parts that depend on the row. Without codes both are 0.
struct CodeError {
  float error = 0;   ///< E
  float length = 0;  ///< of x - e, rounded up; 0 where E is infinite
};

/// What is stored of a row beside its codes.
struct RowCode {
  float scale = 0;  ///< s
  CodeError coarse;
  CodeError fine;
};

/// Writes the codes of `row`. row: [dimension]; codes: [dimension].
RowCode quantize_row(std::span<const float> row, std::span<std::int8_t> codes);

/// A query in codes of one width.
template <typename Code>
struct QueryPart {
  std::vector<Code> codes;  ///< d, [width], zeros behind the dimension
  float scale = 0;          ///< t
  float error = 0;          ///< ||f||, rounded up
};

struct QueryCode {
  float length = 0;               ///< ||q||, rounded up
  QueryPart<std::int8_t> coarse;  ///< in [-127, 127]
  std::int32_t coarse_sum = 0;    ///< of its codes
  QueryPart<std::int16_t> fine;   ///< 128 times the sum of magnitudes fits an int32
};

/// query: [dimension], at most 2^16, of a length in (2^-30, 2^30); of another, `length` is infinite
/// and there are no codes. width: at least the dimension.
QueryCode quantize_query(std::span<const float> query, std::size_t width);

}  // namespace lore::index
