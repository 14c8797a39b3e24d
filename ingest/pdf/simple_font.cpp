// Type 1, TrueType and Type 3 fonts: one byte a code.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/utf8.hpp"
#include "ingest/pdf/embedded_font.hpp"
#include "ingest/pdf/font.hpp"
#include "ingest/pdf/glyph_names.hpp"
#include "ingest/pdf/standard_widths.hpp"

namespace lore::ingest::pdf {
namespace {

enum class BaseEncoding { none, standard, win_ansi, mac_roman, mac_expert, symbol, dingbats };

BaseEncoding encoding_by_name(const std::string& name) {
  if (name == "WinAnsiEncoding") return BaseEncoding::win_ansi;
  if (name == "MacRomanEncoding") return BaseEncoding::mac_roman;
  if (name == "MacExpertEncoding") return BaseEncoding::mac_expert;
  if (name == "StandardEncoding") return BaseEncoding::standard;
  return BaseEncoding::none;
}

char32_t encoded(BaseEncoding encoding, unsigned code) {
  using Factory = PoDoFo::PdfEncodingFactory;
  const PoDoFo::PdfEncoding* table = nullptr;
  switch (encoding) {
    case BaseEncoding::none:
      return 0;
    case BaseEncoding::standard:
      table = Factory::GlobalStandardEncodingInstance();
      break;
    case BaseEncoding::win_ansi:
      table = Factory::GlobalWinAnsiEncodingInstance();
      break;
    case BaseEncoding::mac_roman:
      table = Factory::GlobalMacRomanEncodingInstance();
      break;
    case BaseEncoding::mac_expert:
      table = Factory::GlobalMacExpertEncodingInstance();
      break;
    case BaseEncoding::symbol:
      table = Factory::GlobalSymbolEncodingInstance();
      break;
    case BaseEncoding::dingbats:
      table = Factory::GlobalZapfDingbatsEncodingInstance();
      break;
  }
  if (table == nullptr || static_cast<int>(code) < table->GetFirstChar() ||
      static_cast<int>(code) > table->GetLastChar()) {
    return 0;
  }
  // Codes of WinAnsi that have no character of their own show a bullet (annex D.2, note 3).
  constexpr std::u32string_view kBullets = U"\u007F\u0081\u008D\u008F\u0090\u009D";
  if (encoding == BaseEncoding::win_ansi && kBullets.find(code) != std::u32string_view::npos) {
    return 0x2022;
  }
  try {
    const PoDoFo::pdf_utf16be unit = table->GetCharCode(static_cast<int>(code));
    return static_cast<char32_t>(((unit & 0xFF) << 8) | (unit >> 8));
  } catch (const PoDoFo::PdfError&) {
    return 0;
  }
}

/// A font's name without the six letters and '+' of a subset.
std::string plain_name(const std::string& name) {
  return name.size() > 7 && name[6] == '+' ? name.substr(7) : name;
}

/// The standard font whose widths fit a font that brings none.
StandardFont standard_font(const std::string& name, long flags) {
  constexpr long kFixedPitch = 1, kSerif = 2, kItalic = 64;
  const auto has = [&name](const char* part) { return name.find(part) != std::string::npos; };
  if (has("Symbol")) return StandardFont::symbol;
  if (has("Dingbats")) return StandardFont::dingbats;
  if ((flags & kFixedPitch) != 0 || has("Courier") || has("Mono")) return StandardFont::courier;
  const bool bold = has("Bold");
  const bool italic = (flags & kItalic) != 0 || has("Italic") || has("Oblique");
  if ((flags & kSerif) == 0 && !has("Times")) {
    return bold ? StandardFont::helvetica_bold : StandardFont::helvetica;
  }
  if (bold) return italic ? StandardFont::times_bold_italic : StandardFont::times_bold;
  return italic ? StandardFont::times_italic : StandardFont::times;
}

class SimpleFont : public Font {
 public:
  SimpleFont(PdfFile& file, CMapLibrary& cmaps, const Object* font)
      : file_(file), objects_(file.objects()), font_(font) {
    name_ = plain_name(objects_.name(font, "BaseFont"));
    descriptor_ = objects_.dictionary(font, "FontDescriptor");
    if (name_.empty()) name_ = plain_name(objects_.name(descriptor_, "FontName"));
    bold_ = detail::is_bold(objects_, name_, descriptor_);
    const double flags = objects_.number(descriptor_, "Flags").value_or(0);
    flags_ = flags > 0 && flags < 1e9 ? static_cast<long>(flags) : 0;
    to_unicode_ = detail::load_to_unicode(file, cmaps, font);
    type3_ = objects_.name(font, "Subtype") == "Type3";
    read_encoding();
    read_widths();
    if (type3_) measure_type3();
  }

  void decode(std::string_view string, FunctionRef<void(const FontGlyph&)> sink) override {
    for (const char c : string) {
      const unsigned code = static_cast<unsigned char>(c);
      Slot& slot = slots_[code];
      if (!slot.ready) fill(slot, code);
      FontGlyph glyph;
      glyph.text = slot.text;
      glyph.width = slot.width;
      glyph.mapped = slot.mapped;
      glyph.is_space_code = code == 32;
      sink(glyph);
    }
  }

 private:
  struct Slot {
    std::u32string text;
    double width = 0;
    bool mapped = true;
    bool ready = false;
  };

  void read_encoding() {
    const Object* encoding = objects_.get(font_, "Encoding");
    if (Objects::is_name(encoding)) base_ = encoding_by_name(objects_.name(encoding));
    if (Objects::is_dictionary(encoding)) {
      base_ = encoding_by_name(objects_.name(encoding, "BaseEncoding"));
      read_differences(objects_.get(encoding, "Differences"));
    }
    if (name_ == "Symbol" || name_.rfind("Symbol,", 0) == 0) base_ = BaseEncoding::symbol;
    if (name_ == "ZapfDingbats") base_ = BaseEncoding::dingbats;
  }

  void read_differences(const Object* differences) {
    double code = 0;
    const std::size_t size = std::min<std::size_t>(objects_.array_size(differences), 4096);
    for (std::size_t i = 0; i < size; ++i) {
      const Object* item = objects_.item(differences, i);
      if (const auto number = objects_.number(item)) {
        code = *number;
      } else if (Objects::is_name(item)) {
        if (code >= 0 && code < 256) names_[static_cast<std::size_t>(code)] = objects_.name(item);
        code += 1;
      }
    }
  }

  void read_widths() {
    const double first = objects_.number(font_, "FirstChar").value_or(0);
    const Object* widths = objects_.get(font_, "Widths");
    widths_.fill(-1);
    if (!Objects::is_array(widths) || !(first >= 0 && first < 256)) return;
    const auto start = static_cast<std::size_t>(first);
    const double missing = objects_.number(descriptor_, "MissingWidth").value_or(0);
    widths_.fill(missing);
    const std::size_t size = std::min<std::size_t>(objects_.array_size(widths), 256 - start);
    for (std::size_t i = 0; i < size; ++i) {
      const double width = objects_.number(objects_.item(widths, i)).value_or(0);
      widths_[start + i] = std::abs(width) < 1e5 ? width : 0;
    }
    has_widths_ = true;
  }

  /// Type 3 glyphs live in a space of their own; FontMatrix leads to text space.
  void measure_type3() {
    const std::vector<double> matrix = objects_.numbers(objects_.get(font_, "FontMatrix"), 6);
    const double scale_x = matrix.size() == 6 ? matrix[0] : 0.001;
    const double scale_y = matrix.size() == 6 ? matrix[3] : 0.001;
    width_scale_ = scale_x;
    const std::vector<double> box = objects_.numbers(objects_.get(font_, "FontBBox"), 4);
    double height = box.size() == 4 ? std::abs(box[3] - box[1]) * std::abs(scale_y) : 0;
    double sum = 0, count = 0;
    for (const double width : widths_) {
      if (width > 0) {
        sum += width * std::abs(scale_x);
        count += 1;
      }
    }
    // A mean advance is about half an em; a box far from that is a dummy.
    const double by_width = count > 0 ? 2 * sum / count : 0;
    if (by_width > 0 && (height < 0.3 * by_width || height > 3 * by_width)) height = by_width;
    if (height > 1e-4 && height < 1e4) em_ = height;
  }

  void fill(Slot& slot, unsigned code) {
    slot.ready = true;
    std::u32string text;
    bool known = to_unicode_ != nullptr &&
                 (to_unicode_->unicode({code, 1}, text) || to_unicode_->unicode({code, 2}, text));
    if (!known) {
      text = text_by_encoding(code);
      known = !text.empty();
    }
    slot.text = detail::readable(text);
    if (!known) {
      // An unmapped space code draws nothing in any font that was ever seen.
      slot.text = code == 32 ? U" " : std::u32string(1, utf8::kReplacement);
    }
    slot.mapped = slot.text.find(utf8::kReplacement) == std::u32string::npos;
    slot.width = width_of(code, slot.text);
  }

  std::u32string text_by_encoding(unsigned code) {
    const std::string& name = names_[code];
    if (!name.empty()) {
      std::u32string text =
          name_ == "ZapfDingbats" ? std::u32string() : glyph_name_to_unicode(name);
      if (text.empty() && name != ".notdef" && program() != nullptr) {
        text = program()->text_of_glyph_name(name);
      }
      if (text.empty() && program() != nullptr) text = program()->text_of_code(code);
      return text;  // a name that tells nothing is no reason to guess by the code
    }
    if (base_ != BaseEncoding::none) {
      if (const char32_t c = encoded(base_, code); c != 0) return {c};
    }
    if (program() != nullptr) {
      std::u32string text = program()->text_of_code(code);
      if (!text.empty()) return text;
    }
    constexpr long kSymbolic = 4;
    const bool guess = !type3_ && base_ == BaseEncoding::none &&
                       (program() == nullptr || (flags_ & kSymbolic) == 0);
    if (guess) {
      if (const char32_t c = encoded(BaseEncoding::standard, code); c != 0) return {c};
      if (const char32_t c = encoded(BaseEncoding::win_ansi, code); c != 0) return {c};
    }
    return {};
  }

  double width_of(unsigned code, const std::u32string& text) {
    if (has_widths_) return widths_[code] * width_scale_;
    if (type3_) return 0;
    if (program() != nullptr) {
      if (const auto width = program()->width_of_code(code)) return *width / 1000;
    }
    const double width =
        text.empty() ? 0 : standard_width(standard_font(name_, flags_), text.front());
    return width > 0 ? width / 1000 : 0.5;
  }

  EmbeddedFont* program() {
    if (!program_read_) {
      program_read_ = true;
      if (!type3_) program_ = detail::load_program(file_, descriptor_);
    }
    return program_.get();
  }

  PdfFile& file_;
  const Objects& objects_;
  const Object* font_;
  const Object* descriptor_ = nullptr;
  long flags_ = 0;
  bool type3_ = false;
  BaseEncoding base_ = BaseEncoding::none;
  std::array<std::string, 256> names_;
  std::array<double, 256> widths_{};
  bool has_widths_ = false;
  double width_scale_ = 0.001;
  std::unique_ptr<CMap> to_unicode_;
  std::unique_ptr<EmbeddedFont> program_;
  bool program_read_ = false;
  std::array<Slot, 256> slots_;
};

}  // namespace

namespace detail {
std::unique_ptr<Font> load_simple_font(PdfFile& file, CMapLibrary& cmaps, const Object* font) {
  return std::make_unique<SimpleFont>(file, cmaps, font);
}
}  // namespace detail

}  // namespace lore::ingest::pdf
