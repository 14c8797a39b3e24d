// JSON text to values and back.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/utf8.hpp"
#include "engine/tokenizer/jinja/builtins.hpp"
#include "engine/tokenizer/jinja/error.hpp"
#include "engine/tokenizer/jinja/limits.hpp"
#include "engine/tokenizer/jinja/text.hpp"

namespace lore::engine::jinja {
namespace {

constexpr int kDeepest = 100;  // of parsed values; the parser below them has a stack too

void append_unit(std::string& out, unsigned unit) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  out += "\\u";
  for (unsigned shift = 12;; shift -= 4) {
    out += kDigits[(unit >> shift) & 0xFU];
    if (shift == 0) return;
  }
}

void append_escaped(std::string& out, char32_t code_point, bool ascii) {
  static constexpr std::string_view kSpecial = "\"\\\n\r\t\b\f";
  static constexpr std::string_view kLetters = "\"\\nrtbf";
  if (code_point < 0x80) {
    const auto known = kSpecial.find(static_cast<char>(code_point));
    if (known != std::string_view::npos) {
      out += '\\';
      out += kLetters[known];
    } else if (code_point < 0x20) {
      append_unit(out, static_cast<unsigned>(code_point));
    } else {
      out += static_cast<char>(code_point);
    }
  } else if (!ascii) {
    utf8::append(out, code_point);
  } else if (code_point < 0x10000) {
    append_unit(out, static_cast<unsigned>(code_point));
  } else {
    const unsigned rest = static_cast<unsigned>(code_point) - 0x10000U;
    append_unit(out, 0xD800U + (rest >> 10U));
    append_unit(out, 0xDC00U + (rest & 0x3FFU));
  }
}

class JsonPrinter {
 public:
  explicit JsonPrinter(const JsonStyle& style) : style_(style) {}

  void print(const Value& value, int depth) {
    if (value.is_none()) {
      out_ += "null";
    } else if (value.is<bool>()) {
      out_ += value.truthy() ? "true" : "false";
    } else if (value.is<std::int64_t>()) {
      out_ += std::to_string(value.integer());
    } else if (value.is<double>()) {
      print_number(value.number());
    } else if (const std::string* text = value.string()) {
      print_string(*text);
    } else if (const List* list = value.list()) {
      print_list(*list, depth);
    } else if (const Dict* dict = value.dict()) {
      print_dict(*dict, depth);
    } else {
      throw render_error("tojson: a " + std::string(value.type_name()) + " has no JSON form");
    }
  }

  std::string take() { return std::move(out_); }

 private:
  void print_number(double number) {
    const std::string text = float_text(number);
    if (text == "nan") {
      out_ += "NaN";
    } else if (text == "inf" || text == "-inf") {
      out_ += text == "inf" ? "Infinity" : "-Infinity";
    } else {
      out_ += text;
    }
  }

  void print_string(const std::string& text) {
    grow(out_, "\"");
    for (std::size_t position = 0; position < text.size();) {
      append_escaped(out_, utf8::next(text, position), style_.ascii);
    }
    out_ += '"';
  }

  void new_line(int depth) {
    if (style_.indent < 0) return;
    out_ += '\n';
    grow(out_, std::string(
                   static_cast<std::size_t>(depth) * static_cast<std::size_t>(style_.indent), ' '));
  }

  void separate(bool first, int depth) {
    if (!first) grow(out_, style_.item_separator);
    new_line(depth);
  }

  void print_list(const List& list, int depth) {
    out_ += '[';
    bool first = true;
    for (const Value& value : list.items) {
      separate(first, depth + 1);
      first = false;
      print(value, depth + 1);
    }
    if (!first) new_line(depth);
    out_ += ']';
  }

  void print_dict(const Dict& dict, int depth) {
    std::vector<std::pair<std::string, const Value*>> pairs;
    for (const auto& [key, value] : dict.items) {
      pairs.emplace_back(key.string() != nullptr ? *key.string() : key_text(key), &value);
    }
    if (style_.sort_keys) {
      std::stable_sort(pairs.begin(), pairs.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
    }
    out_ += '{';
    bool first = true;
    for (const auto& [key, value] : pairs) {
      separate(first, depth + 1);
      first = false;
      print_string(key);
      grow(out_, style_.key_separator);
      print(*value, depth + 1);
    }
    if (!first) new_line(depth);
    out_ += '}';
  }

  static std::string key_text(const Value& key) {
    if (!key.is_none() && !key.is_number()) {
      throw render_error("tojson: a " + std::string(key.type_name()) + " cannot be a key");
    }
    return to_json(key, JsonStyle{});
  }

  const JsonStyle& style_;
  std::string out_;
};

Value from_parsed(const nlohmann::ordered_json& json, int depth) {
  if (depth > kDeepest) {
    throw render_error("from_json: the text nests too deep");
  }
  if (json.is_null()) return nullptr;
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned() &&
      json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
    return json.get<double>();
  }
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) {
    std::vector<Value> items;
    for (const auto& item : json) items.push_back(from_parsed(item, depth + 1));
    return Value::list(std::move(items));
  }
  const auto dict = std::make_shared<Dict>();
  for (const auto& [key, value] : json.items()) dict->set(key, from_parsed(value, depth + 1));
  return dict;
}

}  // namespace

std::string to_json(const Value& value, const JsonStyle& style) {
  JsonPrinter printer(style);
  printer.print(value, 0);
  return printer.take();
}

Value from_json(std::string_view text) {
  nlohmann::ordered_json json;
  try {
    json = nlohmann::ordered_json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::exception& error) {
    throw render_error("from_json: the text is not valid JSON: " +
                       std::string(cut(error.what(), 200)));
  }
  return from_parsed(json, 0);
}

}  // namespace lore::engine::jinja
