// The functions that every template may call.
#include <array>
#include <ctime>
#include <utility>

#include "engine/tokenizer/jinja/builtins.hpp"
#include "engine/tokenizer/jinja/error.hpp"
#include "engine/tokenizer/jinja/interpreter.hpp"
#include "engine/tokenizer/jinja/text.hpp"

namespace lore::engine::jinja {
namespace {

class FunctionCallable : public Callable {
 public:
  FunctionCallable(Function body, const Value& subject) : body_(std::move(body)) {
    extent_.contain(subject);
  }
  Value call(Interpreter& interpreter, const Arguments& arguments) const override {
    return body_(interpreter, arguments);
  }
  Extent extent() const override { return extent_; }

 private:
  Function body_;
  Extent extent_;
};

Value range(Interpreter& interpreter, const Arguments& arguments) {
  constexpr std::int64_t kLongest = 100'000;  // the sandbox's own limit
  const std::size_t given = arguments.positional.size();
  if (given < 1 || given > 3) throw render_error("range takes one to three numbers");
  const std::int64_t start = given == 1 ? 0 : arguments.integer(0, "start", 0);
  const std::int64_t stop = arguments.integer(given == 1 ? 0 : 1, "stop", 0);
  const std::int64_t step = given == 3 ? arguments.integer(2, "step", 1) : 1;
  if (step == 0) throw render_error("range with the step 0");
  const double count =
      (static_cast<double>(stop) - static_cast<double>(start)) / static_cast<double>(step);
  if (count > static_cast<double>(kLongest)) throw render_error("range is longer than 100000");
  std::vector<Value> items;
  if (count > 0) {
    for (std::int64_t i = start; step > 0 ? i < stop : i > stop; i += step) {
      items.emplace_back(i);
      if (step > 0 ? i > INT64_MAX - step : i < INT64_MIN - step) break;
    }
  }
  interpreter.budget().make_items(items.size());
  return Value::list(std::move(items));
}

Value make_namespace(Interpreter& interpreter, const Arguments& arguments) {
  auto space = interpreter.new_namespace();
  if (!arguments.positional.empty()) {
    const Dict* first = arguments.positional[0].dict();
    if (first == nullptr) throw render_error("namespace takes a dict or named values");
    interpreter.budget().work_across(first->extent.weight,
                                     first->items.size());  // finds by walking
    for (const auto& [key, value] : first->items) space->set(to_text(key), value);
  }
  for (const auto& [name, value] : arguments.named) space->set(name, value);
  return space;
}

Value make_dict(Interpreter& interpreter, const Arguments& arguments) {
  auto dict = std::make_shared<Dict>();
  if (!arguments.positional.empty()) {
    if (const Dict* first = arguments.positional[0].dict()) {
      *dict = *first;
    } else {
      for (const Value& pair : iterate(arguments.positional[0])) {
        const std::vector<Value> parts = iterate(pair);
        if (parts.size() != 2) throw render_error("dict takes pairs");
        interpreter.budget().work(dict->items.size() * parts[0].extent().weight);
        dict->set(parts[0], parts[1]);
      }
    }
  }
  for (const auto& [name, value] : arguments.named) dict->set(name, value);
  return dict;
}

Value raise_exception(Interpreter&, const Arguments& arguments) {
  constexpr std::size_t kLongestMessage = 1000;
  const Value* given = arguments.find(0, "message");
  const std::string text = given == nullptr ? "" : to_text(*given);
  throw Error(ErrorCode::invalid_argument,
              text.empty() ? "the chat template refuses, without saying why"
                           : std::string(cut(text, kLongestMessage)),
              "chat_template");
}

std::string padded(int number, int width, char fill = '0') {
  std::string text = std::to_string(number);
  const auto wanted = static_cast<std::size_t>(width);
  return text.size() >= wanted ? text : std::string(wanted - text.size(), fill) + text;
}

/// One conversion of strftime in English, whatever the process's locale.
std::string format_time_field(char letter, const std::tm& time) {
  static constexpr std::array<const char*, 12> kMonths = {
      "January", "February", "March",     "April",   "May",      "June",
      "July",    "August",   "September", "October", "November", "December"};
  static constexpr std::array<const char*, 7> kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};
  const std::string month = kMonths[static_cast<std::size_t>(time.tm_mon) % kMonths.size()];
  const std::string day = kDays[static_cast<std::size_t>(time.tm_wday) % kDays.size()];
  const int hour12 = time.tm_hour % 12 == 0 ? 12 : time.tm_hour % 12;
  switch (letter) {
    case 'Y':
      return std::to_string(time.tm_year + 1900);
    case 'y':
      return padded((time.tm_year + 1900) % 100, 2);
    case 'm':
      return padded(time.tm_mon + 1, 2);
    case 'd':
      return padded(time.tm_mday, 2);
    case 'e':
      return padded(time.tm_mday, 2, ' ');
    case 'j':
      return padded(time.tm_yday + 1, 3);
    case 'H':
      return padded(time.tm_hour, 2);
    case 'I':
      return padded(hour12, 2);
    case 'M':
      return padded(time.tm_min, 2);
    case 'S':
      return padded(time.tm_sec, 2);
    case 'p':
      return time.tm_hour < 12 ? "AM" : "PM";
    case 'B':
      return month;
    case 'b':
    case 'h':
      return month.substr(0, 3);
    case 'A':
      return day;
    case 'a':
      return day.substr(0, 3);
    case '%':
      return "%";
    default:
      throw render_error(std::string("strftime_now: %") + letter + " is not understood");
  }
}

Value strftime_now(Interpreter& interpreter, const Arguments& arguments) {
  std::string format = arguments.text(0, "format", "");
  const std::tm time = interpreter.now();
  std::string result;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 >= format.size()) {
      result += format[i];
      continue;
    }
    const bool unpadded = format[i + 1] == '-' && i + 2 < format.size();
    i += unpadded ? 2 : 1;
    std::string field = format_time_field(format[i], time);
    if (unpadded) {
      while (field.size() > 1 && (field[0] == '0' || field[0] == ' ')) field.erase(0, 1);
    }
    result += field;
  }
  return result;
}

}  // namespace

Value function(Function body, const Value& subject) {
  return std::shared_ptr<const Callable>(
      std::make_shared<FunctionCallable>(std::move(body), subject));
}

std::vector<std::pair<std::string, Value>> global_functions() {
  return {{"range", function(range)},
          {"namespace", function(make_namespace)},
          {"dict", function(make_dict)},
          {"raise_exception", function(raise_exception)},
          {"strftime_now", function(strftime_now)}};
}

}  // namespace lore::engine::jinja
