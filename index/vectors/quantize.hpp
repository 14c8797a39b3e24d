// A vector as codes of 8 and of 4 bits, and how far they are from it: the arithmetic behind an
// exact search.
//
// Why a scan of codes can be exact. Let w be some direction, |w| <= 1, the same for all rows; best
// that in which they all lean, as many models give vectors. Of a row x and a query q what lies
// along w is kept in float, and only the rest is coded:
//
//   x = A w + y,  y = s c + e        codes c in [-127, 127], a scale s, what they leave out e
//   q = B w + g,  g = t d + f        B = q.w
//
// The scan computes the integer I = c.d without error, and with it the score a = A B + s t I. Since
// x.q = A B + y.q and y.q = y.g + B y.w,
//
//   x.q - a  =  y.g - (y - e).(g - f) + B y.w  =  e.g + (y - e).f + B y.w
//
// and by Cauchy and Schwarz  |x.q - a| <= ||e|| ||g|| + ||y - e|| ||f|| + ||q|| |y.w|.        (1)
// With A near x.w the last term is of the order of a rounding.
//
// What a float scan gives for the row is not x.q but its rounded evaluation r; with u = 2^-24 and n
// dimensions, summed in any order, fused or not (Higham, Accuracy and Stability of Numerical
// Algorithms, 3.1):
//
//   a stored unit row:     |r - x.q| <= k ||x|| ||q||,  k = n u / (1 - n u)
//   a row z of another length, scored as z.q / sqrt(z.z), with x = z / ||z|| rounded:
//                          |r - x.q| <= (3/2 k + 6 u)(1 + 2^-10) ||x|| ||q||
//
// Evaluating a in float takes three roundings of A B, three of s t I, one of their sum and one of
// adding the bound. Each is at most u times the magnitude of what it rounds, and
// |A B| <= 1.01 ||x|| ||q||, |s t I| <= (||y|| + ||e||)(||g|| + ||f||) with ||y|| <= 2.01 ||x||,
// ||f|| <= 1.01 ||g|| and ||g|| <= 1.01 ||q||. For n up to 2^16 the sum of all this is below
// (2 n + 64) u (||x|| + ||e||) ||q||, so that
//
//   |r - a|  <=  ||g|| E + ||f|| L + ||q|| R                                                   (2)
//   E >= ||e||,  L >= ||y - e||,  R >= |y.w| + (2 n + 64) u (||x|| + ||e||)
//
// E is stored a row, L and R once, the largest of all. All are computed in double and rounded up by
// 2^-20, which is more than the roundings of (2) itself take away. Rows for which this does not
// hold (values that are no numbers, lengths other than about 1) get an infinite E, and are
// candidates of every search.
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

/// The parts of a bound that depend on the row and on the width of its codes.
struct CodeError {
  float error = 0;   ///< E
  float length = 0;  ///< L
};

/// What is stored of a row beside its codes. Where E is infinite, all else is 0.
struct RowCode {
  float along = 0;  ///< A
  float scale = 0;  ///< s
  CodeError coarse;
  CodeError fine;
  float roundings = 0;  ///< R, for either
};

/// Writes the codes of `row`. row, direction, codes: [dimension]; direction: w, at most of length
/// 1.001.
RowCode quantize_row(std::span<const float> row, std::span<const float> direction,
                     std::span<std::int8_t> codes);

/// A query in codes of one width.
template <typename Code>
struct QueryPart {
  std::vector<Code> codes;  ///< d, [width], zeros behind the dimension
  float scale = 0;          ///< t
  float error = 0;          ///< ||f||, rounded up
};

struct QueryCode {
  float length = 0;               ///< ||q||, rounded up
  float along = 0;                ///< B
  float rest = 0;                 ///< ||g||, rounded up
  QueryPart<std::int8_t> coarse;  ///< in [-127, 127]
  std::int32_t coarse_sum = 0;    ///< of its codes
  QueryPart<std::int16_t> fine;   ///< 128 times the sum of magnitudes fits an int32
};

/// query, direction: [dimension]. Of more than 2^16 dimensions, or a length outside of
/// (2^-30, 2^30), `length` is infinite and there are no codes. width: at least the dimension.
QueryCode quantize_query(std::span<const float> query, std::span<const float> direction,
                         std::size_t width);

/// Whether a row can be coded: its length is near enough to 1, and its values are numbers.
bool can_be_coded(std::span<const float> row);

}  // namespace lore::index
