#include "index/vectors/quantize.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lore::index {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr double kUnit = 0x1p-24;  // u: half the distance from 1 to the next float
// Lengths between which products of float32 neither overflow nor lose bits at the lower end.
constexpr double kShortest = 0x1p-30;
constexpr double kLongest = 0x1p30;
constexpr double kLongestRow = 2;  // R is one for all rows: none may be much longer than the others
constexpr std::size_t kMostDimensions = std::size_t{1} << 16;

// At least `value`: the double sums behind it err by far less than this adds.
float rounded_up(double value) {
  return std::nextafter(static_cast<float>(value * (1 + 0x1p-20)), kInfinity);
}

template <typename Value>
double length_of(std::span<const Value> values) {
  double sum = 0;
  for (const Value value : values) sum += double{value} * double{value};
  return std::sqrt(sum);
}

double product_of(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * double{b[i]};
  return sum;
}

// What is left of `values` without `along` times `direction`.
std::vector<double> rest_of(std::span<const float> values, std::span<const float> direction,
                            double along) {
  std::vector<double> rest(values.size());
  for (std::size_t i = 0; i < rest.size(); ++i) {
    rest[i] = double{values[i]} - along * double{direction[i]};
  }
  return rest;
}

double largest_of(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

// Of rests and of decoded values, as sums of squares.
struct Squares {
  double rest = 0;
  double decoded = 0;

  void add(double value, double back) {
    rest += (value - back) * (value - back);
    decoded += back * back;
  }
  CodeError error() const { return {rounded_up(std::sqrt(rest)), rounded_up(std::sqrt(decoded))}; }
};

template <typename Code>
QueryPart<Code> quantized(std::span<const double> rest, std::size_t width, double scale) {
  QueryPart<Code> part;
  part.codes.resize(width);
  part.scale = static_cast<float>(scale * (1 + 0x1p-20));  // not below `scale`
  Squares squares;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const double code = std::round(rest[i] / double{part.scale});
    part.codes[i] = static_cast<Code>(code);
    squares.add(rest[i], double{part.scale} * code);
  }
  part.error = rounded_up(std::sqrt(squares.rest));
  return part;
}

}  // namespace

bool can_be_coded(std::span<const float> row) {
  const double length = length_of(row);
  // False also where the length is no number.
  return (length == 0 || length > kShortest) && length < kLongestRow &&
         row.size() <= kMostDimensions;
}

RowCode quantize_row(std::span<const float> row, std::span<const float> direction,
                     std::span<std::int8_t> codes) {
  std::fill(codes.begin(), codes.end(), std::int8_t{0});
  RowCode result;
  if (!can_be_coded(row)) {
    result.coarse.error = result.fine.error = kInfinity;
    return result;
  }
  result.along = static_cast<float>(product_of(row, direction));
  const std::vector<double> rest = rest_of(row, direction, double{result.along});
  // So short a rest needs no codes: all of it is the error.
  if (const double largest = largest_of(rest); largest > kShortest) {
    result.scale = static_cast<float>(largest / 127);
  }
  const double inverse = result.scale > 0 ? 1 / double{result.scale} : 0;
  Squares fine;
  Squares coarse;
  double across = 0;  // y.w
  for (std::size_t i = 0; i < row.size(); ++i) {
    // How it is rounded does not matter: the error is measured.
    const double value = rest[i] * inverse;
    const int code = std::clamp(static_cast<int>(value + (value < 0 ? -0.5 : 0.5)), -127, 127);
    codes[i] = static_cast<std::int8_t>(code);
    fine.add(rest[i], double{result.scale} * code);
    const int middle = (code + 128) / 16 * 16 - 120;  // of the codes with these upper bits
    coarse.add(rest[i], double{result.scale} * middle);
    across += rest[i] * double{direction[i]};
  }
  result.fine = fine.error();
  result.coarse = coarse.error();
  const double n = static_cast<double>(row.size());
  result.roundings = rounded_up(std::abs(across) +
                                (2 * n + 64) * kUnit * (length_of(row) + std::sqrt(coarse.rest)));
  return result;
}

QueryCode quantize_query(std::span<const float> query, std::span<const float> direction,
                         std::size_t width) {
  QueryCode result;
  const double length = length_of(query);
  if (!(length > kShortest && length < kLongest) || query.size() > kMostDimensions) {
    result.length = kInfinity;
    return result;
  }
  result.length = rounded_up(length);
  const double along = product_of(query, direction);
  result.along = static_cast<float>(along);
  const std::vector<double> rest = rest_of(query, direction, along);
  result.rest = rounded_up(length_of(std::span<const double>(rest)));
  // Finer codes than this would only say what is lost in roundings anyway.
  const double largest = std::max(largest_of(rest), length * 0x1p-30);
  result.coarse = quantized<std::int8_t>(rest, width, largest / 127);
  for (const std::int8_t code : result.coarse.codes) result.coarse_sum += code;
  // As fine as 16 bits allow while no sum of products can leave an int32: the sum of the codes'
  // magnitudes stays below 2^24, half a unit of rounding each included.
  double magnitude = 0;
  for (const double value : rest) magnitude += std::abs(value);
  const double room = 0x1p24 - static_cast<double>(query.size());
  result.fine = quantized<std::int16_t>(rest, width, std::max(largest / 32767, magnitude / room));
  return result;
}

}  // namespace lore::index
