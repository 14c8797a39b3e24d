#include "ingest/pdf/font.hpp"

#include <algorithm>
#include <array>

#include "ingest/pdf/embedded_font.hpp"
#include "ingest/pdf/glyph_names.hpp"

namespace lore::ingest::pdf {
namespace detail {

std::unique_ptr<CMap> load_to_unicode(PdfFile& file, CMapLibrary& cmaps, const Object* font) {
  const Object* map = file.objects().get(font, "ToUnicode");
  if (map == nullptr || !file.is_stream(map)) return nullptr;
  const DecodedStream decoded = file.stream(map);
  if (decoded.bytes.empty()) return nullptr;
  const auto find = [&cmaps](std::string_view name) { return cmaps.find(name); };
  auto parsed = std::make_unique<CMap>(CMap::parse(decoded.bytes, find));
  return parsed->has_unicode() ? std::move(parsed) : nullptr;
}

std::unique_ptr<EmbeddedFont> load_program(PdfFile& file, const Object* descriptor) {
  for (const char* key : {"FontFile", "FontFile2", "FontFile3"}) {
    const Object* program = file.objects().get(descriptor, key);
    if (program == nullptr) continue;
    if (auto font = EmbeddedFont::load(file.stream(program).bytes)) return font;
  }
  return nullptr;
}

bool is_bold(const Objects& objects, const std::string& name, const Object* descriptor) {
  std::string lower = name;
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  // cmbx, sfbx, cmssbx, …: how TeX's fonts say bold.
  constexpr std::array<std::string_view, 8> kMarks = {"bold", "black", "heavy",  "demi",
                                                      "cmbx", "sfbx",  "cmssbx", "ecbx"};
  for (const std::string_view mark : kMarks) {
    if (lower.find(mark) != std::string::npos) return true;
  }
  constexpr long kForceBold = 1 << 18;
  const double flags = objects.number(descriptor, "Flags").value_or(0);
  const bool forced = flags > 0 && flags < 1e9 && (static_cast<long>(flags) & kForceBold) != 0;
  return forced || objects.number(descriptor, "FontWeight").value_or(400) >= 600;
}

std::u32string readable(const std::u32string& text) {
  std::u32string out;
  for (const char32_t c : text) append_readable(out, c);
  return out;
}

}  // namespace detail

std::unique_ptr<Font> load_font(PdfFile& file, CMapLibrary& cmaps, const Object* font) {
  const bool composite = file.objects().name(font, "Subtype") == "Type0" ||
                         Objects::is_array(file.objects().get(font, "DescendantFonts"));
  return composite ? detail::load_composite_font(file, cmaps, font)
                   : detail::load_simple_font(file, cmaps, font);
}

}  // namespace lore::ingest::pdf
