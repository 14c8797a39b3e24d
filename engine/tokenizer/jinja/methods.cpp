// The methods of strings, lists and dicts.
#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.hpp"
#include "engine/tokenizer/jinja/builtins.hpp"
#include "engine/tokenizer/jinja/error.hpp"
#include "engine/tokenizer/jinja/limits.hpp"
#include "engine/tokenizer/jinja/text.hpp"

namespace lore::engine::jinja {
namespace {

using TextMethod = Value (*)(const std::string& text, const Arguments& arguments);

Value to_list(const std::vector<std::string>& parts) {
  return Value::list({parts.begin(), parts.end()});
}

template <Side side>
Value strip_method(const std::string& text, const Arguments& arguments) {
  return strip(text, side, arguments.text(0, "chars", ""));
}

/// startswith and endswith: a string, or a tuple of them.
template <typename Check>
bool any_affix(const Arguments& arguments, Check check) {
  const Value* given = arguments.find(0, "prefix");
  if (given == nullptr) throw render_error("startswith or endswith lacks its argument");
  const std::vector<Value> affixes =
      given->list() != nullptr ? given->list()->items : std::vector<Value>{*given};
  return std::any_of(affixes.begin(), affixes.end(), [&](const Value& affix) {
    if (affix.string() == nullptr) throw render_error("startswith or endswith needs a string");
    return check(*affix.string());
  });
}

/// A code-point index of a byte offset; -1 for none.
Value position_of(const std::string& text, std::size_t offset) {
  if (offset == std::string::npos) return std::int64_t{-1};
  return utf8::decode(std::string_view(text).substr(0, offset)).size();
}

/// str.format with plain fields: {}, {0}, {name}.
Value format_braces(const std::string& format, const Arguments& arguments) {
  std::string result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    const char c = format[i];
    if ((c == '{' || c == '}') && i + 1 < format.size() && format[i + 1] == c) {
      result += c;
      ++i;
      continue;
    }
    if (c != '{') {
      result += c;
      continue;
    }
    const std::size_t end = format.find('}', i);
    if (end == std::string::npos) throw render_error("format: a { is not closed");
    const std::string field = format.substr(i + 1, end - i - 1);
    i = end;
    const bool numbered = !field.empty() && field.size() < 4 &&
                          field.find_first_not_of("0123456789") == std::string::npos;
    const std::size_t place = field.empty() ? next++
                              : numbered    ? std::stoul(field)
                                            : arguments.positional.size();
    const Value* value = arguments.find(place, field);
    if (value == nullptr) throw render_error("format: there is no value for {" + field + "}");
    grow(result, to_text(*value));
  }
  return result;
}

Value join_method(const std::string& text, const Arguments& arguments) {
  const Value* items = arguments.find(0, "iterable");
  if (items == nullptr) throw render_error("join lacks its argument");
  std::string result;
  bool first = true;
  for (const Value& item : iterate(*items)) {
    if (item.string() == nullptr) throw render_error("join: an item is no string");
    if (!first) grow(result, text);
    first = false;
    grow(result, *item.string());
  }
  return result;
}

Value partition_method(const std::string& text, const Arguments& arguments) {
  const std::string separator = arguments.text(0, "sep", "");
  const std::size_t found = separator.empty() ? std::string::npos : text.find(separator);
  if (found == std::string::npos) return Value::tuple({text, "", ""});
  return Value::tuple({text.substr(0, found), separator, text.substr(found + separator.size())});
}

bool all_in_range(const std::string& text, bool letters, bool digits) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    const bool letter =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
    return (letters && letter) || (digits && c >= '0' && c <= '9');
  });
}

struct TextRow {
  std::string_view name;
  TextMethod body;
};

constexpr std::array kTextRows = {
    TextRow{"strip", strip_method<Side::both>},
    TextRow{"lstrip", strip_method<Side::left>},
    TextRow{"rstrip", strip_method<Side::right>},
    TextRow{"split",
            [](const std::string& text, const Arguments& arguments) {
              return to_list(
                  split(text, arguments.text(0, "sep", ""), arguments.integer(1, "maxsplit", -1)));
            }},
    TextRow{"rsplit",
            [](const std::string& text, const Arguments& arguments) {
              return to_list(split_from_right(text, arguments.text(0, "sep", ""),
                                              arguments.integer(1, "maxsplit", -1)));
            }},
    TextRow{"splitlines",
            [](const std::string& text, const Arguments& arguments) {
              return to_list(split_lines(text, arguments.flag(0, "keepends", false)));
            }},
    TextRow{"startswith",
            [](const std::string& text, const Arguments& arguments) -> Value {
              return any_affix(
                  arguments, [&](const std::string& prefix) { return text.rfind(prefix, 0) == 0; });
            }},
    TextRow{"endswith",
            [](const std::string& text, const Arguments& arguments) -> Value {
              return any_affix(arguments,
                               [&](const std::string& suffix) { return text.ends_with(suffix); });
            }},
    TextRow{"replace",
            [](const std::string& text, const Arguments& arguments) -> Value {
              return replace(text, arguments.text(0, "old", ""), arguments.text(1, "new", ""),
                             arguments.integer(2, "count", -1));
            }},
    TextRow{"removeprefix",
            [](const std::string& text, const Arguments& arguments) -> Value {
              const std::string prefix = arguments.text(0, "prefix", "");
              return text.rfind(prefix, 0) == 0 ? text.substr(prefix.size()) : text;
            }},
    TextRow{"removesuffix",
            [](const std::string& text, const Arguments& arguments) -> Value {
              const std::string suffix = arguments.text(0, "suffix", "");
              return text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : text;
            }},
    TextRow{"upper", [](const std::string& t, const Arguments&) -> Value { return upper(t); }},
    TextRow{"lower", [](const std::string& t, const Arguments&) -> Value { return lower(t); }},
    TextRow{"title", [](const std::string& t, const Arguments&) -> Value { return title(t); }},
    TextRow{"capitalize",
            [](const std::string& t, const Arguments&) -> Value { return capitalize(t); }},
    TextRow{"format", format_braces},
    TextRow{"join", join_method},
    TextRow{"partition", partition_method},
    TextRow{
        "find",
        [](const std::string& text,
           const Arguments&
               arguments) { return position_of(text, text.find(arguments.text(0, "sub", ""))); }},
    TextRow{
        "rfind",
        [](const std::string& text,
           const Arguments&
               arguments) { return position_of(text, text.rfind(arguments.text(0, "sub", ""))); }},
    TextRow{"count",
            [](const std::string& text, const Arguments& arguments)
                -> Value { return split(text, arguments.text(0, "sub", " ")).size() - 1; }},
    TextRow{"isdigit",
            [](const std::string& t,
               const Arguments&) -> Value { return all_in_range(t, false, true); }},
    TextRow{"isalpha",
            [](const std::string& t,
               const Arguments&) -> Value { return all_in_range(t, true, false); }},
    TextRow{"isalnum",
            [](const std::string& t,
               const Arguments&) -> Value { return all_in_range(t, true, true); }},
    TextRow{"isspace", [](const std::string& t, const Arguments&) -> Value {
              return !t.empty() && strip(t, Side::both).empty();
            }}};

Value dict_pairs(const Dict& dict, bool keys, bool values) {
  std::vector<Value> items;
  for (const auto& [key, value] : dict.items) {
    items.push_back(keys && values ? Value::tuple({key, value}) : keys ? key : value);
  }
  return Value::list(std::move(items));
}

Value dict_method(const Value& subject, const std::string& name) {
  if (name == "get") {
    return function(
        [subject](Interpreter&, const Arguments& arguments) -> Value {
          const Value* key = arguments.find(0, "key");
          if (key == nullptr) throw render_error("get lacks its key");
          if (const Value* found = subject.dict()->find(*key)) return *found;
          const Value* fallback = arguments.find(1, "default");
          return fallback == nullptr ? Value() : *fallback;
        },
        subject);
  }
  if (name == "items" || name == "keys" || name == "values") {
    const bool keys = name != "values";
    const bool values = name != "keys";
    return function(
        [subject, keys, values](Interpreter&, const Arguments&) {
          return dict_pairs(*subject.dict(), keys, values);
        },
        subject);
  }
  if (name == "copy") {
    return function(
        [subject](Interpreter&, const Arguments&) -> Value {
          return std::make_shared<Dict>(*subject.dict());
        },
        subject);
  }
  return Undefined{name};
}

Value list_method(const Value& subject, const std::string& name) {
  if (name != "index" && name != "count") return Undefined{name};
  const bool counts = name == "count";
  return function(
      [subject, counts](Interpreter&, const Arguments& arguments) -> Value {
        const Value* needle = arguments.find(0, "value");
        if (needle == nullptr) throw render_error("index or count lacks its argument");
        std::int64_t number = 0;
        const std::vector<Value>& items = subject.list()->items;
        for (std::size_t i = 0; i < items.size(); ++i) {
          if (!equals(items[i], *needle)) continue;
          if (!counts) return i;
          ++number;
        }
        if (!counts) throw render_error("index: the value is not in the list");
        return number;
      },
      subject);
}

bool changes_value(const Value& subject, const std::string& name) {
  constexpr std::array<std::string_view, 7> kOfLists = {"append", "clear", "pop",   "reverse",
                                                        "insert", "sort",  "extend"};
  constexpr std::array<std::string_view, 5> kOfDicts = {"clear", "pop", "popitem", "setdefault",
                                                        "update"};
  const auto is_name = [&name](std::string_view known) { return known == name; };
  if (subject.list() != nullptr) {
    return std::any_of(kOfLists.begin(), kOfLists.end(), is_name) || name == "remove";
  }
  return subject.dict() != nullptr && std::any_of(kOfDicts.begin(), kOfDicts.end(), is_name);
}

}  // namespace

Value method(const Value& subject, const std::string& name) {
  if (changes_value(subject, name)) {
    throw render_error("access to attribute '" + name + "' of '" +
                       std::string(subject.type_name()) + "' object is unsafe");
  }
  if (subject.dict() != nullptr) return dict_method(subject, name);
  if (subject.list() != nullptr) return list_method(subject, name);
  if (subject.string() == nullptr) return Undefined{name};
  for (const TextRow& row : kTextRows) {
    if (row.name != name) continue;
    return function(
        [subject, body = row.body](Interpreter&, const Arguments& arguments) {
          return body(*subject.string(), arguments);
        },
        subject);
  }
  return Undefined{name};
}

}  // namespace lore::engine::jinja
