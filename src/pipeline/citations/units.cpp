// Which spellings of units mean the same.
#include <algorithm>
#include <array>

#include "pipeline/citations/figures.hpp"

namespace lore::pipeline::citations {
namespace {

struct Unit {
  std::u32string_view spelling;  // folded
  std::string_view name;
  /// Whether the text's own first letter must be a capital one (1), a small one (-1), or either.
  int capital = 0;
};

constexpr std::array kUnits = {
    Unit{U"seconds", "s"},
    Unit{U"second", "s"},
    Unit{U"sec", "s"},
    Unit{U"s", "s", -1},
    Unit{U"sekunden", "s"},
    Unit{U"sekunde", "s"},
    Unit{U"minutes", "min"},
    Unit{U"minute", "min"},
    Unit{U"minuten", "min"},
    Unit{U"min", "min"},
    Unit{U"mins", "min"},
    Unit{U"hours", "h"},
    Unit{U"hour", "h"},
    Unit{U"stunden", "h"},
    Unit{U"stunde", "h"},
    Unit{U"hrs", "h"},
    Unit{U"hr", "h"},
    Unit{U"std", "h"},
    Unit{U"h", "h", -1},
    Unit{U"days", "d"},
    Unit{U"day", "d"},
    Unit{U"tage", "d"},
    Unit{U"tagen", "d"},
    Unit{U"tag", "d"},
    Unit{U"weeks", "week"},
    Unit{U"week", "week"},
    Unit{U"wochen", "week"},
    Unit{U"woche", "week"},
    Unit{U"months", "month"},
    Unit{U"month", "month"},
    Unit{U"monate", "month"},
    Unit{U"monaten", "month"},
    Unit{U"monat", "month"},
    Unit{U"years", "year"},
    Unit{U"year", "year"},
    Unit{U"jahre", "year"},
    Unit{U"jahren", "year"},
    Unit{U"jahr", "year"},
    Unit{U"ms", "ms"},
    Unit{U"milliseconds", "ms"},
    Unit{U"%", "%"},
    Unit{U"percent", "%"},
    Unit{U"prozent", "%"},
    Unit{U"mm", "mm"},
    Unit{U"millimeter", "mm"},
    Unit{U"millimeters", "mm"},
    Unit{U"cm", "cm"},
    Unit{U"centimeters", "cm"},
    Unit{U"m", "m", -1},
    Unit{U"meter", "m"},
    Unit{U"meters", "m"},
    Unit{U"metres", "m"},
    Unit{U"metre", "m"},
    Unit{U"km", "km"},
    Unit{U"kilometers", "km"},
    Unit{U"kilometres", "km"},
    Unit{U"kilometer", "km"},
    Unit{U"inches", "inch"},
    Unit{U"inch", "inch"},
    Unit{U"ft", "ft"},
    Unit{U"feet", "ft"},
    Unit{U"miles", "mile"},
    Unit{U"\u03BCm", "um"},
    Unit{U"m2", "m2"},
    Unit{U"m3", "m3"},
    Unit{U"mg", "mg"},
    Unit{U"g", "g", -1},
    Unit{U"gram", "g"},
    Unit{U"grams", "g"},
    Unit{U"gramm", "g"},
    Unit{U"kg", "kg"},
    Unit{U"kilogram", "kg"},
    Unit{U"kilograms", "kg"},
    Unit{U"t", "t", -1},
    Unit{U"tons", "t"},
    Unit{U"tonnes", "t"},
    Unit{U"tonnen", "t"},
    Unit{U"lb", "lb"},
    Unit{U"lbs", "lb"},
    Unit{U"pounds", "lb"},
    Unit{U"l", "l"},
    Unit{U"liter", "l"},
    Unit{U"liters", "l"},
    Unit{U"litres", "l"},
    Unit{U"litre", "l"},
    Unit{U"litern", "l"},
    Unit{U"ml", "ml"},
    Unit{U"bar", "bar"},
    Unit{U"mbar", "mbar"},
    Unit{U"psi", "psi"},
    Unit{U"pa", "pa"},
    Unit{U"kpa", "kpa"},
    Unit{U"mpa", "megapa", 1},
    Unit{U"mpa", "mpa", -1},
    Unit{U"hpa", "hpa"},
    Unit{U"\u00B0c", "degc"},
    Unit{U"\u00B0 c", "degc"},
    Unit{U"\u00B0f", "degf"},
    Unit{U"\u00B0 f", "degf"},
    Unit{U"degrees celsius", "degc"},
    Unit{U"degrees fahrenheit", "degf"},
    Unit{U"grad celsius", "degc"},
    Unit{U"\u00B0", "deg"},
    Unit{U"degrees", "deg"},
    Unit{U"grad", "deg"},
    Unit{U"k", "k", 1},
    Unit{U"v", "v", 1},
    Unit{U"volt", "v"},
    Unit{U"volts", "v"},
    Unit{U"kv", "kv"},
    Unit{U"mv", "megav", 1},
    Unit{U"mv", "mv", -1},
    Unit{U"a", "a", 1},
    Unit{U"ampere", "a"},
    Unit{U"amps", "a"},
    Unit{U"ma", "ma", -1},
    Unit{U"w", "w", 1},
    Unit{U"watt", "w"},
    Unit{U"watts", "w"},
    Unit{U"kw", "kw"},
    Unit{U"kilowatt", "kw"},
    Unit{U"kilowatts", "kw"},
    Unit{U"mw", "megaw", 1},
    Unit{U"mw", "mw", -1},
    Unit{U"kwh", "kwh"},
    Unit{U"mwh", "mwh"},
    Unit{U"va", "va"},
    Unit{U"kva", "kva"},
    Unit{U"hz", "hz"},
    Unit{U"khz", "khz"},
    Unit{U"mhz", "mhz"},
    Unit{U"ghz", "ghz"},
    Unit{U"rpm", "rpm"},
    Unit{U"u/min", "rpm"},
    Unit{U"n", "n", 1},
    Unit{U"kn", "kn"},
    Unit{U"nm", "newtonm", 1},
    Unit{U"nm", "nm", -1},
    Unit{U"n\u00B7m", "newtonm"},
    Unit{U"db", "db"},
    Unit{U"db(a)", "db"},
    Unit{U"\u03C9", "ohm"},
    Unit{U"ohm", "ohm"},
    Unit{U"kb", "kb"},
    Unit{U"mb", "mb"},
    Unit{U"gb", "gb"},
    Unit{U"tb", "tb"},
    Unit{U"bit", "bit"},
    Unit{U"bits", "bit"},
    Unit{U"bytes", "byte"},
    Unit{U"l/min", "l/min"},
    Unit{U"l/h", "l/h"},
    Unit{U"m3/h", "m3/h"},
    Unit{U"m/s", "m/s"},
    Unit{U"km/h", "km/h"},
    Unit{U"mm/s", "mm/s"},
    Unit{U"kg/m3", "kg/m3"},
    Unit{U"\u20AC", "eur"},
    Unit{U"eur", "eur"},
    Unit{U"euro", "eur"},
    Unit{U"euros", "eur"},
    Unit{U"$", "usd"},
    Unit{U"usd", "usd"},
    Unit{U"dollars", "usd"},
    Unit{U"dollar", "usd"},
    Unit{U"\u00A3", "gbp"},
    Unit{U"gbp", "gbp"},
    Unit{U"\u00A5", "cny"},
    Unit{U"yuan", "cny"},
    Unit{U"chf", "chf"},
    Unit{U"wh", "wh"},
    Unit{U"ah", "ah"},
    Unit{U"mah", "mah"},
    Unit{U"lm", "lm"},
    Unit{U"lx", "lx"},
    Unit{U"cent", "cent"},
    Unit{U"cents", "cent"},
    Unit{U"ct", "cent"},
    Unit{U"ppm", "ppm"},
    Unit{U"kcal", "kcal"},
    Unit{U"kj", "kj"},
    Unit{U"ha", "ha"},
    Unit{U"gallons", "gallon"},
    Unit{U"gallon", "gallon"},
    Unit{U"px", "px"},
    Unit{U"dpi", "dpi"},
    Unit{U"mbit/s", "mbit/s"},
    Unit{U"gbit/s", "gbit/s"},
    Unit{U"kbit/s", "kbit/s"},
    Unit{U"mol", "mol"},
    Unit{U"nmol", "nmol"},
    Unit{U"hp", "hp"},
    Unit{U"ps", "hp"},
    Unit{U"mph", "mph"},
    Unit{U"\u00B0dh", "degdh"},
    Unit{U"\u79D2", "s"},
    Unit{U"\u5206\u949F", "min"},
    Unit{U"\u5C0F\u65F6", "h"},
    Unit{U"\u5929", "d"},
    Unit{U"\u5468", "week"},
    Unit{U"\u661F\u671F", "week"},
    Unit{U"\u4E2A\u6708", "month"},
    Unit{U"\u6708", "month"},
    Unit{U"\u5E74", "year"},
    Unit{U"\u6BEB\u7C73", "mm"},
    Unit{U"\u5398\u7C73", "cm"},
    Unit{U"\u7C73", "m"},
    Unit{U"\u516C\u91CC", "km"},
    Unit{U"\u5343\u7C73", "km"},
    Unit{U"\u516C\u65A4", "kg"},
    Unit{U"\u5343\u514B", "kg"},
    Unit{U"\u514B", "g"},
    Unit{U"\u5428", "t"},
    Unit{U"\u4F0F", "v"},
    Unit{U"\u5B89", "a"},
    Unit{U"\u74E6", "w"},
    Unit{U"\u5343\u74E6", "kw"},
    Unit{U"\u5DF4", "bar"},
    Unit{U"\u5347", "l"},
    Unit{U"\u6BEB\u5347", "ml"},
    Unit{U"\u6444\u6C0F\u5EA6", "degc"},
    Unit{U"\u534E\u6C0F\u5EA6", "degf"},
    Unit{U"\u5EA6", "deg"},
    Unit{U"\u5143", "cny"},
};

struct Multiple {
  std::u32string_view spelling;
  std::size_t shift;
};
constexpr std::array kMultiples = {
    Multiple{U"thousand", 3},  Multiple{U"million", 6},    Multiple{U"millions", 6},
    Multiple{U"billion", 9},   Multiple{U"billions", 9},   Multiple{U"mio", 6},
    Multiple{U"millionen", 6}, Multiple{U"milliarden", 9}, Multiple{U"mrd", 9},
    Multiple{U"tausend", 3},   Multiple{U"bn", 9},         Multiple{U"\u4E07", 4},
    Multiple{U"\u4EBF", 8}};

bool matches(const Folded& folded, std::size_t position, std::u32string_view spelling) {
  if (position + spelling.size() > folded.text.size()) return false;
  if (!std::equal(spelling.begin(), spelling.end(),
                  folded.text.begin() + static_cast<std::ptrdiff_t>(position))) {
    return false;
  }
  const std::size_t end = position + spelling.size();
  const char32_t last = spelling.back();
  if (is_unspaced(last) || !is_letter(last) || end >= folded.text.size()) return true;
  const char32_t next = folded.text[end];
  return is_unspaced(next) || (!is_letter(next) && !is_digit(next));
}

bool capital_fits(const Folded& folded, std::size_t position, int capital) {
  if (capital == 0) return true;
  const bool upper = is_upper(folded.original[folded.origin[position]]);
  return upper == (capital > 0);
}

std::size_t skip_blank(const Folded& folded, std::size_t position) {
  const auto& text = folded.text;
  // "5-bar", "10-minute": the hyphen joins number and unit.
  if (position + 1 < text.size() && text[position] == U'-' && is_letter(text[position + 1])) {
    return position + 1;
  }
  while (position < text.size() && text[position] == U' ') ++position;
  // A line may end between a number and its unit, if the next line starts with it.
  if (position < text.size() && text[position] == U'\n') ++position;
  return position;
}

}  // namespace

FoundUnit read_unit(const Folded& folded, std::size_t position) {
  FoundUnit result;
  result.end = position;
  std::size_t start = skip_blank(folded, position);
  for (const Multiple& multiple : kMultiples) {
    if (!matches(folded, start, multiple.spelling)) continue;
    result.shift = multiple.shift;
    result.end = start + multiple.spelling.size();
    std::size_t after = result.end;
    if (after < folded.text.size() && folded.text[after] == U'.') ++after;  // "Mio."
    start = skip_blank(folded, after);
    break;
  }
  // A single letter on the next line ("5\nA valve") is more likely a word.
  const bool new_line = start > 0 && start > position && folded.text[start - 1] == U'\n';
  std::size_t longest = new_line ? 1 : 0;
  for (const Unit& unit : kUnits) {
    if (unit.spelling.size() <= longest || !matches(folded, start, unit.spelling) ||
        !capital_fits(folded, start, unit.capital)) {
      continue;
    }
    longest = unit.spelling.size();
    result.name = unit.name;
    result.end = start + longest;
  }
  return result;
}

}  // namespace lore::pipeline::citations
