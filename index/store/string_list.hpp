// Lists of strings in one column, as a JSON array.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lore::index {

std::string json_of_strings(const std::vector<std::string>& strings);
/// What json_of_strings wrote; empty for anything else.
std::vector<std::string> strings_of_json(std::string_view json);

}  // namespace lore::index
