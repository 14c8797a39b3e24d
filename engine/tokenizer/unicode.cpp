#include "engine/tokenizer/unicode.hpp"

#include <utf8proc.h>

#include "base/utf8.hpp"

namespace lore::engine::unicode {
namespace {

bool is_white_space(char32_t c) noexcept {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

CharacterClass look_up(char32_t code_point) noexcept {
  if (is_white_space(code_point)) return CharacterClass::space;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return CharacterClass::letter;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return CharacterClass::mark;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return CharacterClass::number;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
      return CharacterClass::punctuation;
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SK:
    case UTF8PROC_CATEGORY_SO:
      return CharacterClass::symbol;
    default:
      return CharacterClass::other;
  }
}

}  // namespace

CharacterClass class_of(char32_t code_point) noexcept {
  return code_point < 0x80 ? ascii::kClasses[code_point] : look_up(code_point);
}

Character any_character_at(std::string_view text, std::size_t offset) noexcept {
  std::size_t end = offset;
  const char32_t code_point = utf8::next(text, end);
  return {code_point, static_cast<std::uint32_t>(end - offset), class_of(code_point)};
}

}  // namespace lore::engine::unicode
