// "Did you mean …?"
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lore::cli {

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal
/// string alignment distance).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The choice nearest to `word`, if one is near enough to be what was meant.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> choices);

}  // namespace lore::cli
