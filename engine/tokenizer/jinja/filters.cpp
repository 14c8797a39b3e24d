// The filters of Jinja on single values; those on sequences are in filters_sequence.cpp.
#include "engine/tokenizer/jinja/filters.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/utf8.hpp"
#include "engine/tokenizer/jinja/error.hpp"
#include "engine/tokenizer/jinja/interpreter.hpp"
#include "engine/tokenizer/jinja/limits.hpp"
#include "engine/tokenizer/jinja/text.hpp"

namespace lore::engine::jinja {
namespace {

Value default_filter(Interpreter&, const Value& subject, const Arguments& arguments) {
  const bool empty_too = arguments.flag(1, "boolean", false);
  if (!subject.is_undefined() && (!empty_too || subject.truthy())) return subject;
  const Value* fallback = arguments.find(0, "default_value");
  return fallback == nullptr ? Value("") : *fallback;
}

Value tojson_filter(Interpreter&, const Value& subject, const Arguments& arguments) {
  JsonStyle style;
  style.ascii = arguments.flag(0, "ensure_ascii", false);
  const std::int64_t indent = arguments.integer(1, "indent", -1);
  style.indent = static_cast<int>(std::clamp<std::int64_t>(indent, -1, 32));
  if (style.indent >= 0) style.item_separator.assign(1, ',');
  const Value* separators = arguments.find(2, "separators");
  if (separators != nullptr && !separators->is_none()) {
    const std::vector<Value> pair = iterate(*separators);
    if (pair.size() != 2) throw render_error("tojson: separators are two strings");
    style.item_separator = to_text(pair[0]);
    style.key_separator = to_text(pair[1]);
  }
  style.sort_keys = arguments.flag(3, "sort_keys", false);
  return to_json(subject, style);
}

Value escape_filter(Interpreter&, const Value& subject, const Arguments&) {
  if (subject.is_markup()) return subject;
  return Value::markup(escape_html(to_text(subject)));
}

Value indent_filter(Interpreter&, const Value& subject, const Arguments& arguments) {
  const Value* width = arguments.find(0, "width");
  std::string prefix(4, ' ');
  if (width != nullptr && width->string() != nullptr) {
    prefix = *width->string();
  } else if (width != nullptr) {
    const std::int64_t count = arguments.integer(0, "width", 4);
    prefix.assign(static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, 1000)), ' ');
  }
  const bool first = arguments.flag(1, "first", false);
  const bool blank = arguments.flag(2, "blank", false);
  const std::string text = to_text(subject);
  const std::vector<std::string> lines = split(text, "\n");
  std::string result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) result += '\n';
    const bool indented = i == 0 ? first : blank || !lines[i].empty();
    if (indented) grow(result, prefix);
    grow(result, lines[i]);
  }
  return result;
}

Value replace_filter(Interpreter&, const Value& subject, const Arguments& arguments) {
  return replace(to_text(subject), arguments.text(0, "old", ""), arguments.text(1, "new", ""),
                 arguments.integer(2, "count", -1));
}

Value trim_filter(Interpreter&, const Value& subject, const Arguments& arguments) {
  return strip(to_text(subject), Side::both, arguments.text(0, "chars", ""));
}

Value int_filter(Interpreter&, const Value& subject, const Arguments& arguments) {
  const std::int64_t fallback = arguments.integer(0, "default", 0);
  if (subject.is_integer()) return subject.integer();
  if (subject.is<double>()) {
    const double number = subject.number();
    return std::fabs(number) < 9e18 ? static_cast<std::int64_t>(number) : fallback;
  }
  if (subject.string() == nullptr) return fallback;
  const std::string text = strip(*subject.string(), Side::both);
  const int base =
      static_cast<int>(std::clamp<std::int64_t>(arguments.integer(1, "base", 10), 2, 36));
  std::int64_t whole = 0;
  const char* end = text.data() + text.size();
  const char* begin = text.data() + (!text.empty() && text[0] == '+' ? 1 : 0);
  if (const auto read = std::from_chars(begin, end, whole, base);
      read.ec == std::errc() && read.ptr == end) {
    return whole;
  }
  double real = 0;
  if (const auto read = std::from_chars(begin, end, real);
      read.ec == std::errc() && read.ptr == end && std::fabs(real) < 9e18) {
    return static_cast<std::int64_t>(real);
  }
  return fallback;
}

Value float_filter(Interpreter&, const Value& subject, const Arguments& arguments) {
  if (subject.is_number()) return subject.number();
  const Value* given = arguments.find(0, "default");
  const Value fallback = given == nullptr ? Value(0.0) : *given;
  if (subject.string() == nullptr) return fallback;
  const std::string text = strip(*subject.string(), Side::both);
  double number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end ? Value(number) : fallback;
}

Value round_filter(Interpreter&, const Value& subject, const Arguments& arguments) {
  if (!subject.is_number()) throw render_error("round needs a number");
  const std::int64_t precision = arguments.integer(0, "precision", 0);
  const std::string how = arguments.text(1, "method", "common");
  const double scale = std::pow(10.0, static_cast<double>(precision));
  const double scaled = subject.number() * scale;
  if (how == "ceil") return std::ceil(scaled) / scale;
  if (how == "floor") return std::floor(scaled) / scale;
  return std::nearbyint(scaled) / scale;
}

Value abs_filter(Interpreter&, const Value& subject, const Arguments&) {
  if (!subject.is_number()) throw render_error("abs needs a number");
  if (subject.is<double>() || subject.integer() == INT64_MIN) return std::fabs(subject.number());
  return std::abs(subject.integer());
}

Value format_filter(Interpreter&, const Value& subject, const Arguments& arguments) {
  return format_percent(to_text(subject), arguments.positional);
}

/// An argument that is a length: at least 0, and so small that two of them can be added.
std::size_t whole_size(const Arguments& arguments, std::size_t place, std::string_view name,
                       std::int64_t fallback) {
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(arguments.integer(place, name, fallback), 0, INT32_MAX));
}

Value truncate_filter(Interpreter&, const Value& subject, const Arguments& arguments) {
  const std::size_t limit = whole_size(arguments, 0, "length", 255);
  const bool inside_words = arguments.flag(1, "killwords", false);
  const std::string end = arguments.text(2, "end", "...");
  const std::size_t leeway = whole_size(arguments, 3, "leeway", 5);
  const std::string text = to_text(subject);
  const std::vector<char32_t> all = utf8::decode(text);
  if (all.size() <= limit + leeway) return text;
  const std::size_t kept = limit - std::min(limit, length(end));  // below the text's length
  std::string cut = utf8::encode({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept)});
  if (!inside_words) cut = cut.substr(0, std::min(cut.rfind(' '), cut.size()));
  return cut + end;
}

Value wordcount_filter(Interpreter&, const Value& subject, const Arguments&) {
  return split(to_text(subject), "").size();
}

constexpr std::array kRows = {
    FilterRow{"default", default_filter},
    FilterRow{"d", default_filter},
    FilterRow{"tojson", tojson_filter},
    FilterRow{"from_json",
              [](Interpreter& interpreter, const Value& v, const Arguments&) -> Value {
                const std::string text = to_text(v);
                interpreter.budget().work_across(text.size(), text.size());  // keys by walking
                return from_json(text);
              }},
    FilterRow{"trim", trim_filter},
    FilterRow{"string",
              [](Interpreter&, const Value& v, const Arguments&) -> Value { return to_text(v); }},
    FilterRow{"safe",
              [](Interpreter&, const Value& v, const Arguments&) -> Value {
                return Value::markup(to_text(v));
              }},
    FilterRow{
        "upper",
        [](Interpreter&, const Value& v, const Arguments&) -> Value { return upper(to_text(v)); }},
    FilterRow{
        "lower",
        [](Interpreter&, const Value& v, const Arguments&) -> Value { return lower(to_text(v)); }},
    FilterRow{
        "title",
        [](Interpreter&, const Value& v, const Arguments&) -> Value { return title(to_text(v)); }},
    FilterRow{"capitalize",
              [](Interpreter&, const Value& v, const Arguments&) -> Value {
                return capitalize(to_text(v));
              }},
    FilterRow{"escape", escape_filter},
    FilterRow{"e", escape_filter},
    FilterRow{"indent", indent_filter},
    FilterRow{"replace", replace_filter},
    FilterRow{"int", int_filter},
    FilterRow{"float", float_filter},
    FilterRow{"round", round_filter},
    FilterRow{"abs", abs_filter},
    FilterRow{"format", format_filter},
    FilterRow{"truncate", truncate_filter},
    FilterRow{"wordcount", wordcount_filter},
};

}  // namespace

Filter find_filter(std::string_view name) {
  const auto* found = std::find_if(kRows.begin(), kRows.end(),
                                   [name](const FilterRow& row) { return row.name == name; });
  return found != kRows.end() ? found->filter : find_sequence_filter(name);
}

}  // namespace lore::engine::jinja
