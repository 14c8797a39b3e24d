#include "ingest/pdf/content_lexer.hpp"

#include <algorithm>
#include <cmath>

namespace lore::ingest::pdf {
namespace {

constexpr int kMaxDepth = 64;                 // of arrays and dictionaries inside each other
constexpr std::size_t kMaxItems = 1'000'000;  // of one array

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == '\0';
}

bool is_delimiter(char c) {
  return c == '(' || c == ')' || c == '<' || c == '>' || c == '[' || c == ']' || c == '{' ||
         c == '}' || c == '/' || c == '%';
}

bool is_regular(char c) { return !is_space(c) && !is_delimiter(c); }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

const Operand* Operand::find(std::string_view key) const noexcept {
  if (kind != OperandKind::dictionary) return nullptr;
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i].kind == OperandKind::name && items[i].text == key) return &items[i + 1];
  }
  return nullptr;
}

ContentLexer::Token ContentLexer::next(Operand& operand) { return read(operand, 0); }

void ContentLexer::skip_space() {
  while (at_ < bytes_.size()) {
    const char c = bytes_[at_];
    if (is_space(c)) {
      ++at_;
    } else if (c == '%') {
      while (at_ < bytes_.size() && bytes_[at_] != '\n' && bytes_[at_] != '\r') ++at_;
    } else {
      return;
    }
  }
}

ContentLexer::Token ContentLexer::read(Operand& operand, int depth) {
  operand.items.clear();
  operand.text.clear();
  operand.number = 0;
  operand.kind = OperandKind::null;
  for (;;) {
    skip_space();
    if (at_ >= bytes_.size()) return Token::end;
    const char c = bytes_[at_];
    if ((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.') {
      read_number(operand);
      return Token::operand;
    }
    if (c == '/') {
      operand.kind = OperandKind::name;
      read_name(operand.text);
      return Token::operand;
    }
    if (c == '(') {
      operand.kind = OperandKind::string;
      read_literal_string(operand.text);
      return Token::operand;
    }
    if (c == '<' && at_ + 1 < bytes_.size() && bytes_[at_ + 1] == '<') {
      at_ += 2;
      operand.kind = OperandKind::dictionary;
      read_collection(operand, '>', depth);
      return Token::operand;
    }
    if (c == '<') {
      operand.kind = OperandKind::string;
      read_hex_string(operand.text);
      return Token::operand;
    }
    if (c == '[') {
      ++at_;
      operand.kind = OperandKind::array;
      read_collection(operand, ']', depth);
      return Token::operand;
    }
    if (!is_delimiter(c)) return read_keyword(operand);
    ++at_;  // a stray closing bracket
  }
}

ContentLexer::Token ContentLexer::read_keyword(Operand& operand) {
  const std::size_t start = at_;
  while (at_ < bytes_.size() && is_regular(bytes_[at_])) ++at_;
  keyword_ = bytes_.substr(start, at_ - start);
  if (keyword_ == "true" || keyword_ == "false") {
    operand.kind = OperandKind::boolean;
    operand.number = keyword_ == "true" ? 1 : 0;
    return Token::operand;
  }
  return keyword_ == "null" ? Token::operand : Token::keyword;
}

void ContentLexer::read_number(Operand& operand) {
  operand.kind = OperandKind::number;
  bool negative = false;
  while (at_ < bytes_.size() && (bytes_[at_] == '+' || bytes_[at_] == '-')) {
    negative = negative || bytes_[at_] == '-';  // "--5" is written by some producers for -5
    ++at_;
  }
  double value = 0;
  double scale = 0;  // 0 before the point
  for (; at_ < bytes_.size(); ++at_) {
    const char c = bytes_[at_];
    if (c >= '0' && c <= '9') {
      if (scale == 0) {
        value = value * 10 + (c - '0');
      } else if (scale > 1e-15) {
        value += (c - '0') * scale;
        scale /= 10;
      }
    } else if (c == '.' && scale == 0) {
      scale = 0.1;
    } else {
      break;
    }
  }
  // "12-34" and "1.2.3": the rest belongs to a number that was broken, as other readers see it.
  while (at_ < bytes_.size() &&
         (bytes_[at_] == '-' || bytes_[at_] == '.' || (bytes_[at_] >= '0' && bytes_[at_] <= '9'))) {
    ++at_;
  }
  if (!std::isfinite(value)) value = 0;
  operand.number = negative ? -value : value;
}

void ContentLexer::read_name(std::string& name) {
  ++at_;
  while (at_ < bytes_.size() && is_regular(bytes_[at_])) {
    if (bytes_[at_] == '#' && at_ + 2 < bytes_.size() && hex_digit(bytes_[at_ + 1]) >= 0 &&
        hex_digit(bytes_[at_ + 2]) >= 0) {
      name.push_back(
          static_cast<char>(hex_digit(bytes_[at_ + 1]) * 16 + hex_digit(bytes_[at_ + 2])));
      at_ += 3;
    } else {
      name.push_back(bytes_[at_++]);
    }
  }
}

void ContentLexer::read_literal_string(std::string& text) {
  ++at_;
  int open = 1;
  while (at_ < bytes_.size()) {
    char c = bytes_[at_++];
    if (c == '(') ++open;
    if (c == ')' && --open == 0) return;
    if (c != '\\') {
      text.push_back(c);
      continue;
    }
    if (at_ >= bytes_.size()) return;
    c = bytes_[at_++];
    if (c >= '0' && c <= '7') {
      int value = c - '0';
      for (int i = 0; i < 2 && at_ < bytes_.size() && bytes_[at_] >= '0' && bytes_[at_] <= '7';
           ++i) {
        value = value * 8 + (bytes_[at_++] - '0');
      }
      text.push_back(static_cast<char>(value & 0xFF));
    } else if (c == '\r') {
      if (at_ < bytes_.size() && bytes_[at_] == '\n') ++at_;
    } else if (c != '\n') {
      constexpr std::string_view kLetters = "nrtbf";
      constexpr std::string_view kMeanings = "\n\r\t\b\f";
      const std::size_t index = kLetters.find(c);
      text.push_back(index == std::string_view::npos ? c : kMeanings[index]);
    }
  }
}

void ContentLexer::read_hex_string(std::string& text) {
  ++at_;
  int high = -1;
  while (at_ < bytes_.size()) {
    const char c = bytes_[at_++];
    if (c == '>') break;
    const int digit = hex_digit(c);
    if (digit < 0) continue;
    if (high < 0) {
      high = digit;
    } else {
      text.push_back(static_cast<char>(high * 16 + digit));
      high = -1;
    }
  }
  if (high >= 0) text.push_back(static_cast<char>(high * 16));
}

void ContentLexer::read_collection(Operand& operand, char close, int depth) {
  while (at_ < bytes_.size()) {
    skip_space();
    if (at_ >= bytes_.size()) return;
    if (bytes_[at_] == close) {
      ++at_;
      if (close == '>' && at_ < bytes_.size() && bytes_[at_] == '>') ++at_;
      return;
    }
    if (depth >= kMaxDepth || operand.items.size() >= kMaxItems) {
      at_ = bytes_.size();
      return;
    }
    Operand item;
    const std::size_t before = at_;
    const Token token = read(item, depth + 1);
    if (token == Token::end) return;
    if (token == Token::operand) {
      operand.items.push_back(std::move(item));
    } else if (keyword_ == "R" && operand.items.size() >= 2) {
      Operand generation = std::move(operand.items.back());
      operand.items.pop_back();
      operand.items.back().kind = OperandKind::reference;
      operand.items.back().items.push_back(std::move(generation));
    } else if (keyword_ == "ID" || keyword_ == "endobj" || keyword_ == "stream") {
      at_ = before;  // the bracket was never closed
      return;
    }
  }
}

bool ContentLexer::at_image_end(std::size_t at) const {
  if (at + 2 > bytes_.size() || bytes_[at] != 'E' || bytes_[at + 1] != 'I') return false;
  if (at > 0 && !is_space(bytes_[at - 1])) return false;
  if (at + 2 < bytes_.size() && !is_space(bytes_[at + 2])) return false;
  // Samples of a picture may spell EI by chance; what follows a real one is text.
  const std::size_t end = std::min(at + 2 + 12, bytes_.size());
  for (std::size_t i = at + 2; i < end; ++i) {
    const auto byte = static_cast<unsigned char>(bytes_[i]);
    if (byte > 126 || (byte < 32 && !is_space(bytes_[i]))) return false;
  }
  return true;
}

bool ContentLexer::skip_inline_image() {
  Operand ignored;
  for (;;) {
    const Token token = read(ignored, 0);
    if (token == Token::end) return false;
    if (token == Token::keyword && keyword_ == "ID") break;
    if (token == Token::keyword && keyword_ == "EI") return true;
  }
  for (std::size_t at = at_; at + 1 < bytes_.size(); ++at) {
    at = bytes_.find("EI", at);
    if (at == std::string_view::npos) break;
    if (at_image_end(at)) {
      at_ = at + 2;
      return true;
    }
  }
  at_ = bytes_.size();
  return false;
}

}  // namespace lore::ingest::pdf
