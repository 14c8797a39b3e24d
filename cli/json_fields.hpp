// JSON that others send: read with errors that name the member at fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lore::cli {

/// Members stay in the order in which they were added.
using Json = nlohmann::ordered_json;

/// One line; invalid UTF-8 becomes U+FFFD.
std::string dump(const Json& value);

/// The members of a JSON object, with errors that name them. Null counts as absent. All throw
/// Error{invalid_argument} whose context is the member.
class Fields {
 public:
  /// Throws for a text that is no JSON object.
  static Fields parse(std::string_view text);
  /// `prefix`: how errors call the object, "lore." for {"lore": {…}}.
  explicit Fields(Json object, std::string prefix = {});

  bool has(std::string_view name) const { return find(name) != nullptr; }
  const Json* find(std::string_view name) const;
  std::optional<std::string> text(std::string_view name) const;
  std::optional<double> number(std::string_view name, double least, double most) const;
  std::optional<std::size_t> count(std::string_view name, std::size_t least,
                                   std::size_t most) const;
  std::optional<bool> flag(std::string_view name) const;
  /// A string or a list of them.
  std::vector<std::string> texts(std::string_view name) const;
  std::optional<Fields> object(std::string_view name) const;

  [[noreturn]] void refuse(std::string_view name, const std::string& what) const;

 private:
  Json object_;
  std::string prefix_;
};

/// Token ids of a JSON list; empty where it holds anything else.
std::optional<std::vector<std::int32_t>> token_ids(const Json& list);

}  // namespace lore::cli
