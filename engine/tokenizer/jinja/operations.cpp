// Operations on values that filters, tests and the evaluator share.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/utf8.hpp"
#include "engine/tokenizer/jinja/builtins.hpp"
#include "engine/tokenizer/jinja/error.hpp"
#include "engine/tokenizer/jinja/limits.hpp"

namespace lore::engine::jinja {
namespace {

[[noreturn]] void fail_kind(const Value& value, const std::string& what) {
  if (value.is_undefined()) {
    throw render_error("\"" + value.undefined().name + "\" is undefined");
  }
  throw render_error("a " + std::string(value.type_name()) + " " + what);
}

Value loop_neighbour(const Loop& loop, std::size_t index, const char* name) {
  return index < loop.items->size() ? (*loop.items)[index] : Value(Undefined{name});
}

Value loop_attribute(const Loop& loop, const std::string& name) {
  const std::size_t size = loop.items->size();
  const std::size_t index = loop.index;
  if (name == "index") return index + 1;
  if (name == "index0") return index;
  if (name == "revindex") return size - index;
  if (name == "revindex0") return size - index - 1;
  if (name == "first") return index == 0;
  if (name == "last") return index + 1 == size;
  if (name == "length") return size;
  if (name == "depth") return loop.depth;
  if (name == "depth0") return loop.depth - 1;
  if (name == "previtem") return loop_neighbour(loop, index - 1, "loop.previtem");
  if (name == "nextitem") return loop_neighbour(loop, index + 1, "loop.nextitem");
  return Undefined{"loop." + name};
}

/// loop.cycle(…) and loop.changed(…).
Value loop_method(const Value& subject, const std::string& name) {
  if (name == "cycle") {
    return function([subject](Interpreter&, const Arguments& arguments) -> Value {
      if (arguments.positional.empty()) throw render_error("loop.cycle needs values");
      return arguments.positional[subject.loop()->index % arguments.positional.size()];
    });
  }
  return function([subject](Interpreter&, const Arguments& arguments) -> Value {
    Value now = Value::tuple(arguments.positional);
    const bool changed = !equals(now, subject.loop()->last_changed);
    Loop& loop = *subject.loop();
    if (!loop.items->empty()) loop.last_changed = std::move(now);  // after its end nothing is kept
    return changed;
  });
}

std::size_t code_points(const std::string& text) {
  std::size_t count = 0;
  for (std::size_t position = 0; position < text.size(); ++count) utf8::next(text, position);
  return count;
}

Value text_item(const std::string& text, std::int64_t index) {
  if (index < 0) index += static_cast<std::int64_t>(code_points(text));
  std::size_t position = 0;
  for (; index > 0 && position < text.size(); --index) utf8::next(text, position);
  if (index != 0 || position >= text.size()) return Undefined{"a character past the end"};
  return utf8::encode({utf8::next(text, position)});
}

Value list_item(const List& list, std::int64_t index) {
  const auto size = static_cast<std::int64_t>(list.items.size());
  const std::int64_t place = index < 0 ? index + size : index;
  if (place < 0 || place >= size) return Undefined{"an item past the end"};
  return list.items[static_cast<std::size_t>(place)];
}

/// One conversion of a % format, without its value: "%", flags, width, precision.
std::string format_one(char conversion, const std::string& flags, const Value& value) {
  std::array<char, 512> buffer{};
  if (flags.size() > 16) throw render_error("a % format with too long a width");
  switch (conversion) {
    case 's':
    case 'r': {
      const std::string text = conversion == 's' ? to_text(value) : to_repr(value);
      if (flags.size() == 1) return text;
      const int size =
          std::snprintf(buffer.data(), buffer.size(), (flags + "s").c_str(), text.c_str());
      return {buffer.data(), std::min(static_cast<std::size_t>(size), buffer.size() - 1)};
    }
    case 'd':
    case 'i':
    case 'x':
    case 'X': {
      if (!value.is_number()) throw render_error("% format: a number is needed");
      if (!value.is_integer() && !(std::fabs(value.number()) < 9e18)) {
        throw render_error("% format: a number too large for \"d\"");
      }
      const long long number =
          value.is_integer() ? value.integer() : static_cast<long long>(value.number());
      const char letter = conversion == 'i' ? 'd' : conversion;
      std::snprintf(buffer.data(), buffer.size(), (flags + "ll" + letter).c_str(), number);
      return buffer.data();
    }
    case 'f':
    case 'e':
    case 'g': {
      if (!value.is_number()) throw render_error("% format: a number is needed");
      std::snprintf(buffer.data(), buffer.size(), (flags + conversion).c_str(), value.number());
      return buffer.data();
    }
    default:
      throw render_error("the % format \"" + flags + conversion + "\" is not understood");
  }
}

}  // namespace

const Value* Arguments::find(std::size_t place, std::string_view name) const {
  if (place < positional.size()) return &positional[place];
  for (const auto& [known, value] : named) {
    if (known == name) return &value;
  }
  return nullptr;
}

bool Arguments::flag(std::size_t place, std::string_view name, bool fallback) const {
  const Value* value = find(place, name);
  return value == nullptr ? fallback : value->truthy();
}

std::int64_t Arguments::integer(std::size_t place, std::string_view name,
                                std::int64_t fallback) const {
  const Value* value = find(place, name);
  if (value == nullptr || value->is_none()) return fallback;
  if (!value->is_integer()) fail_kind(*value, "is given for " + std::string(name));
  return value->integer();
}

std::string Arguments::text(std::size_t place, std::string_view name, std::string fallback) const {
  const Value* value = find(place, name);
  if (value == nullptr || value->is_none()) return fallback;
  if (value->string() == nullptr) fail_kind(*value, "is given for " + std::string(name));
  return *value->string();
}

std::vector<Value> iterate(const Value& value) {
  if (value.is_undefined()) return {};
  if (const List* list = value.list()) return list->items;
  std::vector<Value> items;
  if (const Dict* dict = value.dict()) {
    for (const auto& [key, ignored] : dict->items) items.push_back(key);
    return items;
  }
  if (const std::string* text = value.string()) {
    for (std::size_t position = 0; position < text->size();) {
      const std::size_t begin = position;
      utf8::next(*text, position);
      items.emplace_back(text->substr(begin, position - begin));
      if (items.size() > kMostParts) throw render_error("a text too long to walk through");
    }
    return items;
  }
  fail_kind(value, "cannot be walked through");
}

std::size_t length(const Value& value) {
  if (value.is_undefined()) return 0;
  if (const std::string* text = value.string()) return code_points(*text);
  if (const List* list = value.list()) return list->items.size();
  if (const Dict* dict = value.dict()) return dict->items.size();
  fail_kind(value, "has no length");
}

Value attribute(const Value& subject, const std::string& name) {
  if (subject.is_undefined()) {
    throw render_error("\"" + subject.undefined().name + "\" is undefined, so it has no \"" + name +
                       "\"");
  }
  if (const Loop* loop = subject.loop()) {
    if (name == "cycle" || name == "changed") return loop_method(subject, name);
    return loop_attribute(*loop, name);
  }
  if (const Namespace* space = subject.space()) {
    const Value* value = space->find(name);
    return value != nullptr ? *value : Value(Undefined{name});
  }
  Value bound = method(subject, name);
  if (!bound.is_undefined()) return bound;
  if (const Dict* dict = subject.dict()) {
    if (const Value* value = dict->find(std::string_view(name))) return *value;
  }
  return bound;
}

Value item(const Value& subject, const Value& key) {
  if (subject.is_undefined()) {
    throw render_error("\"" + subject.undefined().name + "\" is undefined");
  }
  if (const Dict* dict = subject.dict()) {
    if (const Value* value = dict->find(key)) return *value;
  } else if (key.is_integer()) {
    if (const List* list = subject.list()) return list_item(*list, key.integer());
    if (const std::string* text = subject.string()) return text_item(*text, key.integer());
  }
  if (const std::string* name = key.string()) {
    if (subject.dict() != nullptr) return method(subject, *name);
    return attribute(subject, *name);
  }
  return Undefined{to_text(key)};
}

bool less(const Value& left, const Value& right) {
  if (left.is_number() && right.is_number()) {
    if (left.is_integer() && right.is_integer()) return left.integer() < right.integer();
    return left.number() < right.number();
  }
  if (left.string() != nullptr && right.string() != nullptr) {
    return *left.string() < *right.string();  // UTF-8 sorts as its code points
  }
  const List* a = left.list();
  const List* b = right.list();
  if (a != nullptr && b != nullptr) {
    return std::lexicographical_compare(a->items.begin(), a->items.end(), b->items.begin(),
                                        b->items.end(), less);
  }
  fail_kind(left.is_undefined() ? left : right,
            "cannot be ordered beside a " + std::string(left.type_name()));
}

bool contains(const Value& container, const Value& needle) {
  if (const std::string* text = container.string()) {
    if (needle.string() == nullptr) fail_kind(needle, "cannot be looked for in a string");
    return text->find(*needle.string()) != std::string::npos;
  }
  if (const Dict* dict = container.dict()) return dict->find(needle) != nullptr;
  if (const List* list = container.list()) {
    return std::any_of(list->items.begin(), list->items.end(),
                       [&](const Value& value) { return equals(value, needle); });
  }
  if (container.is_undefined()) return false;
  fail_kind(container, "contains nothing");
}

std::string format_percent(const std::string& format, const std::vector<Value>& values) {
  std::string result;
  std::size_t used = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      result += format[i];
      continue;
    }
    std::string flags = "%";
    for (++i; i < format.size() &&
              std::string_view("-+ 0#.123456789").find(format[i]) != std::string_view::npos;
         ++i) {
      flags += format[i];
    }
    if (i >= format.size()) throw render_error("a % format that does not end");
    if (format[i] == '%') {
      result += '%';
      continue;
    }
    if (used >= values.size()) throw render_error("a % format with too few values");
    grow(result, format_one(format[i], flags, values[used++]));
  }
  if (used < values.size()) throw render_error("a % format with too many values");
  return result;
}

}  // namespace lore::engine::jinja
