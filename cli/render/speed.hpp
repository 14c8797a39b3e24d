// Measurements as a person reads them.
#pragma once

#include <string>

#include "cli/render/chart.hpp"
#include "lore/types.hpp"

namespace lore::cli {

std::string render_limits(const MachineLimits& limits);
std::string render_speed(const ModelSpeed& speed);
/// The speeds over the context's length, which must have been measured.
Chart chart_of(const ModelSpeed& speed);

}  // namespace lore::cli
