#include "pipeline/citations/figures.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"

namespace lore::pipeline::citations {
namespace {

using Text = std::vector<char32_t>;

std::size_t digits_end(const Text& text, std::size_t position) {
  while (position < text.size() && is_digit(text[position])) ++position;
  return position;
}

std::string digits_of(const Text& text, std::size_t begin, std::size_t end) {
  std::string digits;
  for (std::size_t i = begin; i < end; ++i) {
    if (is_digit(text[i])) digits += static_cast<char>(text[i]);
  }
  return digits;
}

/// Digit groups and what stands between them: "1,234.5" has groups 1, 234, 5 and ",.".
struct Groups {
  std::vector<std::string> digits;
  std::u32string separators;
  std::size_t end = 0;
};

bool is_group_separator(char32_t c) {
  return c == U'.' || c == U',' || c == U'\'' || c == U' ' || c == U'\u00B7';
}

/// The groups that may form one number: a blank or an apostrophe only before exactly three digits,
/// a point or comma before any.
Groups read_groups(const Text& text, std::size_t position) {
  Groups groups;
  groups.end = digits_end(text, position);
  groups.digits.push_back(digits_of(text, position, groups.end));
  while (groups.end + 1 < text.size() && is_group_separator(text[groups.end]) &&
         is_digit(text[groups.end + 1])) {
    const char32_t separator = text[groups.end];
    const std::size_t next = digits_end(text, groups.end + 1);
    const bool three = next - groups.end - 1 == 3;
    if (separator != U'.' && separator != U',') {
      const bool code_follows = next < text.size() && is_letter(text[next]);
      if (!three || code_follows || groups.digits[0].size() > 3) break;
    }
    groups.separators += separator;
    groups.digits.push_back(digits_of(text, groups.end + 1, next));
    groups.end = next;
  }
  return groups;
}

std::string joined(const std::vector<std::string>& digits, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += digits[i];
  return all;
}

bool groups_of_three(const Groups& groups, std::size_t count) {
  if (groups.digits[0].empty() || groups.digits[0].size() > 3) return false;
  for (std::size_t i = 1; i < count; ++i) {
    if (groups.digits[i].size() != 3) return false;
  }
  return true;
}

/// The numbers that the groups may be. Empty where they are no one number ("12.03.2024", "3.2.1").
std::vector<std::string> readings(const Groups& groups, std::size_t shift) {
  const std::size_t count = groups.digits.size();
  if (count == 1) return {normal_number(groups.digits[0], {}, shift)};
  const char32_t last = groups.separators.back();
  const bool uniform = std::all_of(groups.separators.begin(), groups.separators.end(),
                                   [last](char32_t c) { return c == last; });
  const bool decimal_last = last == U'.' || last == U',';
  std::vector<std::string> values;
  if (uniform && groups_of_three(groups, count)) {
    values.push_back(normal_number(joined(groups.digits, count), {}, shift));
  }
  const bool mixed_ok =
      count == 2 || (!uniform && groups_of_three(groups, count - 1) &&
                     std::count(groups.separators.begin(), groups.separators.end(), last) == 1);
  if (decimal_last && mixed_ok) {
    values.push_back(
        normal_number(joined(groups.digits, count - 1), groups.digits[count - 1], shift));
  }
  return values;
}

/// A minus: a dash before the number that neither joins it to a word nor makes a range.
bool is_minus(const Text& text, std::size_t dash) {
  if (text[dash] != U'-') return false;
  std::size_t before = dash;
  while (before > 0 && text[before - 1] == U' ') --before;
  if (before == 0) return true;
  const char32_t previous = text[before - 1];
  if (before == dash) return !is_letter(previous) && !is_digit(previous) && previous != U'%';
  return !is_digit(previous);
}

bool is_currency(char32_t c) {
  return c == U'\u20AC' || c == U'$' || c == U'\u00A3' || c == U'\u00A5';
}

/// A currency sign before the number: "$5", "€ 5".
std::string currency_before(const Folded& folded, std::size_t position) {
  while (position > 0 && folded.text[position - 1] == U' ') --position;
  if (position == 0 || !is_currency(folded.text[position - 1])) return {};
  return read_unit(folded, position - 1).name;
}

/// Behind "9:30" or "11:05"; 0 where no such time starts.
std::size_t clock_time_end(const Text& text, std::size_t position) {
  const std::size_t hours = digits_end(text, position);
  if (hours - position > 2 || hours >= text.size() || text[hours] != U':') return 0;
  const std::size_t minutes = digits_end(text, hours + 1);
  return minutes - hours == 3 ? minutes : 0;
}

}  // namespace

std::string normal_number(std::string_view digits, std::string_view fraction, std::size_t shift) {
  std::string whole(digits);
  std::string rest(fraction);
  for (std::size_t i = 0; i < shift; ++i) {
    whole += rest.empty() ? '0' : rest.front();
    if (!rest.empty()) rest.erase(0, 1);
  }
  whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
  const std::size_t last = rest.find_last_not_of('0');
  rest.resize(last == std::string::npos ? 0 : last + 1);
  if (whole.empty()) whole.assign(1, '0');
  return rest.empty() ? whole : whole.append(1, '.').append(rest);
}

FoundFigure read_number(const Folded& folded, std::size_t position) {
  const Text& text = folded.text;
  FoundFigure found;
  found.begin = position;
  if (const std::size_t end = clock_time_end(text, position)) {
    found.figure.values.push_back(normal_number(digits_of(text, position, end - 3), {}) + ':' +
                                  digits_of(text, end - 2, end));
    const FoundUnit half = read_unit(folded, end);
    const bool names_half = half.name == "am" || half.name == "pm";
    if (names_half) found.figure.unit = half.name;
    found.end = names_half ? half.end : end;
    return found;
  }
  Groups groups = read_groups(text, position);
  if (readings(groups, 0).empty()) {  // a date or a version: its parts one by one
    groups.end = digits_end(text, position);
    groups.digits.resize(1);
    groups.separators.clear();
  }
  const FoundUnit unit = read_unit(folded, groups.end);
  found.figure.values = readings(groups, unit.shift);
  if (found.figure.values.size() > 1) found.figure.ambiguous = groups.separators[0];
  if (groups.separators.find(U' ') != std::u32string::npos) {
    for (const std::string& part : groups.digits) {
      found.figure.parts.push_back(normal_number(part, {}));
    }
  }
  found.figure.unit = unit.name;
  found.end = std::max(groups.end, unit.end);
  if (position > 0) found.figure.negative = is_minus(text, position - 1);
  if (found.figure.unit.empty()) found.figure.unit = currency_before(folded, position);
  return found;
}

Figure make_code(const Folded& folded, std::size_t begin, std::size_t end) {
  Figure figure;
  figure.code = true;
  std::string value;
  for (std::size_t i = begin; i < end; ++i) {
    const char32_t c = folded.text[i];
    if (is_letter(c) || is_digit(c)) utf8::append(value, c);
  }
  figure.values.push_back(std::move(value));
  return figure;
}

FoundFigure make_counted(const Folded& folded, std::size_t begin, std::size_t end,
                         std::string_view value) {
  const FoundUnit unit = read_unit(folded, end);
  FoundFigure found;
  found.begin = begin;
  found.end = std::max(end, unit.end);
  found.figure.values.push_back(normal_number(value, {}, unit.shift));
  found.figure.unit = unit.name;
  return found;
}

bool same_figure(const Figure& claimed, const Figure& found) {
  if (claimed.code != found.code || claimed.negative != found.negative ||
      claimed.rejected != found.rejected) {
    return false;
  }
  using End = Figure::End;
  const auto is_to = [](End end) { return end == End::to || end == End::to_alone; };
  if ((claimed.span_end == End::from && is_to(found.span_end)) ||
      (found.span_end == End::from && is_to(claimed.span_end))) {
    return false;
  }
  const bool both_degrees = (claimed.unit == "deg" && found.unit.rfind("deg", 0) == 0) ||
                            (found.unit == "deg" && claimed.unit.rfind("deg", 0) == 0);
  if (!claimed.unit.empty() && !found.unit.empty() && claimed.unit != found.unit && !both_degrees) {
    return false;
  }
  if (claimed.counts && claimed.unit.empty() && !found.unit.empty()) return false;
  if (found.counts && found.unit.empty() && !claimed.unit.empty()) return false;
  const auto in = [&claimed](const std::vector<std::string>& values) {
    return std::any_of(values.begin(), values.end(), [&claimed](const std::string& value) {
      return std::find(claimed.values.begin(), claimed.values.end(), value) != claimed.values.end();
    });
  };
  return in(found.values) || in(found.parts);
}

bool surely_same_figure(const Figure& claimed, const Figure& found) {
  if (!same_figure(claimed, found)) return false;
  return (claimed.ambiguous != 0 && found.ambiguous != 0) || claimed.values[0] == found.values[0];
}

bool same_kind(const Figure& first, const Figure& second) {
  return first.code == second.code && first.unit == second.unit;
}

}  // namespace lore::pipeline::citations
