#include "engine/pooling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "lore/error.hpp"

namespace lore::engine {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"none", "mean", "cls", "last"};

}  // namespace

std::string_view pooling_name(Pooling pooling) noexcept {
  return kNames[static_cast<std::size_t>(pooling)];
}

Pooling parse_pooling(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) {
    throw Error(ErrorCode::invalid_argument,
                "unknown pooling \"" + std::string(name) + "\"; choose none, mean, cls or last",
                std::string(name));
  }
  return static_cast<Pooling>(found - kNames.begin());
}

void pool_rows(std::span<const float> rows, std::size_t width, Pooling pooling,
               std::span<float> out) {
  const std::size_t tokens = rows.size() / width;
  LORE_ASSERT(tokens > 0 && out.size() <= width);
  if (pooling != Pooling::mean) {
    const std::size_t row = pooling == Pooling::cls ? 0 : tokens - 1;
    const auto from = rows.subspan(row * width, out.size());
    std::copy(from.begin(), from.end(), out.begin());
    return;
  }
  std::vector<double> sums(out.size());
  for (std::size_t token = 0; token < tokens; ++token) {
    const float* row = rows.data() + token * width;
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += static_cast<double>(row[i]);
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    out[i] = static_cast<float>(sums[i] / static_cast<double>(tokens));
  }
}

void normalize(std::span<float> vector) {
  double squares = 0;
  for (const float x : vector) squares += static_cast<double>(x) * static_cast<double>(x);
  if (!(squares > 0)) return;
  const double factor = 1 / std::sqrt(squares);
  for (float& x : vector) x = static_cast<float>(static_cast<double>(x) * factor);
}

}  // namespace lore::engine
