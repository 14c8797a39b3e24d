#include "index/store/string_list.hpp"

#include <nlohmann/json.hpp>

#include "base/utf8.hpp"

namespace lore::index {

std::string json_of_strings(const std::vector<std::string>& strings) {
  nlohmann::json list = nlohmann::json::array();
  for (const std::string& string : strings) list.push_back(utf8::sanitized(string));
  return list.dump();
}

std::vector<std::string> strings_of_json(std::string_view json) {
  const nlohmann::json list = nlohmann::json::parse(json, nullptr, false);
  std::vector<std::string> strings;
  if (!list.is_array()) return strings;
  for (const nlohmann::json& entry : list) {
    if (entry.is_string()) strings.push_back(entry.get<std::string>());
  }
  return strings;
}

}  // namespace lore::index
