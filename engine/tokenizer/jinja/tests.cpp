// The tests of Jinja: "x is defined" and its like.
#include <algorithm>
#include <array>

#include "engine/tokenizer/jinja/builtins.hpp"
#include "engine/tokenizer/jinja/error.hpp"
#include "engine/tokenizer/jinja/text.hpp"

namespace lore::engine::jinja {
namespace {

struct Row {
  std::string_view name;
  Test test;
};

const Value& operand(const Arguments& arguments) {
  if (arguments.positional.empty()) throw render_error("a test lacks what to compare with");
  return arguments.positional[0];
}

std::int64_t remainder(const Value& value, std::int64_t divisor) {
  if (!value.is_integer()) throw render_error("a test needs a whole number");
  if (divisor == 0) throw render_error("a division by zero");
  return divisor == -1 ? 0 : value.integer() % divisor;
}

bool is_cased(const Value& value, std::string (*convert)(std::string_view)) {
  const std::string text = to_text(value);
  return convert(text) == text && lower(text) != upper(text);
}

bool is_iterable(const Value& value) {
  return value.is_undefined() || value.string() != nullptr || value.list() != nullptr ||
         value.dict() != nullptr;
}

bool equal_to(const Value& value, const Arguments& arguments) {
  return equals(value, operand(arguments));
}
bool unequal_to(const Value& value, const Arguments& arguments) {
  return !equals(value, operand(arguments));
}
bool less_than(const Value& value, const Arguments& arguments) {
  return less(value, operand(arguments));
}
bool greater_than(const Value& value, const Arguments& arguments) {
  return less(operand(arguments), value);
}
bool at_most(const Value& value, const Arguments& arguments) {
  return !less(operand(arguments), value);
}
bool at_least(const Value& value, const Arguments& arguments) {
  return !less(value, operand(arguments));
}
/// The same object: of things that are shared, not only equal.
bool same_as(const Value& value, const Arguments& arguments) {
  const Value& other = operand(arguments);
  if (value.list() != nullptr || value.dict() != nullptr) {
    return value.list() == other.list() && value.dict() == other.dict();
  }
  return value.type_name() == other.type_name() && equals(value, other);
}

constexpr std::array kRows = {
    Row{"defined", [](const Value& v, const Arguments&) { return !v.is_undefined(); }},
    Row{"undefined", [](const Value& v, const Arguments&) { return v.is_undefined(); }},
    Row{"none", [](const Value& v, const Arguments&) { return v.is_none(); }},
    Row{"string", [](const Value& v, const Arguments&) { return v.is_string(); }},
    Row{"mapping", [](const Value& v, const Arguments&) { return v.dict() != nullptr; }},
    Row{"iterable", [](const Value& v, const Arguments&) { return is_iterable(v); }},
    Row{"sequence", [](const Value& v, const Arguments&) { return is_iterable(v); }},
    Row{"number", [](const Value& v, const Arguments&) { return v.is_number(); }},
    Row{"integer", [](const Value& v, const Arguments&) { return v.is<std::int64_t>(); }},
    Row{"float", [](const Value& v, const Arguments&) { return v.is<double>(); }},
    Row{"boolean", [](const Value& v, const Arguments&) { return v.is<bool>(); }},
    Row{"true", [](const Value& v, const Arguments&) { return v.is<bool>() && v.truthy(); }},
    Row{"false", [](const Value& v, const Arguments&) { return v.is<bool>() && !v.truthy(); }},
    Row{"callable", [](const Value& v, const Arguments&) { return v.callable() != nullptr; }},
    Row{"lower", [](const Value& v, const Arguments&) { return is_cased(v, lower); }},
    Row{"upper", [](const Value& v, const Arguments&) { return is_cased(v, upper); }},
    Row{"even", [](const Value& v, const Arguments&) { return remainder(v, 2) == 0; }},
    Row{"odd", [](const Value& v, const Arguments&) { return remainder(v, 2) != 0; }},
    Row{"divisibleby",
        [](const Value& v, const Arguments& arguments) {
          return remainder(v, operand(arguments).is_integer() ? operand(arguments).integer() : 0) ==
                 0;
        }},
    Row{"in",
        [](const Value& v, const Arguments& arguments) { return contains(operand(arguments), v); }},
    Row{"sameas", same_as},
    Row{"escaped", [](const Value&, const Arguments&) { return false; }},
    Row{"eq", equal_to},
    Row{"equalto", equal_to},
    Row{"==", equal_to},
    Row{"ne", unequal_to},
    Row{"!=", unequal_to},
    Row{"lt", less_than},
    Row{"lessthan", less_than},
    Row{"<", less_than},
    Row{"gt", greater_than},
    Row{"greaterthan", greater_than},
    Row{">", greater_than},
    Row{"le", at_most},
    Row{"<=", at_most},
    Row{"ge", at_least},
    Row{">=", at_least},
};

}  // namespace

Test find_test(std::string_view name) {
  const auto* found =
      std::find_if(kRows.begin(), kRows.end(), [name](const Row& row) { return row.name == name; });
  return found == kRows.end() ? nullptr : found->test;
}

}  // namespace lore::engine::jinja
