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
constexpr std::size_t kMostDimensions = std::size_t{1} << 16;

bool within_reach(double length, std::size_t dimension) {
  // False also where the length is no number.
  return length > kShortest && length < kLongest && dimension <= kMostDimensions;
}

// At least `value`: the double sums behind it err by far less than this adds.
float rounded_up(double value) {
  return std::nextafter(static_cast<float>(value * (1 + 0x1p-20)), kInfinity);
}

float largest_of(std::span<const float> values) {
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

double length_of(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += double{value} * double{value};
  return std::sqrt(sum);
}

// Of rests and of decoded values, as sums of squares.
struct Squares {
  double rest = 0;
  double decoded = 0;

  void add(double value, double back) {
    rest += (value - back) * (value - back);
    decoded += back * back;
  }
  CodeError error(double length, std::size_t dimension) const {
    const double norm = std::sqrt(rest);
    const double roundings = (2 * static_cast<double>(dimension) + 64) * kUnit;
    return {rounded_up(norm + roundings * (length + norm)), rounded_up(std::sqrt(decoded))};
  }
};

template <typename Code>
QueryPart<Code> quantized(std::span<const float> query, std::size_t width, double scale) {
  QueryPart<Code> part;
  part.codes.resize(width);
  part.scale = static_cast<float>(scale * (1 + 0x1p-20));  // not below `scale`
  Squares squares;
  for (std::size_t i = 0; i < query.size(); ++i) {
    const double code = std::round(double{query[i]} / double{part.scale});
    part.codes[i] = static_cast<Code>(code);
    squares.add(double{query[i]}, double{part.scale} * code);
  }
  part.error = rounded_up(std::sqrt(squares.rest));
  return part;
}

}  // namespace

RowCode quantize_row(std::span<const float> row, std::span<std::int8_t> codes) {
  std::fill(codes.begin(), codes.end(), std::int8_t{0});
  const double length = length_of(row);
  if (length == 0) return {};
  if (!within_reach(length, row.size())) return {0, {kInfinity, 0}, {kInfinity, 0}};
  RowCode result;
  result.scale = largest_of(row) / 127;
  const float inverse = 1 / result.scale;
  Squares fine;
  Squares coarse;
  for (std::size_t i = 0; i < row.size(); ++i) {
    // How it is rounded does not matter: the error is measured.
    const float value = row[i] * inverse;
    const int code = std::clamp(static_cast<int>(value + (value < 0 ? -0.5F : 0.5F)), -127, 127);
    codes[i] = static_cast<std::int8_t>(code);
    fine.add(double{row[i]}, double{result.scale} * code);
    coarse.add(double{row[i]}, double{result.scale} * ((code + 128) / 16 * 16 - 120));
  }
  result.fine = fine.error(length, row.size());
  result.coarse = coarse.error(length, row.size());
  return result;
}

QueryCode quantize_query(std::span<const float> query, std::size_t width) {
  QueryCode result;
  const double length = length_of(query);
  if (!within_reach(length, query.size())) {
    result.length = kInfinity;
    return result;
  }
  result.length = rounded_up(length);
  const double largest{largest_of(query)};
  result.coarse = quantized<std::int8_t>(query, width, largest / 127);
  for (const std::int8_t code : result.coarse.codes) result.coarse_sum += code;
  // As fine as 16 bits allow while no sum of products can leave an int32: the sum of the codes'
  // magnitudes stays below 2^24, half a unit of rounding each included.
  double magnitude = 0;
  for (const float value : query) magnitude += std::abs(double{value});
  const double room = 0x1p24 - static_cast<double>(query.size());
  result.fine = quantized<std::int16_t>(query, width, std::max(largest / 32767, magnitude / room));
  return result;
}

}  // namespace lore::index
