// Annotations and form fields: the part of Interpreter that comes after a page's contents.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/utf8.hpp"
#include "ingest/pdf/interpreter.hpp"

namespace lore::ingest::pdf {
namespace {

constexpr std::size_t kMaxAnnotations = 5'000;
constexpr int kMaxFieldDepth = 16;
constexpr std::size_t kMaxValue = 100'000;  // bytes of one field's value

}  // namespace

void Interpreter::draw_annotations() {
  const Object* annotations = objects_.get(page_.page, "Annots");
  const std::size_t listed = objects_.array_size(annotations);
  const std::size_t count = std::min(listed, kMaxAnnotations);
  if (listed > count) problem("the page has too many annotations; the rest was left out");
  for (std::size_t i = 0; i < count; ++i) {
    const Object* annotation = objects_.item(annotations, i);
    if (Objects::is_dictionary(annotation)) draw_annotation(annotation);
  }
}

void Interpreter::draw_annotation(const Object* annotation) {
  constexpr long kHidden = 1 << 1, kNoView = 1 << 5;
  const double flags = objects_.number(annotation, "F").value_or(0);
  const long bits = flags > 0 && flags < 1e9 ? static_cast<long>(flags) : 0;
  const std::string kind = objects_.name(annotation, "Subtype");
  if (kind == "Popup" || (bits & (kHidden | kNoView)) != 0) return;
  if (!context_.layers.visible(objects_.get(annotation, "OC"))) return;
  const std::vector<double> corners = objects_.numbers(objects_.get(annotation, "Rect"), 4);
  if (corners.size() != 4) return;
  const Box rect{std::min(corners[0], corners[2]), std::min(corners[1], corners[3]),
                 std::max(corners[0], corners[2]), std::max(corners[1], corners[3])};
  const std::size_t before = out_.glyphs.size();
  if (const Object* form = appearance(annotation)) {
    // The form's box, turned by its matrix, is fitted to the rectangle (12.5.5, algorithm 8.1).
    const std::vector<double> values = objects_.numbers(objects_.get(form, "BBox"), 4);
    const std::vector<double> turn = objects_.numbers(objects_.get(form, "Matrix"), 6);
    Matrix matrix;
    if (turn.size() == 6) matrix = {turn[0], turn[1], turn[2], turn[3], turn[4], turn[5]};
    Matrix placement{1, 0, 0, 1, rect.x0, rect.y0};
    if (values.size() == 4) {
      const Box box = transformed({values[0], values[1], values[2], values[3]}, matrix);
      const double x_scale = box.width() > 1e-6 ? rect.width() / box.width() : 1;
      const double y_scale = box.height() > 1e-6 ? rect.height() / box.height() : 1;
      placement = {x_scale, 0, 0, y_scale, rect.x0 - box.x0 * x_scale, rect.y0 - box.y0 * y_scale};
    }
    draw_form(form, placement);
  }
  if (out_.glyphs.size() > before) return;
  // No appearance was drawn: the value itself still belongs to the page.
  if (kind == "Widget") emit_text(rect, field_value(annotation));
  if (kind == "FreeText") emit_text(rect, objects_.text(objects_.get(annotation, "Contents")));
}

const Object* Interpreter::appearance(const Object* annotation) {
  const Object* normal = objects_.get(objects_.dictionary(annotation, "AP"), "N");
  if (normal == nullptr) return nullptr;
  if (context_.file.is_stream(normal)) return normal;
  // One appearance for each state (check boxes).
  const std::string state = objects_.name(annotation, "AS");
  const Object* chosen = state.empty() ? nullptr : objects_.get(normal, state.c_str());
  return chosen != nullptr && context_.file.is_stream(chosen) ? chosen : nullptr;
}

std::string Interpreter::field_value(const Object* field) {
  std::string type;
  const Object* value = nullptr;
  for (int depth = 0; field != nullptr && depth < kMaxFieldDepth; ++depth) {
    if (type.empty()) type = objects_.name(field, "FT");
    if (value == nullptr) value = objects_.get(field, "V");
    field = objects_.dictionary(field, "Parent");
  }
  if (value == nullptr || (type != "Tx" && type != "Ch")) return {};
  if (Objects::is_array(value)) {
    std::string all;
    for (std::size_t i = 0; i < std::min<std::size_t>(objects_.array_size(value), 100); ++i) {
      if (i > 0) all += '\n';
      all += objects_.text(objects_.item(value, i));
    }
    return all.substr(0, kMaxValue);
  }
  if (context_.file.is_stream(value)) {
    return text_string_to_utf8(context_.file.stream(value).bytes.substr(0, kMaxValue));
  }
  return objects_.text(value).substr(0, kMaxValue);
}

void Interpreter::emit_text(const Box& box, const std::string& utf8) {
  if (utf8.empty()) return;
  constexpr double kSize = 10;      // points, where the box does not ask for less
  constexpr double kAdvance = 0.5;  // of an em: a guess that keeps words apart
  const double size = std::clamp(box.height() * 0.7, 1.0, kSize);
  double x = box.x0, y = box.y1 - size;
  const auto place = [&](char32_t c) {
    const std::u32string readable = detail::readable(std::u32string(1, c));
    if (readable.empty() || !has_room()) return;
    const Point origin = state_.ctm.apply(x, y);
    const Point advance = state_.ctm.apply_vector(kAdvance * size, 0);
    Glyph glyph;
    glyph.x = static_cast<float>(origin.x);
    glyph.y = static_cast<float>(origin.y);
    glyph.dx = static_cast<float>(advance.x);
    glyph.dy = static_cast<float>(advance.y);
    glyph.size = static_cast<float>(size);
    glyph.text_start = static_cast<std::uint32_t>(out_.text.size());
    glyph.text_length = static_cast<std::uint32_t>(readable.size());
    out_.text += readable;
    out_.glyphs.push_back(glyph);
    x += kAdvance * size;
  };
  for (const char32_t c : utf8::decode(utf8)) {
    if (c == U'\n' || c == U'\r') {
      x = box.x0;
      y -= 1.2 * size;
    } else {
      place(c);
    }
  }
}

}  // namespace lore::ingest::pdf
