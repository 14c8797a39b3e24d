#include "engine/tokenizer/jinja/value.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "engine/tokenizer/jinja/builtins.hpp"
#include "engine/tokenizer/jinja/error.hpp"
#include "engine/tokenizer/jinja/limits.hpp"
#include "engine/tokenizer/jinja/text.hpp"

namespace lore::engine::jinja {
namespace {

std::string joined_reprs(const std::vector<Value>& items) {
  std::string text;
  for (const Value& item : items) {
    if (!text.empty()) text += ", ";
    grow(text, to_repr(item));
  }
  return text;
}

std::string list_repr(const List& list) {
  const std::string inner = joined_reprs(list.items);
  if (!list.tuple) return "[" + inner + "]";
  return "(" + inner + (list.items.size() == 1 ? ",)" : ")");
}

std::string dict_repr(const Dict& dict) {
  std::string text;
  for (const auto& [key, value] : dict.items) {
    if (!text.empty()) text += ", ";
    grow(text, to_repr(key) + ": " + to_repr(value));
  }
  return "{" + text + "}";
}

bool numbers_equal(const Value& left, const Value& right) {
  if (left.is_integer() && right.is_integer()) return left.integer() == right.integer();
  return left.number() == right.number();
}

bool lists_equal(const List& left, const List& right) {
  return left.tuple == right.tuple && std::equal(left.items.begin(), left.items.end(),
                                                 right.items.begin(), right.items.end(), equals);
}

bool dicts_equal(const Dict& left, const Dict& right) {
  if (left.items.size() != right.items.size()) return false;
  return std::all_of(left.items.begin(), left.items.end(), [&](const auto& pair) {
    const Value* other = right.find(pair.first);
    return other != nullptr && equals(pair.second, *other);
  });
}

template <typename Type>
Type* pointee(const Value::Storage& storage) {
  const auto* shared = std::get_if<std::shared_ptr<Type>>(&storage);
  return shared == nullptr ? nullptr : shared->get();
}

}  // namespace

Undefined::Undefined(std::string_view given) : name(cut(given, 80)) {}

void Extent::contain(const Value& part) {
  constexpr int kDeepest = 100;
  constexpr std::uint64_t kHeaviest = std::uint64_t{1} << 60U;  // far above any budget
  const Extent other = part.extent();
  weight = std::min(weight + other.weight, kHeaviest);
  depth = std::max(depth, other.depth + 1);
  if (depth > kDeepest) throw render_error("lists or dicts lie too deep inside each other");
}

List::List(std::vector<Value> values, bool is_tuple) : items(std::move(values)), tuple(is_tuple) {
  for (const Value& item : items) extent.contain(item);
}

Value Value::markup(std::string text) {
  Value value(std::move(text));
  value.markup_ = true;
  return value;
}

Value Value::list(std::vector<Value> items) {
  return Value(std::make_shared<const List>(std::move(items), false));
}

Value Value::tuple(std::vector<Value> items) {
  return Value(std::make_shared<const List>(std::move(items), true));
}

const std::string* Value::string() const { return pointee<const std::string>(storage_); }
const List* Value::list() const { return pointee<const List>(storage_); }
Dict* Value::dict() const { return pointee<Dict>(storage_); }
Namespace* Value::space() const { return pointee<Namespace>(storage_); }
Loop* Value::loop() const { return pointee<Loop>(storage_); }
const Callable* Value::callable() const { return pointee<const Callable>(storage_); }

std::int64_t Value::integer() const {
  if (const bool* flag = std::get_if<bool>(&storage_)) return *flag ? 1 : 0;
  return std::get<std::int64_t>(storage_);
}

double Value::number() const {
  if (const double* number = std::get_if<double>(&storage_)) return *number;
  return static_cast<double>(integer());
}

Extent Value::extent() const {
  Extent extent;
  if (const std::string* text = string()) extent.weight += text->size();
  if (const List* items = list()) return items->extent;
  if (const Dict* map = dict()) return map->extent;
  if (const Callable* callee = callable()) return callee->extent();
  return extent;
}

bool Value::truthy() const {
  if (is_undefined() || is_none()) return false;
  if (is_integer()) return integer() != 0;
  if (is<double>()) return number() != 0;
  if (const std::string* text = string()) return !text->empty();
  if (const List* items = list()) return !items->items.empty();
  if (const Dict* map = dict()) return !map->items.empty();
  return true;
}

std::string_view Value::type_name() const {
  constexpr std::array<std::string_view, 11> kNames = {
      "Undefined", "NoneType", "bool",      "int",         "float",   "str",
      "list",      "dict",     "namespace", "LoopContext", "function"};
  if (const List* items = list(); items != nullptr && items->tuple) return "tuple";
  return kNames[storage_.index()];
}

const Value* Dict::find(const Value& key) const {
  for (const auto& [known, value] : items) {
    if (equals(known, key)) return &value;
  }
  return nullptr;
}

const Value* Dict::find(std::string_view key) const {
  for (const auto& [known, value] : items) {
    if (known.string() != nullptr && *known.string() == key) return &value;
  }
  return nullptr;
}

void Dict::set(Value key, Value value) {
  extent.contain(key);
  extent.contain(value);
  for (auto& [known, old] : items) {
    if (equals(known, key)) {
      old = std::move(value);
      return;
    }
  }
  items.emplace_back(std::move(key), std::move(value));
}

const Value* Namespace::find(std::string_view name) const {
  for (const auto& [known, value] : attributes) {
    if (known == name) return &value;
  }
  return nullptr;
}

void Namespace::set(const std::string& name, Value value) {
  for (auto& [known, old] : attributes) {
    if (known == name) {
      old = std::move(value);
      return;
    }
  }
  attributes.emplace_back(name, std::move(value));
}

bool equals(const Value& left, const Value& right) {
  if (left.is_undefined() || right.is_undefined()) {
    return left.is_undefined() && right.is_undefined();
  }
  if (left.is_number() && right.is_number()) return numbers_equal(left, right);
  if (left.is_none() || right.is_none()) return left.is_none() && right.is_none();
  if (left.string() != nullptr && right.string() != nullptr) {
    return *left.string() == *right.string();
  }
  if (left.list() != nullptr && right.list() != nullptr) {
    return lists_equal(*left.list(), *right.list());
  }
  if (left.dict() != nullptr && right.dict() != nullptr) {
    return dicts_equal(*left.dict(), *right.dict());
  }
  if (left.space() != nullptr) return left.space() == right.space();
  if (left.callable() != nullptr) return left.callable() == right.callable();
  return left.loop() != nullptr && left.loop() == right.loop();
}

std::string to_text(const Value& value) {
  if (value.is_undefined()) return {};
  if (const std::string* text = value.string()) return *text;
  return to_repr(value);
}

std::string to_repr(const Value& value) {
  if (value.is_undefined()) return "Undefined";
  if (value.is_none()) return "None";
  if (value.is<bool>()) return value.truthy() ? "True" : "False";
  if (value.is<std::int64_t>()) return std::to_string(value.integer());
  if (value.is<double>()) return float_text(value.number());
  if (const std::string* text = value.string()) return quoted(*text);
  if (const List* list = value.list()) return list_repr(*list);
  if (const Dict* dict = value.dict()) return dict_repr(*dict);
  return std::string(1, '<').append(value.type_name()).append(1, '>');
}

std::string float_text(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  std::array<char, 64> buffer{};
  const double magnitude = std::fabs(number);
  const bool scientific = magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16);
  const auto format = scientific ? std::chars_format::scientific : std::chars_format::fixed;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number, format).ptr;
  std::string text(buffer.data(), end);
  if (!scientific && text.find('.') == std::string::npos) text += ".0";
  return text;
}

}  // namespace lore::engine::jinja
