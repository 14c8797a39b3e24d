// The two tables of filters.
#pragma once

#include <string_view>

#include "engine/tokenizer/jinja/builtins.hpp"

namespace lore::engine::jinja {

struct FilterRow {
  std::string_view name;
  Filter filter;
};

/// As find_filter, among those on lists and dicts.
Filter find_sequence_filter(std::string_view name);

}  // namespace lore::engine::jinja
