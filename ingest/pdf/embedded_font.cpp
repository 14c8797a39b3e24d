#include "ingest/pdf/embedded_font.hpp"

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_CID_H
#include FT_TRUETYPE_TABLES_H

#include <array>
#include <utility>

#include "ingest/pdf/glyph_names.hpp"

namespace lore::ingest::pdf {
namespace {

/// Owns a FreeType library.
class Library {
 public:
  Library() { ready_ = FT_Init_FreeType(&library_) == 0; }
  ~Library() {
    if (ready_) FT_Done_FreeType(library_);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  FT_Library get() const { return ready_ ? library_ : nullptr; }

 private:
  FT_Library library_ = nullptr;
  bool ready_ = false;
};

constexpr unsigned kMaxMapped = 200'000;  // entries of a cmap that are worth reading

bool is_private(char32_t code) { return code >= 0xE000 && code < 0xF900; }

}  // namespace

struct EmbeddedFont::Face {
  // Each font has its own library, so that nothing is shared and nothing outlives it.
  Library library;
  std::string bytes;
  FT_Face face = nullptr;

  Face() = default;
  Face(const Face&) = delete;
  Face& operator=(const Face&) = delete;
  ~Face() {
    if (face != nullptr) FT_Done_Face(face);
  }
};

std::unique_ptr<EmbeddedFont> EmbeddedFont::load(std::string bytes) {
  auto face = std::make_unique<Face>();
  face->bytes = std::move(bytes);
  if (face->library.get() == nullptr || face->bytes.empty()) return nullptr;
  if (FT_New_Memory_Face(face->library.get(), reinterpret_cast<const FT_Byte*>(face->bytes.data()),
                         static_cast<FT_Long>(face->bytes.size()), 0, &face->face) != 0) {
    return nullptr;
  }
  return std::make_unique<EmbeddedFont>(std::move(face));
}

EmbeddedFont::EmbeddedFont(std::unique_ptr<Face> holder) : face_(std::move(holder)) {
  FT_Face face = face_->face;
  if (FT_Select_Charmap(face, FT_ENCODING_UNICODE) == 0) {
    FT_UInt glyph = 0;
    FT_ULong code = FT_Get_First_Char(face, &glyph);
    for (unsigned count = 0; glyph != 0 && count < kMaxMapped; ++count) {
      const auto found = unicode_of_glyph_.find(glyph);
      const auto character = static_cast<char32_t>(code);
      // Of several characters for one glyph the lowest is the plain one.
      if (found == unicode_of_glyph_.end()) {
        unicode_of_glyph_.emplace(glyph, character);
      } else if (is_private(found->second) && !is_private(character)) {
        found->second = character;
      }
      code = FT_Get_Next_Char(face, code, &glyph);
    }
  }
  FT_Bool is_cid = 0;
  cid_keyed_ = FT_Get_CID_Is_Internally_CID_Keyed(face, &is_cid) == 0 && is_cid != 0;
  for (FT_Long glyph = 0; cid_keyed_ && glyph < face->num_glyphs && glyph < 65536; ++glyph) {
    FT_UInt cid = 0;
    if (FT_Get_CID_From_Glyph_Index(face, static_cast<FT_UInt>(glyph), &cid) == 0) {
      glyph_of_cid_.emplace(cid, static_cast<unsigned>(glyph));
    }
  }
}

EmbeddedFont::~EmbeddedFont() = default;

unsigned EmbeddedFont::glyph_of_code(unsigned code) const {
  FT_Face face = face_->face;
  for (const FT_Encoding encoding :
       {FT_ENCODING_ADOBE_CUSTOM, FT_ENCODING_ADOBE_STANDARD, FT_ENCODING_ADOBE_EXPERT,
        FT_ENCODING_MS_SYMBOL, FT_ENCODING_APPLE_ROMAN}) {
    if (FT_Select_Charmap(face, encoding) != 0) continue;
    FT_UInt glyph = FT_Get_Char_Index(face, code);
    if (glyph == 0 && encoding == FT_ENCODING_MS_SYMBOL) {
      glyph = FT_Get_Char_Index(face, 0xF000 + code);
    }
    if (glyph != 0) return glyph;
  }
  return 0;
}

std::u32string EmbeddedFont::text_of_code(unsigned code) const {
  const unsigned glyph = glyph_of_code(code);
  return glyph == 0 ? std::u32string() : text_of_glyph(glyph);
}

std::u32string EmbeddedFont::text_of_glyph(unsigned glyph) const {
  if (FT_HAS_GLYPH_NAMES(face_->face)) {
    std::array<char, 128> name{};
    if (FT_Get_Glyph_Name(face_->face, glyph, name.data(), static_cast<FT_UInt>(name.size())) ==
        0) {
      std::u32string text = glyph_name_to_unicode(name.data());
      if (!text.empty()) return text;
    }
  }
  const auto found = unicode_of_glyph_.find(glyph);
  if (found == unicode_of_glyph_.end() || is_private(found->second)) return {};
  return {found->second};
}

std::u32string EmbeddedFont::text_of_glyph_name(const std::string& name) const {
  if (!FT_HAS_GLYPH_NAMES(face_->face)) return {};
  const FT_UInt glyph = FT_Get_Name_Index(face_->face, name.c_str());
  return glyph == 0 ? std::u32string() : text_of_glyph(glyph);
}

unsigned EmbeddedFont::glyph_of_cid(std::uint32_t cid) const {
  if (!cid_keyed_) return cid;
  const auto found = glyph_of_cid_.find(cid);
  return found == glyph_of_cid_.end() ? 0 : found->second;
}

std::optional<double> EmbeddedFont::width_of_code(unsigned code) const {
  const unsigned glyph = glyph_of_code(code);
  FT_Face face = face_->face;
  if (glyph == 0 || face->units_per_EM == 0 ||
      FT_Load_Glyph(face, glyph, FT_LOAD_NO_SCALE | FT_LOAD_NO_HINTING) != 0) {
    return std::nullopt;
  }
  return 1000.0 * static_cast<double>(face->glyph->metrics.horiAdvance) / face->units_per_EM;
}

}  // namespace lore::ingest::pdf
