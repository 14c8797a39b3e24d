#include "cli/json_fields.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "lore/error.hpp"

namespace lore::cli {

std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Fields Fields::parse(std::string_view text) {
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) {
    throw Error(ErrorCode::invalid_argument, "the body is no valid JSON (in UTF-8)");
  }
  if (!value.is_object()) {
    throw Error(ErrorCode::invalid_argument, "the body must be a JSON object");
  }
  return Fields(std::move(value));
}

Fields::Fields(Json object, std::string prefix)
    : object_(std::move(object)), prefix_(std::move(prefix)) {}

void Fields::refuse(std::string_view name, const std::string& what) const {
  const std::string full = prefix_ + std::string(name);
  throw Error(ErrorCode::invalid_argument, "'" + full + "' " + what, full);
}

const Json* Fields::find(std::string_view name) const {
  const auto found = object_.find(std::string(name));
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::string> Fields::text(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) refuse(name, "must be a string");
  return value->get<std::string>();
}

std::optional<double> Fields::number(std::string_view name, double least, double most) const {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  const bool fits =
      value->is_number() && value->get<double>() >= least && value->get<double>() <= most;
  if (!fits) refuse(name, "must be a number from " + dump(Json(least)) + " to " + dump(Json(most)));
  return value->get<double>();
}

std::optional<std::size_t> Fields::count(std::string_view name, std::size_t least,
                                         std::size_t most) const {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  const bool fits = value->is_number_integer() && *value >= least && *value <= most;
  if (!fits) {
    refuse(name, most == std::numeric_limits<std::size_t>::max()
                     ? "must be a whole number from " + std::to_string(least)
                     : "must be a whole number from " + std::to_string(least) + " to " +
                           std::to_string(most));
  }
  return value->get<std::size_t>();
}

std::optional<bool> Fields::flag(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) refuse(name, "must be true or false");
  return value->get<bool>();
}

std::vector<std::string> Fields::texts(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr) return {};
  if (value->is_string()) return {value->get<std::string>()};
  const bool all = value->is_array() && std::all_of(value->begin(), value->end(),
                                                    [](const Json& x) { return x.is_string(); });
  if (!all) refuse(name, "must be a string or a list of strings");
  return value->get<std::vector<std::string>>();
}

std::optional<Fields> Fields::object(std::string_view name) const {
  const Json* value = find(name);
  if (value == nullptr) return std::nullopt;
  if (!value->is_object()) refuse(name, "must be an object");
  return Fields(*value, prefix_ + std::string(name) + ".");
}

std::optional<std::vector<std::int32_t>> token_ids(const Json& list) {
  if (!list.is_array() || list.empty()) return std::nullopt;
  std::vector<std::int32_t> ids;
  for (const Json& id : list) {
    const bool fits = id.is_number_integer() && id >= std::numeric_limits<std::int32_t>::min() &&
                      id <= std::numeric_limits<std::int32_t>::max();
    if (!fits) return std::nullopt;
    ids.push_back(id.get<std::int32_t>());
  }
  return ids;
}

}  // namespace lore::cli
