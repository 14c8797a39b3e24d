// Numbers, their units, and codes such as E14, brought to one form.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/citations/fold.hpp"

namespace lore::pipeline::citations {

/// A number or a code.
struct Figure {
  /// Normal forms: decimal digits without grouping, leading or trailing zeros ("1000", "0.5"), or a
  /// code in lower case without hyphens ("e14"). Two where the spelling is ambiguous: 1.000 is 1000
  /// or 1; the one that is likelier in the text's language comes first.
  std::vector<std::string> values;
  /// More readings, which count only where a page is searched: "12 345" may be two columns.
  std::vector<std::string> parts;
  char32_t ambiguous = 0;  ///< the point or comma that leaves two readings; 0 for none
  std::string unit;        ///< one name a unit in any language ("s", "bar", "%"); empty for none
  bool negative = false;
  bool code = false;
  /// "from 310 to 335": which end it is; `to_alone` without a "from" before it.
  enum class End { none, from, to, to_alone } span_end = End::none;
  bool rejected = false;  ///< "instead of 12": named as what is not so
  /// A word follows ("40 workers"): such a number is none of a page's "40 bar".
  bool counts = false;
};

/// A figure in folded text, [begin, end).
struct FoundFigure {
  Figure figure;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Reads the figure that starts at `position`, which is a digit, or a sign or currency before one;
/// `begin` may lie before it, at letters of a code. `end` is behind its unit.
FoundFigure read_number(const Folded& folded, std::size_t position);

/// Reads a code: letters, hyphens and digits, [begin, end) of the folded text.
Figure make_code(const Folded& folded, std::size_t begin, std::size_t end);

/// The figure of a number word, or of Chinese numerals, with the unit at `end`.
FoundFigure make_counted(const Folded& folded, std::size_t begin, std::size_t end,
                         std::string_view value);

/// Whether a page's figure may be the claimed one.
bool same_figure(const Figure& claimed, const Figure& found);

/// Whether it is, beyond doubt about points and commas: both are spelled in the same ambiguous way,
/// or the first reading of each is the other's.
bool surely_same_figure(const Figure& claimed, const Figure& found);

/// Whether one could stand in the other's place: both codes, or numbers of one unit.
bool same_kind(const Figure& first, const Figure& second);

/// "0012.50" → "12.5"; `shift` moves the point to the right (5 million: 6).
std::string normal_number(std::string_view digits, std::string_view fraction,
                          std::size_t shift = 0);

/// The unit that starts at `position` of folded text, and where it ends; empty for none.
struct FoundUnit {
  std::string name;
  std::size_t end = 0;
  std::size_t shift = 0;  ///< for "million", "k", 万: the power of ten
};
FoundUnit read_unit(const Folded& folded, std::size_t position);

}  // namespace lore::pipeline::citations
