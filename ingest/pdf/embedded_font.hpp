// What the font program inside a PDF tells about its glyphs, read with FreeType.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace lore::ingest::pdf {

/// A Type 1, TrueType, CFF or OpenType program. Thread safety: one thread.
class EmbeddedFont {
 public:
  /// nullptr where FreeType cannot read it.
  static std::unique_ptr<EmbeddedFont> load(std::string bytes);
  ~EmbeddedFont();
  EmbeddedFont(const EmbeddedFont&) = delete;
  EmbeddedFont& operator=(const EmbeddedFont&) = delete;

  /// The text of a one-byte code by the font's own encoding; empty where it does not tell.
  std::u32string text_of_code(unsigned code) const;

  /// The text of a glyph: by the reverse of its Unicode cmap, else by its name.
  std::u32string text_of_glyph(unsigned glyph) const;

  /// The text of the glyph with this name, where the name itself tells nothing.
  std::u32string text_of_glyph_name(const std::string& name) const;

  /// The glyph of a CID: by the charset of a CID-keyed CFF font, else the CID itself.
  unsigned glyph_of_cid(std::uint32_t cid) const;

  /// Advance of the glyph of a one-byte code in thousandths of an em.
  std::optional<double> width_of_code(unsigned code) const;

 private:
  struct Face;

 public:
  /// For load(): nobody else can make a Face.
  explicit EmbeddedFont(std::unique_ptr<Face> face);

 private:
  unsigned glyph_of_code(unsigned code) const;

  std::unique_ptr<Face> face_;
  std::unordered_map<unsigned, char32_t> unicode_of_glyph_;
  std::unordered_map<std::uint32_t, unsigned> glyph_of_cid_;
  bool cid_keyed_ = false;
};

}  // namespace lore::ingest::pdf
