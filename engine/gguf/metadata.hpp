// The key-value pairs of a GGUF file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lore::engine::gguf {

struct Array;

/// A value of any GGUF type; integers and floats are kept in the widest of their kind.
using Value = std::variant<std::uint64_t, std::int64_t, double, bool, std::string, Array>;

/// A homogeneous array. Numbers are kept compactly, strings as strings; arrays of arrays nest.
struct Array {
  std::variant<std::vector<std::uint64_t>, std::vector<std::int64_t>, std::vector<float>,
               std::vector<double>, std::vector<bool>, std::vector<std::string>, std::vector<Array>>
      items;
  std::size_t size() const;
};

/// Metadata by key; unknown keys are kept. Getters convert between number kinds where nothing is
/// lost and throw Error{corrupt}, naming file and key, where a value has another kind or range.
///
/// Thread safety: immutable once read.
class Metadata {
 public:
  explicit Metadata(std::string file_name = {}) : file_name_(std::move(file_name)) {}

  void set(std::string key, Value value) { values_[std::move(key)] = std::move(value); }
  bool has(std::string_view key) const;
  const Value* find(std::string_view key) const;
  const std::map<std::string, Value, std::less<>>& all() const { return values_; }
  const std::string& file_name() const { return file_name_; }

  std::optional<std::uint64_t> get_unsigned(std::string_view key) const;
  std::optional<double> get_float(std::string_view key) const;
  std::optional<bool> get_bool(std::string_view key) const;
  std::optional<std::string> get_string(std::string_view key) const;
  /// Null where the key is absent.
  const std::vector<std::string>* get_strings(std::string_view key) const;
  std::optional<std::vector<float>> get_floats(std::string_view key) const;
  std::optional<std::vector<std::int64_t>> get_integers(std::string_view key) const;

  /// As the getters; throw Error{corrupt} where the key is absent.
  std::uint64_t require_unsigned(std::string_view key) const;
  std::string require_string(std::string_view key) const;

 private:
  std::string file_name_;
  std::map<std::string, Value, std::less<>> values_;
};

}  // namespace lore::engine::gguf
