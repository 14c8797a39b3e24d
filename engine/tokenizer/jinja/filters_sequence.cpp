// The filters of Jinja on lists and dicts.
#include <algorithm>
#include <array>
#include <utility>

#include "engine/tokenizer/jinja/error.hpp"
#include "engine/tokenizer/jinja/filters.hpp"
#include "engine/tokenizer/jinja/interpreter.hpp"
#include "engine/tokenizer/jinja/limits.hpp"
#include "engine/tokenizer/jinja/text.hpp"

namespace lore::engine::jinja {
namespace {

/// An attribute path: "function.name", or an index.
Value path_item(Value value, const Value& path) {
  if (path.is_integer()) return item(value, path);
  for (const std::string& part : split(to_text(path), ".")) {
    const bool index = !part.empty() && part.size() < 10 &&
                       part.find_first_not_of("0123456789") == std::string::npos;
    value = index ? item(value, Value(std::int64_t{std::stol(part)})) : attribute(value, part);
  }
  return value;
}

/// What a filter looks at: the item, or its attribute where one is named.
Value key_of(const Value& value, const Value* path) {
  return path == nullptr || path->is_none() ? value : path_item(value, *path);
}

Value folded(const Value& value, bool case_sensitive) {
  if (case_sensitive || value.string() == nullptr) return value;
  return lower(*value.string());
}

Arguments from_second(const Arguments& arguments) {
  Arguments rest = arguments;
  if (!rest.positional.empty()) rest.positional.erase(rest.positional.begin());
  return rest;
}

/// select, reject, selectattr, rejectattr: by a test, or by truth where none is named.
template <bool keeps, bool by_attribute>
Value choose(Interpreter& interpreter, const Value& subject, const Arguments& arguments) {
  Arguments rest = arguments;
  Value path;
  if (by_attribute) {
    if (arguments.positional.empty()) throw render_error("selectattr lacks its attribute");
    path = arguments.positional[0];
    rest = from_second(rest);
  }
  const std::string test = rest.text(0, "test", "");
  rest = from_second(rest);
  std::vector<Value> kept;
  if (!subject.truthy()) return Value::list({});  // Jinja asks so, and None passes
  for (const Value& value : iterate(subject)) {
    const Value seen = by_attribute ? path_item(value, path) : value;
    const bool holds = test.empty() ? seen.truthy() : interpreter.apply_test(test, seen, rest);
    if (holds == keeps) kept.push_back(value);
  }
  return Value::list(std::move(kept));
}

Value map_filter(Interpreter& interpreter, const Value& subject, const Arguments& arguments) {
  std::vector<Value> mapped;
  if (!subject.truthy()) return Value::list({});
  const Value* path = arguments.positional.empty() ? arguments.find(0, "attribute") : nullptr;
  for (const Value& value : iterate(subject)) {
    if (path != nullptr) {
      Value found = path_item(value, *path);
      const Value* fallback = arguments.find(1, "default");
      mapped.push_back(found.is_undefined() && fallback != nullptr ? *fallback : found);
    } else {
      mapped.push_back(
          interpreter.apply_filter(arguments.text(0, "filter", ""), value, from_second(arguments)));
    }
  }
  return Value::list(std::move(mapped));
}

Value join_filter(Interpreter&, const Value& subject, const Arguments& arguments) {
  const std::string separator = arguments.text(0, "d", "");
  std::string result;
  bool first = true;
  for (const Value& value : iterate(subject)) {
    if (!first) grow(result, separator);
    first = false;
    grow(result, to_text(key_of(value, arguments.find(1, "attribute"))));
  }
  return result;
}

/// Items in the order of their keys; each key is made once.
std::vector<Value> sorted(std::vector<std::pair<Value, Value>> keys_and_items, bool reverse) {
  std::stable_sort(keys_and_items.begin(), keys_and_items.end(),
                   [reverse](const auto& a, const auto& b) {
                     return reverse ? less(b.first, a.first) : less(a.first, b.first);
                   });
  std::vector<Value> items;
  for (auto& [key, item] : keys_and_items) items.push_back(std::move(item));
  return items;
}

Value sort_filter(Interpreter&, const Value& subject, const Arguments& arguments) {
  const bool case_sensitive = arguments.flag(1, "case_sensitive", false);
  const Value* path = arguments.find(2, "attribute");
  std::vector<std::pair<Value, Value>> pairs;
  for (const Value& value : iterate(subject)) {
    pairs.emplace_back(folded(key_of(value, path), case_sensitive), value);
  }
  return Value::list(sorted(std::move(pairs), arguments.flag(0, "reverse", false)));
}

Value dictsort_filter(Interpreter&, const Value& subject, const Arguments& arguments) {
  const Dict* dict = subject.dict();
  if (dict == nullptr) throw render_error("dictsort needs a dict");
  const bool case_sensitive = arguments.flag(0, "case_sensitive", false);
  const bool by_value = arguments.text(1, "by", "key") == "value";
  std::vector<std::pair<Value, Value>> pairs;
  for (const auto& [key, value] : dict->items) {
    pairs.emplace_back(folded(by_value ? value : key, case_sensitive), Value::tuple({key, value}));
  }
  return Value::list(sorted(std::move(pairs), arguments.flag(2, "reverse", false)));
}

Value items_filter(Interpreter&, const Value& subject, const Arguments&) {
  std::vector<Value> items;
  if (subject.is_undefined()) return Value::list({});
  if (subject.dict() == nullptr) throw render_error("items needs a dict");
  for (const auto& [key, value] : subject.dict()->items) {
    items.push_back(Value::tuple({key, value}));
  }
  return Value::list(std::move(items));
}

Value unique_filter(Interpreter& interpreter, const Value& subject, const Arguments& arguments) {
  const bool case_sensitive = arguments.flag(0, "case_sensitive", false);
  const Value* path = arguments.find(1, "attribute");
  std::vector<Value> seen;
  std::vector<Value> kept;
  for (const Value& value : iterate(subject)) {
    Value key = folded(key_of(value, path), case_sensitive);
    interpreter.budget().work(seen.size() * key.extent().weight);
    const bool known = std::any_of(seen.begin(), seen.end(),
                                   [&](const Value& other) { return equals(other, key); });
    if (known) continue;
    seen.push_back(std::move(key));
    kept.push_back(value);
  }
  return Value::list(std::move(kept));
}

template <bool largest>
Value extreme_filter(Interpreter&, const Value& subject, const Arguments& arguments) {
  const bool case_sensitive = arguments.flag(0, "case_sensitive", false);
  const Value* path = arguments.find(1, "attribute");
  const std::vector<Value> items = iterate(subject);
  if (items.empty()) return Undefined{"the extreme of an empty sequence"};
  const auto smaller = [&](const Value& a, const Value& b) {
    return less(folded(key_of(a, path), case_sensitive), folded(key_of(b, path), case_sensitive));
  };
  return largest ? *std::max_element(items.begin(), items.end(), smaller)
                 : *std::min_element(items.begin(), items.end(), smaller);
}

Value sum_filter(Interpreter&, const Value& subject, const Arguments& arguments) {
  const Value* path = arguments.find(0, "attribute");
  double real = 0;
  std::int64_t whole = arguments.integer(1, "start", 0);
  bool all_whole = true;
  for (const Value& value : iterate(subject)) {
    const Value number = key_of(value, path);
    if (!number.is_number()) throw render_error("sum needs numbers");
    if (number.is_integer()) {
      if (__builtin_add_overflow(whole, number.integer(), &whole)) {
        throw render_error("a whole number grows past 64 bits");
      }
    } else {
      all_whole = false;
      real += number.number();
    }
  }
  return all_whole ? Value(whole) : Value(real + static_cast<double>(whole));
}

Value reverse_filter(Interpreter&, const Value& subject, const Arguments&) {
  std::vector<Value> items = iterate(subject);
  std::reverse(items.begin(), items.end());
  if (subject.string() == nullptr) return Value::list(std::move(items));
  std::string text;
  for (const Value& value : items) text += *value.string();
  return text;
}

Value batch_filter(Interpreter&, const Value& subject, const Arguments& arguments) {
  const std::int64_t size = arguments.integer(0, "linecount", 1);
  if (size < 1) throw render_error("batch needs a size of at least 1");
  const Value* fill = arguments.find(1, "fill_with");
  std::vector<Value> rows;
  std::vector<Value> row;
  for (const Value& value : iterate(subject)) {
    if (static_cast<std::int64_t>(row.size()) == size) {
      rows.push_back(Value::list(std::exchange(row, {})));
    }
    row.push_back(value);
  }
  if (!row.empty()) {
    while (fill != nullptr &&
           static_cast<std::int64_t>(row.size()) < std::min<std::int64_t>(size, 10000)) {
      row.push_back(*fill);
    }
    rows.push_back(Value::list(std::move(row)));
  }
  return Value::list(std::move(rows));
}

Value groupby_filter(Interpreter&, const Value& subject, const Arguments& arguments) {
  const Value* path = arguments.find(0, "attribute");
  std::vector<std::pair<Value, Value>> pairs;
  for (const Value& value : iterate(subject)) pairs.emplace_back(key_of(value, path), value);
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& a, const auto& b) { return less(a.first, b.first); });
  std::vector<Value> groups;
  for (std::size_t i = 0; i < pairs.size();) {
    const Value key = pairs[i].first;
    std::vector<Value> members;
    do {  // at least one: not every key equals itself
      members.push_back(pairs[i].second);
      ++i;
    } while (i < pairs.size() && equals(pairs[i].first, key));
    groups.push_back(Value::tuple({key, Value::list(std::move(members))}));
  }
  return Value::list(std::move(groups));
}

Value first_filter(Interpreter&, const Value& subject, const Arguments&) {
  const std::vector<Value> items = iterate(subject);
  return items.empty() ? Value(Undefined{"the first item of nothing"}) : items.front();
}

Value last_filter(Interpreter&, const Value& subject, const Arguments&) {
  const std::vector<Value> items = iterate(subject);
  return items.empty() ? Value(Undefined{"the last item of nothing"}) : items.back();
}

Value length_filter(Interpreter&, const Value& subject, const Arguments&) {
  return length(subject);
}

constexpr std::array kRows = {
    FilterRow{"length", length_filter},
    FilterRow{"count", length_filter},
    FilterRow{"first", first_filter},
    FilterRow{"last", last_filter},
    FilterRow{"list",
              [](Interpreter&, const Value& v, const Arguments&) -> Value {
                return Value::list(iterate(v));
              }},
    FilterRow{"join", join_filter},
    FilterRow{"items", items_filter},
    FilterRow{"dictsort", dictsort_filter},
    FilterRow{"sort", sort_filter},
    FilterRow{"unique", unique_filter},
    FilterRow{"reverse", reverse_filter},
    FilterRow{"map", map_filter},
    FilterRow{"select", choose<true, false>},
    FilterRow{"reject", choose<false, false>},
    FilterRow{"selectattr", choose<true, true>},
    FilterRow{"rejectattr", choose<false, true>},
    FilterRow{"min", extreme_filter<false>},
    FilterRow{"max", extreme_filter<true>},
    FilterRow{"sum", sum_filter},
    FilterRow{"batch", batch_filter},
    FilterRow{"groupby", groupby_filter},
    FilterRow{"attr",
              [](Interpreter&, const Value& v, const Arguments& arguments) -> Value {
                return attribute(v, arguments.text(0, "name", ""));
              }},
};

}  // namespace

Filter find_sequence_filter(std::string_view name) {
  const auto* found = std::find_if(kRows.begin(), kRows.end(),
                                   [name](const FilterRow& row) { return row.name == name; });
  return found == kRows.end() ? nullptr : found->filter;
}

}  // namespace lore::engine::jinja
