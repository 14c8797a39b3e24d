// Tokens of content streams, CMaps and bare objects: the syntax that they share.
//
// Source: ISO 32000-1, sections 7.2 and 7.3. Never fails: what makes no sense is passed over.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lore::ingest::pdf {

enum class OperandKind { null, boolean, number, name, string, array, dictionary, reference };

/// One value. Arrays and dictionaries keep their parts in `items` (a dictionary: name, value, …; a
/// reference: its generation).
struct Operand {
  OperandKind kind = OperandKind::null;
  double number = 0;  ///< also 1 or 0 of a boolean, and the object a reference names
  std::string text;   ///< bytes of a string, a name without its slash
  std::vector<Operand> items;

  bool is(OperandKind wanted) const noexcept { return kind == wanted; }
  /// The value under `key` of a dictionary, or nullptr.
  const Operand* find(std::string_view key) const noexcept;
};

/// Reads tokens one after the other. Thread safety: one thread.
class ContentLexer {
 public:
  enum class Token { end, operand, keyword };

  explicit ContentLexer(std::string_view bytes) : bytes_(bytes) {}

  /// The next token: a value goes to `operand`, an operator's name to keyword().
  Token next(Operand& operand);

  std::string_view keyword() const noexcept { return keyword_; }
  std::size_t position() const noexcept { return at_; }

  /// After the keyword BI: passes over the image up to and with EI. True where it found its end.
  bool skip_inline_image();

 private:
  Token read(Operand& operand, int depth);
  void skip_space();
  void read_number(Operand& operand);
  void read_name(std::string& name);
  void read_literal_string(std::string& text);
  void read_hex_string(std::string& text);
  void read_collection(Operand& operand, char close, int depth);
  Token read_keyword(Operand& operand);
  bool at_image_end(std::size_t at) const;

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::string_view keyword_;
};

}  // namespace lore::ingest::pdf
