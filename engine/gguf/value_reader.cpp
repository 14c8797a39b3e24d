#include "engine/gguf/value_reader.hpp"

#include <utility>

namespace lore::engine::gguf {
namespace {

/// Numbers as the format has them.
enum class ValueType : std::uint32_t {
  uint8 = 0,
  int8 = 1,
  uint16 = 2,
  int16 = 3,
  uint32 = 4,
  int32 = 5,
  float32 = 6,
  boolean = 7,
  string = 8,
  array = 9,
  uint64 = 10,
  int64 = 11,
  float64 = 12,
};

constexpr int kMaxDepth = 8;  // recursion on a file's word must end somewhere

ValueType read_type(Cursor& cursor, const std::string& name) {
  const auto number = cursor.read<std::uint32_t>(name);
  if (number > static_cast<std::uint32_t>(ValueType::float64)) {
    cursor.fail(name + " has unknown value type " + std::to_string(number));
  }
  return static_cast<ValueType>(number);
}

bool read_bool(Cursor& cursor, const std::string& name) {
  const auto byte = cursor.read<std::uint8_t>(name);
  if (byte > 1) cursor.fail(name + " holds a bool that is neither 0 nor 1");
  return byte == 1;
}

/// `count` numbers stored as `Stored`, kept as `Kept`.
template <typename Stored, typename Kept>
Array read_numbers(Cursor& cursor, const std::string& name) {
  const std::size_t count = cursor.read_count(sizeof(Stored), name);
  std::vector<Kept> items(count);
  for (Kept& item : items) item = cursor.read<Stored>(name);
  return {std::move(items)};
}

Array read_bools(Cursor& cursor, const std::string& name) {
  std::vector<bool> items(cursor.read_count(1, name));
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = read_bool(cursor, name);
  return {std::move(items)};
}

Array read_strings(Cursor& cursor, const std::string& name) {
  const std::size_t count = cursor.read_count(sizeof(std::uint64_t), name);
  std::vector<std::string> items;
  items.reserve(count);
  for (std::size_t i = 0; i < count; ++i) items.emplace_back(cursor.read_string(name));
  return {std::move(items)};
}

Array read_array(Cursor& cursor, const std::string& name, int depth);

Array read_arrays(Cursor& cursor, const std::string& name, int depth) {
  if (depth == kMaxDepth) cursor.fail(name + " nests arrays too deeply");
  constexpr std::size_t kLeastArrayBytes = sizeof(std::uint32_t) + sizeof(std::uint64_t);
  const std::size_t count = cursor.read_count(kLeastArrayBytes, name);
  std::vector<Array> items;
  items.reserve(count);
  for (std::size_t i = 0; i < count; ++i) items.push_back(read_array(cursor, name, depth + 1));
  return {std::move(items)};
}

Array read_array(Cursor& cursor, const std::string& name, int depth) {
  switch (read_type(cursor, name)) {
    case ValueType::uint8:
      return read_numbers<std::uint8_t, std::uint64_t>(cursor, name);
    case ValueType::uint16:
      return read_numbers<std::uint16_t, std::uint64_t>(cursor, name);
    case ValueType::uint32:
      return read_numbers<std::uint32_t, std::uint64_t>(cursor, name);
    case ValueType::uint64:
      return read_numbers<std::uint64_t, std::uint64_t>(cursor, name);
    case ValueType::int8:
      return read_numbers<std::int8_t, std::int64_t>(cursor, name);
    case ValueType::int16:
      return read_numbers<std::int16_t, std::int64_t>(cursor, name);
    case ValueType::int32:
      return read_numbers<std::int32_t, std::int64_t>(cursor, name);
    case ValueType::int64:
      return read_numbers<std::int64_t, std::int64_t>(cursor, name);
    case ValueType::float32:
      return read_numbers<float, float>(cursor, name);
    case ValueType::float64:
      return read_numbers<double, double>(cursor, name);
    case ValueType::boolean:
      return read_bools(cursor, name);
    case ValueType::string:
      return read_strings(cursor, name);
    case ValueType::array:
      return read_arrays(cursor, name, depth);
  }
  return {};
}

}  // namespace

Value read_value(Cursor& cursor, const std::string& name) {
  switch (read_type(cursor, name)) {
    case ValueType::uint8:
      return std::uint64_t{cursor.read<std::uint8_t>(name)};
    case ValueType::uint16:
      return std::uint64_t{cursor.read<std::uint16_t>(name)};
    case ValueType::uint32:
      return std::uint64_t{cursor.read<std::uint32_t>(name)};
    case ValueType::uint64:
      return cursor.read<std::uint64_t>(name);
    case ValueType::int8:
      return std::int64_t{cursor.read<std::int8_t>(name)};
    case ValueType::int16:
      return std::int64_t{cursor.read<std::int16_t>(name)};
    case ValueType::int32:
      return std::int64_t{cursor.read<std::int32_t>(name)};
    case ValueType::int64:
      return cursor.read<std::int64_t>(name);
    case ValueType::float32:
      return double{cursor.read<float>(name)};
    case ValueType::float64:
      return cursor.read<double>(name);
    case ValueType::boolean:
      return read_bool(cursor, name);
    case ValueType::string:
      return std::string(cursor.read_string(name));
    case ValueType::array:
      return read_array(cursor, name, 1);
  }
  return {};
}

}  // namespace lore::engine::gguf
