// What a template finds ready: filters, tests, functions and methods.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/tokenizer/jinja/value.hpp"

namespace lore::engine::jinja {

class Interpreter;

/// The arguments of a call.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;

  /// The argument at that place or of that name; null where it was not given.
  const Value* find(std::size_t place, std::string_view name) const;
  bool flag(std::size_t place, std::string_view name, bool fallback) const;
  /// Throws Error{unsupported} where it is no whole number.
  std::int64_t integer(std::size_t place, std::string_view name, std::int64_t fallback) const;
  /// Throws Error{unsupported} where it is no string.
  std::string text(std::size_t place, std::string_view name, std::string fallback) const;
};

/// Something that a template can call.
class Callable {
 public:
  virtual ~Callable() = default;
  virtual Value call(Interpreter& interpreter, const Arguments& arguments) const = 0;
  virtual Extent extent() const { return {}; }
};

using Function = std::function<Value(Interpreter&, const Arguments&)>;
/// A callable of a function; `subject` is the value whose method it is.
Value function(Function body, const Value& subject = {});

using Filter = Value (*)(Interpreter&, const Value& subject, const Arguments&);
/// Null for an unknown name.
Filter find_filter(std::string_view name);
inline bool is_filter(std::string_view name) { return find_filter(name) != nullptr; }

using Test = bool (*)(const Value& subject, const Arguments&);
Test find_test(std::string_view name);
inline bool is_test(std::string_view name) { return find_test(name) != nullptr; }

/// The functions that every template may call: range, namespace, dict, raise_exception …
std::vector<std::pair<std::string, Value>> global_functions();

/// A bound method of a string, list or dict; undefined where Python has none of that name. Throws
/// Error{unsupported} for those that change a value, which the sandbox forbids.
Value method(const Value& subject, const std::string& name);

// Operations that several of them share.

/// The items that a loop goes through: of a list, the keys of a dict, the characters of a string,
/// none of an undefined value. Throws Error{unsupported} for anything else.
std::vector<Value> iterate(const Value& value);
/// Python's len(). Throws Error{unsupported} where there is none.
std::size_t length(const Value& value);
/// subject.name and subject[key], undefined where there is no such thing.
Value attribute(const Value& subject, const std::string& name);
Value item(const Value& subject, const Value& key);
/// Python's <. Throws Error{unsupported} for kinds that have no order.
bool less(const Value& left, const Value& right);
/// Python's in.
bool contains(const Value& container, const Value& needle);
/// Python's format % values.
std::string format_percent(const std::string& format, const std::vector<Value>& values);

/// json.dumps of Python: `indent` below 0 for one line. Throws Error{unsupported} for what JSON
/// cannot express.
struct JsonStyle {
  int indent = -1;
  std::string item_separator = ", ";
  std::string key_separator = ": ";
  bool ascii = false;
  bool sort_keys = false;
};
std::string to_json(const Value& value, const JsonStyle& style);
/// Throws Error{unsupported} where the text is no JSON.
Value from_json(std::string_view text);

}  // namespace lore::engine::jinja
