// Runs the content streams of a page and collects the characters that they show.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ingest/pdf/content_lexer.hpp"
#include "ingest/pdf/font.hpp"
#include "ingest/pdf/optional_content.hpp"
#include "ingest/pdf/page_content.hpp"
#include "ingest/pdf/page_tree.hpp"

namespace lore::ingest::pdf {

/// What the pages of a document share. Thread safety: one thread.
struct DocumentContext {
  DocumentContext(PdfFile& pdf, const std::filesystem::path& character_maps)
      : file(pdf), cmaps(character_maps), layers(pdf.objects(), pdf.catalog()) {}

  /// The font of a dictionary, read once.
  Font* font(const Object* dictionary);

  PdfFile& file;
  CMapLibrary cmaps;
  OptionalContent layers;

 private:
  std::unordered_map<const Object*, std::unique_ptr<Font>> fonts_;
};

/// Interprets one page. Sources: ISO 32000-1, sections 8.4, 8.10, 9.3, 9.4, 12.5.5, 14.6.
/// Every loop is bounded by a budget of operations that forms share, so that no page takes long.
class Interpreter {
 public:
  Interpreter(DocumentContext& context, const PageNode& page);

  /// Everything that the page shows: contents, then annotations.
  PageContent run();

 private:
  struct State {
    Matrix ctm;
    Font* font = nullptr;
    double size = 0;
    double char_space = 0, word_space = 0, scale = 1, leading = 0, rise = 0;
  };
  struct MarkedContent {
    bool hidden = false;
    std::optional<std::u32string> actual_text;
    std::size_t first_glyph = 0;
  };

  std::string contents();
  void execute(std::string_view content, const Object* resources);
  void handle(std::string_view keyword, ContentLexer& lexer);
  bool handle_text(std::string_view keyword);
  bool handle_text_state(std::string_view keyword);
  bool handle_path(std::string_view keyword);
  void save();
  void restore();
  void set_font(const std::string& name);
  void apply_graphics_state(const std::string& name);
  void next_line(double x, double y);
  void show(std::string_view string);
  void show_adjusted(const Operand& array);
  void emit(const FontGlyph& glyph);
  bool has_room();
  void emit_text(const Box& box, const std::string& utf8);
  void paint_path(bool stroke);
  void add_rule(Point from, Point to);
  void draw_object(const std::string& name);
  void draw_form(const Object* form, const Matrix& placement);
  void draw_annotations();
  void draw_annotation(const Object* annotation);
  const Object* appearance(const Object* annotation);
  std::string field_value(const Object* field);
  void begin_marked(bool with_properties);
  void end_marked();
  bool hidden() const { return hidden_depth_ > 0; }
  double number(std::size_t index) const;
  Matrix matrix_operand() const;
  void problem(const std::string& text);

  DocumentContext& context_;
  const Objects& objects_;
  const PageNode& page_;
  PageContent out_;
  State state_;
  std::vector<State> stack_;
  std::size_t skipped_saves_ = 0;  ///< "q" over the most that are kept: their "Q" do nothing
  Matrix text_matrix_, line_matrix_;
  const Object* resources_ = nullptr;
  std::vector<Operand> operands_;
  std::size_t operand_count_ = 0;
  std::vector<MarkedContent> marked_;
  std::size_t skipped_marks_ = 0;  ///< the same of marked content
  std::size_t hidden_depth_ = 0;
  std::size_t operations_left_;
  std::unordered_set<const Object*> open_forms_;
  std::map<const Object*, std::string> form_cache_;
  std::size_t form_cache_bytes_ = 0;
  std::vector<std::pair<Point, Point>> path_;  ///< segments in display space
  Point path_start_, path_at_;
};

}  // namespace lore::ingest::pdf
