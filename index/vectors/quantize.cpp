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

}  // namespace

RowCode quantize_row(std::span<const float> row, std::span<std::int8_t> codes) {
  std::fill(codes.begin(), codes.end(), std::int8_t{0});
  const double length = length_of(row);
  if (length == 0) return {};
  // Also where a value is no number.
  if (!(length > kShortest && length < kLongest) || row.size() > kMostDimensions) {
    return {0, kInfinity, 0};
  }
  RowCode result;
  result.scale = largest_of(row) / 127;
  const float inverse = 1 / result.scale;
  double error = 0;
  double decoded = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    // How it is rounded does not matter: the error is measured.
    const float value = row[i] * inverse;
    const int code = std::clamp(static_cast<int>(value + (value < 0 ? -0.5F : 0.5F)), -127, 127);
    codes[i] = static_cast<std::int8_t>(code);
    const double back = double{result.scale} * code;
    const double rest = double{row[i]} - back;
    error += rest * rest;
    decoded += back * back;
  }
  error = std::sqrt(error);
  const double n = static_cast<double>(row.size());
  result.error = rounded_up(error + (2 * n + 64) * kUnit * (length + error));
  result.length = rounded_up(std::sqrt(decoded));
  return result;
}

QueryCode quantize_query(std::span<const float> query, std::size_t stride) {
  QueryCode result;
  result.codes.resize(stride);
  const double length = length_of(query);
  if (!(length > kShortest && length < kLongest)) {
    result.length = kInfinity;
    return result;
  }
  // As fine as 16 bits allow while no sum of products with a row can leave an int32: the sum of
  // the codes' magnitudes stays below 2^24 = 2^31 / 128, half a unit of rounding each included.
  double magnitude = 0;
  for (const float value : query) magnitude += std::abs(double{value});
  const double room = 0x1p24 - static_cast<double>(query.size());
  const double finest = std::max(double{largest_of(query)} / 32767, magnitude / room);
  result.scale = static_cast<float>(finest * (1 + 0x1p-20));
  double error = 0;
  for (std::size_t i = 0; i < query.size(); ++i) {
    const double code = std::round(double{query[i]} / double{result.scale});
    result.codes[i] = static_cast<std::int16_t>(code);
    const double rest = double{query[i]} - double{result.scale} * code;
    error += rest * rest;
  }
  result.length = rounded_up(length);
  result.error = rounded_up(std::sqrt(error));
  return result;
}

}  // namespace lore::index
