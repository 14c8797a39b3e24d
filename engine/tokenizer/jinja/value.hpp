// The values of a chat template: those of Python that Jinja templates meet.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace lore::engine::jinja {

class Value;
struct List;
struct Dict;
struct Namespace;
struct Loop;
class Callable;

/// A name or attribute that does not exist; prints as nothing, and most else with it is an error.
struct Undefined {
  Undefined() = default;
  explicit Undefined(std::string_view given);

  std::string name;  // for messages: its first 80 bytes
};

/// What hangs on a value. Refusing depth where values are made keeps every walk through them, and
/// their destruction, from running out of stack; weight tells before a walk how long it will be.
struct Extent {
  std::uint64_t weight = 48;  // bytes; what is shared counts as often as a walk would meet it
  int depth = 0;              // of lists, dicts and methods bound to them inside each other

  /// Adds a part. Throws Error{unsupported} where that nests too deep.
  void contain(const Value& part);
};

/// Copies share texts, lists, dicts and namespaces, as names in Python do.
class Value {
 public:
  using Storage = std::variant<Undefined, std::nullptr_t, bool, std::int64_t, double,
                               std::shared_ptr<const std::string>, std::shared_ptr<const List>,
                               std::shared_ptr<Dict>, std::shared_ptr<Namespace>,
                               std::shared_ptr<Loop>, std::shared_ptr<const Callable>>;

  // Whatever a template can hold becomes a value by itself.
  // NOLINTBEGIN(google-explicit-constructor)
  Value() : storage_(nullptr) {}  // None
  Value(Undefined undefined) : storage_(std::move(undefined)) {}
  Value(std::nullptr_t) : storage_(nullptr) {}
  Value(bool flag) : storage_(flag) {}
  Value(std::int64_t number) : storage_(number) {}
  Value(std::size_t number) : storage_(static_cast<std::int64_t>(number)) {}
  Value(double number) : storage_(number) {}
  Value(std::string text) : storage_(std::make_shared<const std::string>(std::move(text))) {}
  Value(const char* text) : Value(std::string(text)) {}
  Value(std::shared_ptr<const List> list) : storage_(std::move(list)) {}
  Value(std::shared_ptr<Dict> dict) : storage_(std::move(dict)) {}
  Value(std::shared_ptr<Namespace> space) : storage_(std::move(space)) {}
  Value(std::shared_ptr<Loop> loop) : storage_(std::move(loop)) {}
  Value(std::shared_ptr<const Callable> callable) : storage_(std::move(callable)) {}
  // NOLINTEND(google-explicit-constructor)

  /// What the filter `safe` makes of a string: text that is HTML already. It is an ordinary string
  /// in all but `+`, which escapes the other side.
  static Value markup(std::string text);
  static Value list(std::vector<Value> items);
  static Value tuple(std::vector<Value> items);

  template <typename Type>
  bool is() const {
    return std::holds_alternative<Type>(storage_);
  }
  bool is_undefined() const { return is<Undefined>(); }
  bool is_none() const { return is<std::nullptr_t>(); }
  bool is_string() const { return string() != nullptr; }
  bool is_markup() const { return markup_; }
  bool is_number() const { return is<std::int64_t>() || is<double>() || is<bool>(); }
  bool is_integer() const { return is<std::int64_t>() || is<bool>(); }

  /// Null where the value is of another kind.
  const std::string* string() const;
  const List* list() const;
  Dict* dict() const;
  Namespace* space() const;
  Loop* loop() const;
  const Callable* callable() const;
  const std::shared_ptr<const Callable>& shared_callable() const {
    return std::get<std::shared_ptr<const Callable>>(storage_);
  }
  const Undefined& undefined() const { return std::get<Undefined>(storage_); }

  /// Of a number; true is 1. `integer` must hold is_integer().
  std::int64_t integer() const;
  double number() const;

  Extent extent() const;

  /// Python's bool().
  bool truthy() const;
  /// Python's name of the kind ("str", "NoneType"), for messages.
  std::string_view type_name() const;

 private:
  Storage storage_;
  bool markup_ = false;
};

struct List {
  List(std::vector<Value> values, bool is_tuple);

  const std::vector<Value> items;
  const bool tuple;
  Extent extent;
};

/// Keeps the order of insertion, as Python does; small, so found by walking it.
struct Dict {
  std::vector<std::pair<Value, Value>> items;

  const Value* find(const Value& key) const;
  const Value* find(std::string_view key) const;
  void set(Value key, Value value);

  Extent extent;  // of all that was ever set
};

/// Jinja's namespace(): the one thing that a template may assign into.
struct Namespace {
  std::vector<std::pair<std::string, Value>> attributes;

  const Value* find(std::string_view name) const;
  void set(const std::string& name, Value value);
};

/// The `loop` of a for block.
struct Loop {
  std::shared_ptr<const std::vector<Value>> items;
  std::size_t index = 0;  // from 0
  std::size_t depth = 1;
  Value last_changed = Undefined{};
};

/// Python's ==.
bool equals(const Value& left, const Value& right);
/// Python's str() and repr().
std::string to_text(const Value& value);
std::string to_repr(const Value& value);
/// Shortest decimal that reads back as the same double, as Python prints it.
std::string float_text(double number);

}  // namespace lore::engine::jinja
