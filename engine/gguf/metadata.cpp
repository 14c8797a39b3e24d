#include "engine/gguf/metadata.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

#include "lore/error.hpp"

namespace lore::engine::gguf {
namespace {

[[noreturn]] void fail(const Metadata& metadata, std::string_view key, std::string_view problem) {
  std::string message = metadata.file_name();
  message.append(": key '").append(key).append("' ").append(problem);
  throw Error(ErrorCode::corrupt, message, std::string(key));
}

constexpr double kTwoTo64 = 18446744073709551616.0;
constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo53 = 9007199254740992.0;  // beyond it a double skips integers

std::optional<std::uint64_t> to_unsigned(const Value& value) {
  if (const auto* u = std::get_if<std::uint64_t>(&value)) return *u;
  if (const auto* i = std::get_if<std::int64_t>(&value)) {
    if (*i >= 0) return static_cast<std::uint64_t>(*i);
  }
  if (const auto* d = std::get_if<double>(&value)) {
    if (*d >= 0 && *d < kTwoTo64 && std::trunc(*d) == *d) return static_cast<std::uint64_t>(*d);
  }
  return std::nullopt;
}

std::optional<double> to_double(const Value& value) {
  std::optional<double> result;
  if (const auto* d = std::get_if<double>(&value)) return *d;
  if (const auto* u = std::get_if<std::uint64_t>(&value)) result = static_cast<double>(*u);
  if (const auto* i = std::get_if<std::int64_t>(&value)) result = static_cast<double>(*i);
  if (result && std::abs(*result) > kTwoTo53) result.reset();
  return result;
}

/// The number as `To`, where that is exactly the same number.
template <typename To, typename From>
std::optional<To> exactly(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (!(value >= -kTwoTo63 && value < kTwoTo63) || std::trunc(value) != value) return {};
    return static_cast<To>(value);
  } else if constexpr (std::is_floating_point_v<From>) {  // double to float; NaN stays NaN
    const auto result = static_cast<To>(value);
    if (static_cast<From>(result) == value || std::isnan(value)) return result;
    return {};
  } else if constexpr (std::is_integral_v<To>) {
    if (value > static_cast<From>(std::numeric_limits<To>::max())) return {};
    return static_cast<To>(value);
  } else {  // integer to float
    const auto result = static_cast<To>(value);
    if (std::abs(static_cast<double>(result)) > kTwoTo53) return {};
    if (static_cast<double>(result) != static_cast<double>(value)) return {};
    return result;
  }
}

template <typename To>
std::vector<To> convert_array(const Metadata& metadata, std::string_view key, const Value& value) {
  const auto* array = std::get_if<Array>(&value);
  if (array == nullptr) fail(metadata, key, "is not an array");
  return std::visit(
      [&](const auto& items) -> std::vector<To> {
        using Item = typename std::decay_t<decltype(items)>::value_type;
        std::vector<To> result;
        if constexpr (std::is_same_v<Item, To>) {
          return items;
        } else if constexpr (std::is_arithmetic_v<Item>) {
          result.reserve(items.size());
          for (const Item item : items) {
            const auto converted = exactly<To>(item);
            if (!converted) fail(metadata, key, "holds a number out of range");
            result.push_back(*converted);
          }
          return result;
        } else {
          fail(metadata, key, "is not an array of numbers");
        }
      },
      array->items);
}

}  // namespace

std::size_t Array::size() const {
  return std::visit([](const auto& values) { return values.size(); }, items);
}

bool Metadata::has(std::string_view key) const { return values_.find(key) != values_.end(); }

const Value* Metadata::find(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

std::optional<std::uint64_t> Metadata::get_unsigned(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto result = to_unsigned(*value);
  if (!result) fail(*this, key, "is not a number from 0 on");
  return result;
}

std::optional<double> Metadata::get_float(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto result = to_double(*value);
  if (!result) fail(*this, key, "is not a number");
  return result;
}

std::optional<bool> Metadata::get_bool(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto* result = std::get_if<bool>(value);
  if (result == nullptr) fail(*this, key, "is not true or false");
  return *result;
}

std::optional<std::string> Metadata::get_string(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto* result = std::get_if<std::string>(value);
  if (result == nullptr) fail(*this, key, "is not a string");
  return *result;
}

const std::vector<std::string>* Metadata::get_strings(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return nullptr;
  const auto* array = std::get_if<Array>(value);
  const auto* result =
      array == nullptr ? nullptr : std::get_if<std::vector<std::string>>(&array->items);
  if (result == nullptr) fail(*this, key, "is not an array of strings");
  return result;
}

std::optional<std::vector<float>> Metadata::get_floats(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  return convert_array<float>(*this, key, *value);
}

std::optional<std::vector<std::int64_t>> Metadata::get_integers(std::string_view key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  return convert_array<std::int64_t>(*this, key, *value);
}

std::uint64_t Metadata::require_unsigned(std::string_view key) const {
  const auto result = get_unsigned(key);
  if (!result) fail(*this, key, "is missing; the file is not a complete model of its kind");
  return *result;
}

std::string Metadata::require_string(std::string_view key) const {
  auto result = get_string(key);
  if (!result) fail(*this, key, "is missing; the file is not a complete model of its kind");
  return *std::move(result);
}

}  // namespace lore::engine::gguf
