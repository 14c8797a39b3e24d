// Widths of the fonts that every reader of PDF knows, for documents that bring none.
#pragma once

#include <cstdint>

namespace lore::ingest::pdf {

enum class StandardFont {
  courier,
  helvetica,
  helvetica_bold,
  times,
  times_bold,
  times_italic,
  times_bold_italic,
  symbol,
  dingbats
};

/// Advance of a character in thousandths of an em; 0 where the font has none.
double standard_width(StandardFont font, char32_t code) noexcept;

}  // namespace lore::ingest::pdf
