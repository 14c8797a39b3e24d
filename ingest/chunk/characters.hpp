// What kinds of characters the chunker tells apart.
#pragma once

namespace lore::ingest {

/// Unicode's White_Space property.
constexpr bool is_white_space(char32_t c) noexcept {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

/// Ideographs, kana and bopomofo: written without spaces, so a line may end after any of them.
constexpr bool is_ideographic(char32_t c) noexcept {
  return (c >= 0x2E80 && c <= 0x2FFF) || (c >= 0x3040 && c <= 0x31FF) ||
         (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFF66 && c <= 0xFF9F) ||
         (c >= 0x20000 && c <= 0x3FFFF);
}

/// CJK punctuation and full-width forms of ASCII punctuation.
constexpr bool is_cjk_punctuation(char32_t c) noexcept {
  return (c >= 0x3001 && c <= 0x3003) || (c >= 0x3008 && c <= 0x3011) ||
         (c >= 0x3014 && c <= 0x301F) || (c >= 0xFF01 && c <= 0xFF0F) ||
         (c >= 0xFF1A && c <= 0xFF20) || (c >= 0xFF3B && c <= 0xFF3D) || c == 0xFF5B ||
         (c >= 0xFF5D && c <= 0xFF65);
}

/// What closes a quotation or a bracket and so still belongs to the sentence before it.
constexpr bool is_closing(char32_t c) noexcept {
  switch (c) {
    case U'"':
    case U'\'':
    case U')':
    case U']':
    case U'}':
    case U'\u00BB':
    case U'\u2019':
    case U'\u201D':
    case U'\u201C':
    case U'\u203A':
    case U'\u3009':
    case U'\u300B':
    case U'\u300D':
    case U'\u300F':
    case U'\u3011':
    case U'\u3015':
    case U'\uFF09':
    case U'\uFF3D':
    case U'\uFF5D':
    case U'\uFF63':
      return true;
    default:
      return false;
  }
}

/// Ends a sentence in scripts that put no space after it.
constexpr bool is_wide_terminator(char32_t c) noexcept {
  return c == U'\u3002' || c == U'\uFF01' || c == U'\uFF1F' || c == U'\uFF61';
}

/// Ends a sentence where white space follows; the full stop only when it is no abbreviation.
constexpr bool is_terminator(char32_t c) noexcept {
  return c == U'.' || c == U'!' || c == U'?' || c == U'\u2026' || c == U'\u061F' ||
         c == U'\u06D4' || c == U'\u0964' || c == U'\u0965' || is_wide_terminator(c);
}

}  // namespace lore::ingest
