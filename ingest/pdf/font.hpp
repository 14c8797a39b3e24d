// Fonts of a PDF: from the bytes of a shown string to characters and advances.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/function_ref.hpp"
#include "ingest/pdf/cmap_library.hpp"
#include "ingest/pdf/pdf_file.hpp"

namespace lore::ingest::pdf {

class EmbeddedFont;

/// One shown character code.
struct FontGlyph {
  std::u32string_view text;     ///< what it means; U+FFFD where nothing tells; may be empty
  double width = 0;             ///< horizontal advance in text space (1 is the font size)
  double vertical_advance = 0;  ///< vertical writing: advance along y, negative is down
  bool mapped = true;           ///< false: `text` is U+FFFD for want of knowledge
  bool is_space_code = false;   ///< the one-byte code 32, which word spacing applies to
};

/// Thread safety: one thread.
class Font {
 public:
  virtual ~Font() = default;

  /// Calls `sink` for each code of a shown string.
  virtual void decode(std::string_view string, FunctionRef<void(const FontGlyph&)> sink) = 0;

  bool vertical() const noexcept { return vertical_; }
  bool bold() const noexcept { return bold_; }
  /// Height of an em in text space: 1, other for Type 3 fonts.
  double em() const noexcept { return em_; }

 protected:
  bool vertical_ = false;
  bool bold_ = false;
  double em_ = 1;
  std::string name_;
};

/// Reads the font of a resource dictionary; never fails: where everything is missing, characters
/// come out as U+FFFD. `file` and `cmaps` must outlive the font.
std::unique_ptr<Font> load_font(PdfFile& file, CMapLibrary& cmaps, const Object* font);

namespace detail {
std::unique_ptr<Font> load_simple_font(PdfFile& file, CMapLibrary& cmaps, const Object* font);
std::unique_ptr<Font> load_composite_font(PdfFile& file, CMapLibrary& cmaps, const Object* font);

/// The font's ToUnicode map, or nullptr.
std::unique_ptr<CMap> load_to_unicode(PdfFile& file, CMapLibrary& cmaps, const Object* font);

/// The font program that a descriptor embeds, or nullptr.
std::unique_ptr<EmbeddedFont> load_program(PdfFile& file, const Object* descriptor);

/// Whether a font is bold by its name, weight or flags.
bool is_bold(const Objects& objects, const std::string& name, const Object* descriptor);

/// Makes `text` readable (ligatures expanded, control characters dropped).
std::u32string readable(const std::u32string& text);
}  // namespace detail

}  // namespace lore::ingest::pdf
