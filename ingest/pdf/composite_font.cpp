// Type 0 fonts: codes of one to four bytes through a CMap to CIDs.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/utf8.hpp"
#include "ingest/pdf/embedded_font.hpp"
#include "ingest/pdf/font.hpp"

namespace lore::ingest::pdf {
namespace {

constexpr std::size_t kMaxWidths = 200'000;

struct WidthRange {
  std::uint32_t first, last;
  double width;
};

/// Reads /W: "c [w …]" and "first last w". What makes no sense is passed over.
std::vector<WidthRange> read_widths(const Objects& objects, const Object* array) {
  std::vector<WidthRange> ranges;
  const std::size_t size = objects.array_size(array);
  const auto is_cid = [](double value) { return value >= 0 && value <= 0xFFFFFF; };
  for (std::size_t i = 0; i + 1 < size && ranges.size() < kMaxWidths;) {
    const double first = objects.number(objects.item(array, i)).value_or(-1);
    const Object* second = objects.item(array, i + 1);
    if (Objects::is_array(second)) {
      const std::size_t count = std::min(objects.array_size(second), kMaxWidths - ranges.size());
      for (std::size_t k = 0; k < count && is_cid(first); ++k) {
        const auto cid = static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(k);
        ranges.push_back({cid, cid, objects.number(objects.item(second, k)).value_or(0)});
      }
      i += 2;
    } else {
      const double last = objects.number(second).value_or(-1);
      const double width = objects.number(objects.item(array, i + 2)).value_or(0);
      if (is_cid(first) && last >= first) {
        ranges.push_back({static_cast<std::uint32_t>(first),
                          static_cast<std::uint32_t>(std::min(last, double{0xFFFFFF})), width});
      }
      i += 3;
    }
  }
  std::stable_sort(ranges.begin(), ranges.end(),
                   [](const WidthRange& a, const WidthRange& b) { return a.first < b.first; });
  return ranges;
}

double find_width(const std::vector<WidthRange>& ranges, std::uint32_t cid, double fallback) {
  auto after = std::upper_bound(
      ranges.begin(), ranges.end(), cid,
      [](std::uint32_t wanted, const WidthRange& range) { return wanted < range.first; });
  for (int steps = 0; after != ranges.begin() && steps < 8; ++steps) {
    --after;
    if (cid <= after->last) return std::abs(after->width) < 1e5 ? after->width : fallback;
  }
  return fallback;
}

/// Codes of these predefined CMaps are Unicode already.
bool is_unicode_cmap(const std::string& name) {
  return name.rfind("Uni", 0) == 0 &&
         (name.find("-UCS2-") != std::string::npos || name.find("-UTF16-") != std::string::npos);
}

class CompositeFont : public Font {
 public:
  CompositeFont(PdfFile& file, CMapLibrary& cmaps, const Object* font)
      : file_(file), objects_(file.objects()), identity_(CMap::identity(false)) {
    descendant_ = objects_.item(objects_.get(font, "DescendantFonts"), 0);
    descriptor_ = objects_.dictionary(descendant_, "FontDescriptor");
    name_ = objects_.name(font, "BaseFont");
    bold_ = detail::is_bold(objects_, name_, descriptor_);
    to_unicode_ = detail::load_to_unicode(file, cmaps, font);
    unicode_codes_ = objects_.name(font, "ToUnicode").rfind("Identity", 0) == 0;
    read_encoding(cmaps, font);
    const Object* info = objects_.dictionary(descendant_, "CIDSystemInfo");
    cid_to_unicode_ = cmaps.cid_to_unicode(objects_.bytes(objects_.get(info, "Registry")),
                                           objects_.bytes(objects_.get(info, "Ordering")));
    widths_ = read_widths(objects_, objects_.get(descendant_, "W"));
    default_width_ = objects_.number(descendant_, "DW").value_or(1000);
    const std::vector<double> vertical = objects_.numbers(objects_.get(descendant_, "DW2"), 2);
    if (vertical.size() == 2 && std::abs(vertical[1]) < 1e5) {
      vertical_advance_ = vertical[1];
    }
    const Object* glyph_map = objects_.get(descendant_, "CIDToGIDMap");
    if (glyph_map != nullptr && file.is_stream(glyph_map)) {
      cid_to_glyph_ = file.stream(glyph_map).bytes;
    }
  }

  void decode(std::string_view string, FunctionRef<void(const FontGlyph&)> sink) override {
    for (std::size_t at = 0; at < string.size();) {
      const CharacterCode code = cmap_->next_code(string, at);
      const std::uint64_t key = (std::uint64_t{code.bytes} << 32) | code.value;
      const auto [entry, fresh] = slots_.try_emplace(key);
      if (fresh) entry->second = make_slot(code);
      const Slot& slot = entry->second;
      FontGlyph glyph;
      glyph.text = slot.text;
      glyph.width = slot.width;
      glyph.mapped = slot.mapped;
      glyph.is_space_code = code.bytes == 1 && code.value == 32;
      if (vertical_) {
        glyph.vertical_advance = vertical_advance_ / 1000;
      }
      sink(glyph);
    }
  }

 private:
  struct Slot {
    std::u32string text;
    double width = 0;
    bool mapped = true;
  };

  void read_encoding(CMapLibrary& cmaps, const Object* font) {
    const Object* encoding = objects_.get(font, "Encoding");
    if (Objects::is_name(encoding)) {
      const std::string name = objects_.name(encoding);
      cmap_ = cmaps.find(name);
      vertical_ = name == "V" || (name.size() > 2 && name.substr(name.size() - 2) == "-V");
      unicode_codes_ = unicode_codes_ || is_unicode_cmap(name);
    } else if (encoding != nullptr && file_.is_stream(encoding)) {
      const auto find = [&cmaps](std::string_view name) { return cmaps.find(name); };
      own_cmap_ = std::make_unique<CMap>(CMap::parse(file_.stream(encoding).bytes, find));
      const CMap* base = cmaps.find(objects_.name(encoding, "UseCMap"));
      cmap_ = own_cmap_->has_codespace() ? own_cmap_.get() : base;
      vertical_ = own_cmap_->vertical() || objects_.number(encoding, "WMode").value_or(0) == 1;
    }
    if (cmap_ == nullptr) cmap_ = &identity_;
  }

  Slot make_slot(CharacterCode code) {
    Slot slot;
    std::uint32_t cid = code.value;
    const bool has_cid = cmap_->cid(code, cid);
    slot.width = find_width(widths_, cid, default_width_) / 1000;
    std::u32string text;
    const bool known = find_text(code, cid, has_cid, text);
    slot.text = known ? detail::readable(text) : std::u32string(1, utf8::kReplacement);
    slot.mapped = slot.text.find(utf8::kReplacement) == std::u32string::npos;
    return slot;
  }

  /// False where nothing tells what the code means.
  bool find_text(CharacterCode code, std::uint32_t cid, bool has_cid, std::u32string& text) {
    if (to_unicode_ != nullptr) {
      if (to_unicode_->unicode(code, text)) return true;
      // Maps that give the codes in another length than the font's codespace.
      if (code.bytes == 1 && to_unicode_->unicode({code.value, 2}, text)) return true;
      if (code.bytes == 2 && code.value < 256 && to_unicode_->unicode({code.value, 1}, text)) {
        return true;
      }
    }
    if (unicode_codes_ && code.value != 0) {
      const std::uint32_t high = code.value >> 16, low = code.value & 0xFFFF;
      const bool pair = code.bytes == 4 && high >= 0xD800 && high < 0xDC00 && low >= 0xDC00;
      text.assign(1, pair
                         ? static_cast<char32_t>(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
                         : static_cast<char32_t>(code.value));
      return true;
    }
    if (cid_to_unicode_ != nullptr && has_cid && cid_to_unicode_->unicode({cid, 2}, text)) {
      return true;
    }
    if (EmbeddedFont* font = program()) text = font->text_of_glyph(glyph_of(cid));
    return !text.empty();
  }

  unsigned glyph_of(std::uint32_t cid) {
    const std::size_t at = std::size_t{2} * cid;
    if (at + 1 < cid_to_glyph_.size()) {
      return static_cast<unsigned char>(cid_to_glyph_[at]) * 256u +
             static_cast<unsigned char>(cid_to_glyph_[at + 1]);
    }
    return program_->glyph_of_cid(cid);
  }

  EmbeddedFont* program() {
    if (!program_read_) {
      program_read_ = true;
      program_ = detail::load_program(file_, descriptor_);
    }
    return program_.get();
  }

  PdfFile& file_;
  const Objects& objects_;
  const Object* descendant_ = nullptr;
  const Object* descriptor_ = nullptr;
  CMap identity_;
  std::unique_ptr<CMap> own_cmap_;
  const CMap* cmap_ = nullptr;
  bool unicode_codes_ = false;
  std::unique_ptr<CMap> to_unicode_;
  const CMap* cid_to_unicode_ = nullptr;
  std::vector<WidthRange> widths_;
  double default_width_ = 1000;
  double vertical_advance_ = -1000;
  std::string cid_to_glyph_;
  std::unique_ptr<EmbeddedFont> program_;
  bool program_read_ = false;
  std::unordered_map<std::uint64_t, Slot> slots_;
};

}  // namespace

namespace detail {
std::unique_ptr<Font> load_composite_font(PdfFile& file, CMapLibrary& cmaps, const Object* font) {
  return std::make_unique<CompositeFont>(file, cmaps, font);
}
}  // namespace detail

}  // namespace lore::ingest::pdf
