// Which spellings of units mean the same.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "pipeline/citations/figures.hpp"

namespace lore::pipeline::citations {
namespace {

struct Unit {
  std::u32string_view spelling;  // folded
  std::string_view name;
  /// Whether the text's own first letter must be a capital one (1), a small one (-1), or either.
  int capital = 0;
};

/// A unit that takes prefixes.
struct Base {
  std::u32string_view symbol;  // folded
  std::string_view name;
  std::u32string_view prefixes;  // symbols, as they are written
  int capital = 0;               // of the symbol without a prefix
  std::u32string_view words;     // spelled out, by blanks; a blank within one is '_'
};
constexpr int kNeverAlone = 2;  // as `capital`: "5 F" is no farad

constexpr std::u32string_view kSmallToKilo = U"n\u03BCmk";
constexpr std::array kBases = {
    Base{U"m", "m", U"n\u03BCmcdk", -1, U"meter meters metre metres metern"},
    Base{U"m2", "m2", U"mcdk", 0, U""},
    Base{U"m3", "m3", U"mcdk", 0, U""},
    Base{U"g", "g", kSmallToKilo, -1, U"gram grams gramm gramme"},
    Base{U"l", "l", U"n\u03BCmcdh", 0, U"liter liters litre litres litern"},
    Base{U"s", "s", U"n\u03BCm", -1, U"second seconds sekunde sekunden"},
    Base{U"a", "a", U"n\u03BCmkM", 1, U"ampere amperes amp amps"},
    Base{U"ah", "ah", U"mk", 0, U""},
    Base{U"v", "v", U"n\u03BCmkM", 1, U"volt volts"},
    Base{U"va", "va", U"kM", 0, U""},
    Base{U"w", "w", U"n\u03BCmkMGT", 1, U"watt watts"},
    Base{U"wh", "wh", U"kMGT", 0, U"watt_hour watt_hours watt-hours wattstunde wattstunden"},
    Base{U"hz", "hz", U"kMGT", 0, U"hertz"},
    Base{U"pa", "pa", U"\u03BCmhkMG", 0, U"pascal pascals"},
    Base{U"bar", "bar", U"\u03BCm", 0, U""},
    Base{U"n", "n", U"\u03BCmkM", 1, U"newton newtons"},
    Base{U"nm", "newtonm", U"mkM", 1, U"newtonmeter newton_meters newton_metres"},
    Base{U"j", "j", U"\u03BCmkMG", 1, U"joule joules"},
    Base{U"ev", "ev", U"kMG", 0, U""},
    Base{U"cal", "cal", U"k", 0, U"calories calorie kalorien"},
    Base{U"f", "farad", U"pn\u03BCm", kNeverAlone, U"farad farads"},
    Base{U"h", "henry", U"n\u03BCm", kNeverAlone, U"henry henries"},
    Base{U"\u03C9", "ohm", U"mkMG", 0, U"ohm ohms"},
    Base{U"t", "tesla", U"n\u03BCm", 1, U"tesla"},
    Base{U"sv", "sv", U"n\u03BCm", 0, U"sievert"},
    Base{U"mol", "mol", U"n\u03BCmk", 0, U"mole moles"},
    Base{U"b", "byte", U"kMGT", kNeverAlone, U"byte bytes"},
    Base{U"bit", "bit", U"kMGT", 0, U"bits"},
};

struct Prefix {
  char32_t symbol;
  std::u32string_view word;
  std::string_view name;
};
constexpr std::array kPrefixes = {
    Prefix{U'p', U"pico", "p"},       Prefix{U'p', U"piko", "p"},
    Prefix{U'n', U"nano", "n"},       Prefix{U'\u03BC', U"micro", "u"},
    Prefix{U'\u03BC', U"mikro", "u"}, Prefix{U'm', U"milli", "m"},
    Prefix{U'c', U"centi", "c"},      Prefix{U'c', U"zenti", "c"},
    Prefix{U'd', U"deci", "d"},       Prefix{U'd', U"dezi", "d"},
    Prefix{U'h', U"hecto", "h"},      Prefix{U'h', U"hekto", "h"},
    Prefix{U'k', U"kilo", "k"},       Prefix{U'M', U"mega", "mega"},
    Prefix{U'G', U"giga", "giga"},    Prefix{U'T', U"tera", "tera"}};

/// Units without prefixes, and spellings that the table above does not make.
constexpr std::array kUnits = {
    Unit{U"a.m.", "am"},
    Unit{U"am", "am"},
    Unit{U"p.m.", "pm"},
    Unit{U"pm", "pm"},
    Unit{U"mcg", "ug"},
    Unit{U"mcl", "ul"},
    Unit{U"kilohm", "kohm"},
    Unit{U"kilohms", "kohm"},
    Unit{U"megohm", "megaohm"},
    Unit{U"megohms", "megaohm"},
    Unit{U"square meters", "m2"},
    Unit{U"square metres", "m2"},
    Unit{U"quadratmeter", "m2"},
    Unit{U"cubic meters", "m3"},
    Unit{U"cubic metres", "m3"},
    Unit{U"kubikmeter", "m3"},
    Unit{U"sec", "s"},
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
    Unit{U"%", "%"},
    Unit{U"percent", "%"},
    Unit{U"prozent", "%"},
    Unit{U"inches", "inch"},
    Unit{U"inch", "inch"},
    Unit{U"ft", "ft"},
    Unit{U"feet", "ft"},
    Unit{U"miles", "mile"},
    Unit{U"t", "t", -1},
    Unit{U"tons", "t"},
    Unit{U"tonnes", "t"},
    Unit{U"tonnen", "t"},
    Unit{U"lb", "lb"},
    Unit{U"lbs", "lb"},
    Unit{U"pounds", "lb"},
    Unit{U"psi", "psi"},
    Unit{U"mpa", "mpa", -1},
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
    Unit{U"rpm", "rpm"},
    Unit{U"u/min", "rpm"},
    Unit{U"n\u00B7m", "newtonm"},
    Unit{U"db", "db"},
    Unit{U"db(a)", "db"},
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
    Unit{U"lm", "lm"},
    Unit{U"lx", "lx"},
    Unit{U"cent", "cent"},
    Unit{U"cents", "cent"},
    Unit{U"ct", "cent"},
    Unit{U"ppm", "ppm"},
    Unit{U"ha", "ha"},
    Unit{U"gallons", "gallon"},
    Unit{U"gallon", "gallon"},
    Unit{U"px", "px"},
    Unit{U"dpi", "dpi"},
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

struct Spelling {
  std::u32string text;
  std::string name;
  int capital;
};

void add_base(const Base& base, std::vector<Spelling>& spellings) {
  std::vector<std::u32string> words;
  for (std::u32string_view rest = base.words; !rest.empty();) {
    const std::size_t blank = std::min(rest.find(U' '), rest.size());
    words.emplace_back(rest.substr(0, blank));
    std::replace(words.back().begin(), words.back().end(), U'_', U' ');
    rest.remove_prefix(std::min(blank + 1, rest.size()));
  }
  const std::string name(base.name);
  if (base.capital != kNeverAlone) {
    spellings.push_back({std::u32string(base.symbol), name, base.capital});
  }
  for (const std::u32string& word : words) spellings.push_back({word, name, 0});
  const auto takes = [&base](char32_t prefix) {
    return base.prefixes.find(prefix) != std::u32string_view::npos;
  };
  for (const Prefix& prefix : kPrefixes) {
    if (!takes(prefix.symbol)) continue;
    const bool mega = prefix.symbol == U'M';
    int capital = 0;
    if ((mega || prefix.symbol == U'm') && takes(U'M') && takes(U'm')) capital = mega ? 1 : -1;
    if (prefix.symbol == U'n') capital = -1;  // Nm is no nanometre
    const char32_t symbol = prefix.symbol < 0x80 ? (prefix.symbol | 0x20) : prefix.symbol;
    const std::string full = std::string(prefix.name) + name;
    spellings.push_back({symbol + std::u32string(base.symbol), full, capital});
    for (const std::u32string& word : words) {
      spellings.push_back({std::u32string(prefix.word) + word, full, 0});
    }
  }
}

std::vector<Spelling> all_spellings() {
  std::vector<Spelling> spellings;
  for (const Unit& unit : kUnits) {
    spellings.push_back({std::u32string(unit.spelling), std::string(unit.name), unit.capital});
  }
  for (const Base& base : kBases) add_base(base, spellings);
  return spellings;
}

/// The longest unit that starts at `start` and has more than `shortest` characters; null for none.
const Spelling* find_unit(const Folded& folded, std::size_t start, std::size_t shortest) {
  static const std::vector<Spelling> spellings = all_spellings();
  const Spelling* best = nullptr;
  for (const Spelling& unit : spellings) {
    if (unit.text.size() <= shortest || !matches(folded, start, unit.text) ||
        !capital_fits(folded, start, unit.capital)) {
      continue;
    }
    shortest = unit.text.size();
    best = &unit;
  }
  return best;
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
  const Spelling* unit = find_unit(folded, start, new_line ? 1 : 0);
  if (unit == nullptr) return result;
  result.name = unit->name;
  result.end = start + unit->text.size();
  if (result.end + 1 >= folded.text.size() || folded.text[result.end] != U'/') return result;
  if (const Spelling* divisor = find_unit(folded, result.end + 1, 0)) {  // "mg/l"
    result.name += '/' + divisor->name;
    result.end += 1 + divisor->text.size();
  }
  return result;
}

}  // namespace lore::pipeline::citations
