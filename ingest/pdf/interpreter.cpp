#include "ingest/pdf/interpreter.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/utf8.hpp"

namespace lore::ingest::pdf {
namespace {

constexpr std::size_t kMaxOperations = 5'000'000;  // of one page, forms included
constexpr std::size_t kMaxOperands = 64;           // before one operator
constexpr std::size_t kMaxStates = 1'000;          // of q without Q
constexpr std::size_t kMaxMarked = 1'000;
constexpr std::size_t kMaxGlyphs = 1'000'000;  // of one page
constexpr std::size_t kMaxContents = 2'000;    // streams of one page
constexpr std::size_t kMaxProblems = 20;

Box default_box() { return {0, 0, 612, 792}; }

Box read_box(const Objects& objects, const Object* array) {
  const std::vector<double> values = objects.numbers(array, 4);
  if (values.size() != 4) return default_box();
  const Box box{std::min(values[0], values[2]), std::min(values[1], values[3]),
                std::max(values[0], values[2]), std::max(values[1], values[3])};
  const bool sound = box.width() > 0.5 && box.height() > 0.5 && box.width() < 1e6 &&
                     box.height() < 1e6 && std::abs(box.x0) < 1e6 && std::abs(box.y0) < 1e6;
  return sound ? box : default_box();
}

/// Degrees in [0, 360); what is almost upright is upright, other angles count in steps of five, so
/// that the letters of one slanted line stay together.
std::int16_t direction_of(Point vector) {
  const double degrees = std::atan2(vector.y, vector.x) * 180 / 3.14159265358979323846;
  const double quarter = std::round(degrees / 90) * 90;
  const double snapped = std::abs(degrees - quarter) < 4 ? quarter : std::round(degrees / 5) * 5;
  const int whole = static_cast<int>(snapped);
  return static_cast<std::int16_t>(((whole % 360) + 360) % 360);
}

/// From the page's own space to display space.
Matrix display_matrix(const Box& box, int rotate) {
  switch (rotate) {
    case 90:
      return {0, 1, 1, 0, -box.y0, -box.x0};
    case 180:
      return {-1, 0, 0, 1, box.x1, -box.y0};
    case 270:
      return {0, -1, -1, 0, box.y1, box.x1};
    default:
      return {1, 0, 0, -1, -box.x0, box.y1};
  }
}

}  // namespace

Font* DocumentContext::font(const Object* dictionary) {
  if (!Objects::is_dictionary(dictionary)) return nullptr;
  auto& slot = fonts_[dictionary];
  if (slot == nullptr) slot = load_font(file, cmaps, dictionary);
  return slot.get();
}

Interpreter::Interpreter(DocumentContext& context, const PageNode& page)
    : context_(context),
      objects_(context.file.objects()),
      page_(page),
      resources_(page.resources),
      operations_left_(kMaxOperations) {
  const Box box = read_box(objects_, page.crop_box);
  const bool sideways = page.rotate % 180 != 0;
  out_.width = sideways ? box.height() : box.width();
  out_.height = sideways ? box.width() : box.height();
  state_.ctm = display_matrix(box, page.rotate);
  operands_.resize(kMaxOperands);
}

PageContent Interpreter::run() {
  const State start = state_;
  execute(contents(), page_.resources);
  state_ = start;
  stack_.clear();
  skipped_saves_ = skipped_marks_ = 0;
  while (!marked_.empty()) end_marked();
  draw_annotations();
  return std::move(out_);
}

std::string Interpreter::contents() {
  const Object* contents = objects_.get(page_.page, "Contents");
  if (contents == nullptr) {
    const Object* named = objects_.get_unresolved(page_.page, "Contents");
    if (Objects::is_reference(named)) problem("a content stream is missing");
    return {};
  }
  std::string all;
  const bool many = Objects::is_array(contents);
  const std::size_t listed = many ? objects_.array_size(contents) : 1;
  const std::size_t count = std::min(listed, kMaxContents);
  if (listed > count) problem("the page has too many content streams; the rest was left out");
  for (std::size_t i = 0; i < count; ++i) {
    const Object* part = many ? objects_.item(contents, i) : contents;
    if (part == nullptr) {
      problem("a content stream is missing");
      continue;
    }
    DecodedStream decoded = context_.file.stream(part);
    if (!decoded.problem.empty()) problem("a content stream " + decoded.problem);
    if (all.size() + decoded.bytes.size() > kStreamLimit) {
      problem("the content streams are too long; the rest was left out");
      break;
    }
    all += decoded.bytes;
    all += '\n';  // a token never goes over the end of a stream
  }
  return all;
}

void Interpreter::problem(const std::string& text) {
  if (out_.problems.size() >= kMaxProblems) return;
  if (std::find(out_.problems.begin(), out_.problems.end(), text) == out_.problems.end()) {
    out_.problems.push_back(text);
  }
}

double Interpreter::number(std::size_t index) const {
  return index < operand_count_ ? operands_[index].number : 0;
}

Matrix Interpreter::matrix_operand() const {
  return {number(0), number(1), number(2), number(3), number(4), number(5)};
}

void Interpreter::execute(std::string_view content, const Object* resources) {
  const Object* outer = std::exchange(resources_, resources);
  ContentLexer lexer(content);
  operand_count_ = 0;
  for (;;) {
    if (operand_count_ >= kMaxOperands) operand_count_ = 0;
    const ContentLexer::Token token = lexer.next(operands_[operand_count_]);
    if (token == ContentLexer::Token::end) break;
    if (token == ContentLexer::Token::operand) {
      ++operand_count_;
      continue;
    }
    if (operations_left_ == 0) {
      problem("the page draws more than lore reads of one page; the rest was left out");
      break;
    }
    --operations_left_;
    handle(lexer.keyword(), lexer);
    operand_count_ = 0;
  }
  resources_ = outer;
}

void Interpreter::handle(std::string_view keyword, ContentLexer& lexer) {
  if (keyword == "q") {
    save();
  } else if (keyword == "Q") {
    restore();
  } else if (keyword == "cm") {
    const Matrix moved = matrix_operand() * state_.ctm;
    if (moved.finite()) state_.ctm = moved;
  } else if (keyword == "Do") {
    if (operand_count_ > 0) draw_object(std::string(operands_[operand_count_ - 1].text));
  } else if (keyword == "gs") {
    if (operand_count_ > 0) apply_graphics_state(operands_[operand_count_ - 1].text);
  } else if (keyword == "BI") {
    if (!lexer.skip_inline_image()) problem("an inline image does not end");
    if (!hidden())
      out_.image_area +=
          length({state_.ctm.a, state_.ctm.b}) * length({state_.ctm.c, state_.ctm.d});
  } else if (keyword == "BMC" || keyword == "BDC") {
    begin_marked(keyword == "BDC");
  } else if (keyword == "EMC") {
    end_marked();
  } else if (!handle_text(keyword) && !handle_text_state(keyword)) {
    handle_path(keyword);
  }
}

bool Interpreter::handle_text(std::string_view keyword) {
  if (keyword == "BT") {
    text_matrix_ = line_matrix_ = Matrix{};
  } else if (keyword == "Td") {
    next_line(number(0), number(1));
  } else if (keyword == "TD") {
    state_.leading = -number(1);
    next_line(number(0), number(1));
  } else if (keyword == "Tm") {
    const Matrix matrix = matrix_operand();
    if (matrix.finite()) text_matrix_ = line_matrix_ = matrix;
  } else if (keyword == "T*") {
    next_line(0, -state_.leading);
  } else if (keyword == "Tj") {
    if (operand_count_ > 0) show(operands_[operand_count_ - 1].text);
  } else if (keyword == "TJ") {
    if (operand_count_ > 0) show_adjusted(operands_[operand_count_ - 1]);
  } else if (keyword == "'") {
    next_line(0, -state_.leading);
    if (operand_count_ > 0) show(operands_[operand_count_ - 1].text);
  } else if (keyword == "\"") {
    state_.word_space = number(0);
    state_.char_space = number(1);
    next_line(0, -state_.leading);
    if (operand_count_ > 2) show(operands_[2].text);
  } else {
    return false;
  }
  return true;
}

bool Interpreter::handle_text_state(std::string_view keyword) {
  if (keyword == "Tf") {
    if (operand_count_ < 2) return true;
    state_.size = number(operand_count_ - 1);
    set_font(operands_[operand_count_ - 2].text);
  } else if (keyword == "Tc") {
    state_.char_space = number(0);
  } else if (keyword == "Tw") {
    state_.word_space = number(0);
  } else if (keyword == "Tz") {
    state_.scale = number(0) / 100;
  } else if (keyword == "TL") {
    state_.leading = number(0);
  } else if (keyword == "Ts") {
    state_.rise = number(0);
  } else {
    // ET ends a text object and changes nothing; Tr: invisible text is what OCR lays over a scan.
    return keyword == "ET" || keyword == "Tr";
  }
  return true;
}

void Interpreter::save() {
  if (stack_.size() < kMaxStates) {
    stack_.push_back(state_);
  } else {
    ++skipped_saves_;
    problem("the page saves its state too often; some text may stand in the wrong place");
  }
}

void Interpreter::restore() {
  if (skipped_saves_ > 0) {
    --skipped_saves_;
    return;
  }
  if (stack_.empty()) return;
  state_ = stack_.back();
  stack_.pop_back();
}

void Interpreter::set_font(const std::string& name) {
  const Object* fonts = objects_.dictionary(resources_, "Font");
  state_.font = context_.font(objects_.get(fonts, name.c_str()));
  if (state_.font == nullptr && !name.empty()) problem("a font that the page names is missing");
}

void Interpreter::apply_graphics_state(const std::string& name) {
  const Object* states = objects_.dictionary(resources_, "ExtGState");
  const Object* font = objects_.get(objects_.get(states, name.c_str()), "Font");
  if (objects_.array_size(font) < 2) return;
  if (Font* found = context_.font(objects_.item(font, 0))) {
    state_.font = found;
    state_.size = objects_.number(objects_.item(font, 1)).value_or(state_.size);
  }
}

void Interpreter::next_line(double x, double y) {
  const Matrix moved = Matrix{1, 0, 0, 1, x, y} * line_matrix_;
  if (moved.finite()) text_matrix_ = line_matrix_ = moved;
}

void Interpreter::show(std::string_view string) {
  if (state_.font == nullptr) {
    if (!string.empty()) problem("text is shown without a font");
    return;
  }
  // Long strings count as work: a page could show one of a million bytes again and again.
  operations_left_ -= std::min(operations_left_, string.size() / 16);
  state_.font->decode(string, [this](const FontGlyph& glyph) { emit(glyph); });
}

void Interpreter::show_adjusted(const Operand& array) {
  for (const Operand& item : array.items) {
    if (item.is(OperandKind::string)) {
      show(item.text);
    } else if (item.is(OperandKind::number)) {
      const double shift = -item.number / 1000 * state_.size;
      const bool vertical = state_.font != nullptr && state_.font->vertical();
      const Matrix moved =
          Matrix{1, 0, 0, 1, vertical ? 0 : shift * state_.scale, vertical ? shift : 0} *
          text_matrix_;
      if (moved.finite()) text_matrix_ = moved;
    }
  }
}

void Interpreter::emit(const FontGlyph& shown) {
  const bool vertical = state_.font->vertical();
  const Matrix to_page = text_matrix_ * state_.ctm;
  const double spacing = state_.char_space + (shown.is_space_code ? state_.word_space : 0);
  const double width = shown.width * state_.size * state_.scale;
  const double x_shift = vertical ? 0 : width + spacing * state_.scale;
  const double y_shift = vertical ? shown.vertical_advance * state_.size + spacing : 0;
  const Matrix moved = Matrix{1, 0, 0, 1, x_shift, y_shift} * text_matrix_;
  if (!moved.finite()) return;
  if (!shown.text.empty() && !hidden() && has_room()) {
    const Point origin = to_page.apply(0, state_.rise);
    const Point advance = vertical ? to_page.apply_vector(0, shown.vertical_advance * state_.size)
                                   : to_page.apply_vector(width, 0);
    const double em = state_.font->em() * state_.size;
    const Point up = to_page.apply_vector(0, em);
    Glyph glyph;
    glyph.x = static_cast<float>(origin.x);
    glyph.y = static_cast<float>(origin.y);
    glyph.dx = static_cast<float>(advance.x);
    glyph.dy = static_cast<float>(advance.y);
    glyph.size = static_cast<float>(length(up));
    glyph.text_start = static_cast<std::uint32_t>(out_.text.size());
    glyph.text_length = static_cast<std::uint32_t>(shown.text.size());
    // Glyphs without a width still have a direction.
    const double sign = vertical ? -state_.size : state_.size * state_.scale;
    const double forward = sign < 0 ? -1 : 1;
    glyph.direction = direction_of(vertical ? to_page.apply_vector(0, forward)
                                            : to_page.apply_vector(forward, 0));
    glyph.bold = state_.font->bold();
    glyph.vertical = vertical;
    // What lies outside the crop box is not on the page that a reader sees.
    const double middle_x = origin.x + advance.x / 2 + (vertical ? 0 : up.x * 0.3);
    const double middle_y = origin.y + advance.y / 2 + (vertical ? 0 : up.y * 0.3);
    const bool inside = middle_x >= -1 && middle_x <= out_.width + 1 && middle_y >= -1 &&
                        middle_y <= out_.height + 1;
    if (inside && glyph.size > 0.01f) {
      out_.text += shown.text;
      out_.glyphs.push_back(glyph);
      if (!shown.mapped) ++out_.unmapped;
    }
  }
  text_matrix_ = moved;
}

bool Interpreter::has_room() {
  if (out_.glyphs.size() < kMaxGlyphs) return true;
  problem("the page has more characters than lore reads of one page; the rest was left out");
  return false;
}

void Interpreter::begin_marked(bool with_properties) {
  if (marked_.size() >= kMaxMarked) {
    ++skipped_marks_;
    problem("content is marked too often inside of other; hidden text may be among the page's");
    return;
  }
  MarkedContent mark;
  mark.first_glyph = out_.glyphs.size();
  if (with_properties && operand_count_ >= 2) {
    const Operand& tag = operands_[operand_count_ - 2];
    const Operand& properties = operands_[operand_count_ - 1];
    const Object* named = nullptr;
    if (properties.is(OperandKind::name)) {
      const Object* all = objects_.dictionary(resources_, "Properties");
      named = objects_.get(all, properties.text.c_str());
    }
    if (tag.text == "OC" && named != nullptr) mark.hidden = !context_.layers.visible(named);
    std::string actual;
    bool has_actual = false;
    if (const Operand* text = properties.find("ActualText")) {
      actual = text_string_to_utf8(text->text);
      has_actual = text->is(OperandKind::string);
    } else if (const Object* found = objects_.get(named, "ActualText")) {
      actual = objects_.text(found);
      has_actual = true;
    }
    if (has_actual) {
      const std::vector<char32_t> points = utf8::decode(actual);
      mark.actual_text = detail::readable(std::u32string(points.begin(), points.end()));
    }
  }
  if (mark.hidden) ++hidden_depth_;
  marked_.push_back(std::move(mark));
}

void Interpreter::end_marked() {
  if (skipped_marks_ > 0) {
    --skipped_marks_;
    return;
  }
  if (marked_.empty()) return;
  const MarkedContent mark = std::move(marked_.back());
  marked_.pop_back();
  if (mark.hidden) --hidden_depth_;
  if (!mark.actual_text || mark.first_glyph >= out_.glyphs.size()) return;
  // The first glyph stands for all of them and reaches to the end of the last.
  Glyph& first = out_.glyphs[mark.first_glyph];
  const Glyph last = out_.glyphs.back();
  for (std::size_t i = mark.first_glyph; i < out_.glyphs.size(); ++i) {
    const Glyph& glyph = out_.glyphs[i];
    const auto shown = std::u32string_view(out_.text).substr(glyph.text_start, glyph.text_length);
    if (shown.find(utf8::kReplacement) != std::u32string_view::npos && out_.unmapped > 0) {
      --out_.unmapped;
    }
  }
  first.dx = last.x + last.dx - first.x;
  first.dy = last.y + last.dy - first.y;
  first.text_start = static_cast<std::uint32_t>(out_.text.size());
  first.text_length = static_cast<std::uint32_t>(mark.actual_text->size());
  out_.text += *mark.actual_text;
  out_.glyphs.resize(mark.first_glyph + (mark.actual_text->empty() ? 0 : 1));
}

void Interpreter::draw_object(const std::string& name) {
  const Object* object = objects_.get(objects_.dictionary(resources_, "XObject"), name.c_str());
  if (object == nullptr) {
    if (!hidden()) problem("a picture or form that the page draws is missing");
    return;
  }
  if (!context_.layers.visible(objects_.get(object, "OC"))) return;
  const std::string kind = objects_.name(object, "Subtype");
  if (kind == "Image") {
    if (hidden()) return;
    out_.image_area += length({state_.ctm.a, state_.ctm.b}) * length({state_.ctm.c, state_.ctm.d});
  } else if (kind == "Form" || kind.empty()) {
    draw_form(object, Matrix{});
  }
}

void Interpreter::draw_form(const Object* form, const Matrix& placement) {
  constexpr std::size_t kMaxFormDepth = 12;
  constexpr std::size_t kMaxCache = std::size_t{32} << 20;
  if (open_forms_.size() >= kMaxFormDepth || !open_forms_.insert(form).second) {
    problem("forms are drawn inside each other without end");
    return;
  }
  auto cached = form_cache_.find(form);
  std::string own;
  if (cached == form_cache_.end()) {
    DecodedStream decoded = context_.file.stream(form);
    if (!decoded.problem.empty()) problem("a form's content " + decoded.problem);
    form_cache_bytes_ += decoded.bytes.size();
    if (form_cache_bytes_ < kMaxCache) {
      cached = form_cache_.emplace(form, std::move(decoded.bytes)).first;
    } else {
      own = std::move(decoded.bytes);
    }
  }
  const std::string_view content = cached != form_cache_.end() ? cached->second : own;
  const State outer = state_;
  const Matrix outer_text = text_matrix_, outer_line = line_matrix_;
  std::vector<State> outer_stack = std::exchange(stack_, {});
  const std::size_t outer_skipped_saves = std::exchange(skipped_saves_, 0);
  const std::size_t outer_marked = marked_.size();
  const std::size_t outer_skipped_marks = std::exchange(skipped_marks_, 0);
  const std::vector<double> values = objects_.numbers(objects_.get(form, "Matrix"), 6);
  Matrix matrix;
  if (values.size() == 6) {
    matrix = {values[0], values[1], values[2], values[3], values[4], values[5]};
  }
  const Matrix placed = matrix * placement * state_.ctm;
  if (placed.finite()) {
    state_.ctm = placed;
    const Object* own_resources = objects_.dictionary(form, "Resources");
    execute(content, own_resources != nullptr ? own_resources : resources_);
  }
  skipped_marks_ = 0;
  while (marked_.size() > outer_marked) end_marked();
  skipped_marks_ = outer_skipped_marks;
  skipped_saves_ = outer_skipped_saves;
  stack_ = std::move(outer_stack);
  state_ = outer;
  text_matrix_ = outer_text;
  line_matrix_ = outer_line;
  open_forms_.erase(form);
}

}  // namespace lore::ingest::pdf
