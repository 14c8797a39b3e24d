#include "ingest/pdf/repair.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <vector>

#include "ingest/pdf/content_lexer.hpp"
#include "ingest/pdf/stream_filters.hpp"

namespace lore::ingest::pdf {
namespace {

constexpr std::uint32_t kMaxObject = 900'000;
constexpr std::size_t kObjectStreamLimit = std::size_t{32} << 20;

struct Entry {
  bool in_stream = false;
  std::uint32_t where = 0;  // offset, or the number of the object stream
  std::uint32_t extra = 0;  // generation, or the index in the object stream
};

struct ObjectStream {
  std::size_t data = 0;  // where its bytes start
  std::size_t end = 0;   // and end; npos where the end is missing
  std::uint32_t count = 0;
  std::vector<FilterStep> steps;
};

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' || c == '\0';
}

/// Reads a decimal number that ends before `end`, moving `end` to its start.
std::optional<std::uint32_t> number_before(std::string_view bytes, std::size_t& end) {
  std::size_t start = end;
  std::uint64_t value = 0, scale = 1;
  while (start > 0 && bytes[start - 1] >= '0' && bytes[start - 1] <= '9' && end - start < 10) {
    --start;
    value += static_cast<std::uint64_t>(bytes[start] - '0') * scale;
    scale *= 10;
  }
  if (start == end || value > UINT32_MAX) return std::nullopt;
  end = start;
  return static_cast<std::uint32_t>(value);
}

void skip_space_before(std::string_view bytes, std::size_t& end) {
  while (end > 0 && is_space(bytes[end - 1])) --end;
}

std::string serialized(const Operand& value) {
  std::string out;
  switch (value.kind) {
    case OperandKind::null:
      return "null";
    case OperandKind::boolean:
      return value.number != 0 ? "true" : "false";
    case OperandKind::number: {
      std::array<char, 64> text;
      std::snprintf(text.data(), text.size(), "%.10g", value.number);
      return text.data();
    }
    case OperandKind::reference:
      return std::to_string(static_cast<std::uint32_t>(value.number)) + " " +
             (value.items.empty() ? "0" : serialized(value.items[0])) + " R";
    case OperandKind::name:
      out = "/";
      for (const char c : value.text) {
        std::array<char, 8> text;
        std::snprintf(text.data(), text.size(), "#%02x", static_cast<unsigned>(c) & 0xFF);
        const bool plain =
            (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        out += plain ? std::string(1, c) : std::string(text.data());
      }
      return out;
    case OperandKind::string:
      out = "<";
      for (const char c : value.text) {
        std::array<char, 4> text;
        std::snprintf(text.data(), text.size(), "%02x", static_cast<unsigned>(c) & 0xFF);
        out += text.data();
      }
      return out + ">";
    case OperandKind::array:
    case OperandKind::dictionary:
      out = value.is(OperandKind::array) ? "[" : "<<";
      for (const Operand& item : value.items) out += serialized(item) + " ";
      return out + (value.is(OperandKind::array) ? "]" : ">>");
  }
  return out;
}

FilterStep filter_step(const std::string& name, const Operand* parameters) {
  const auto integer = [parameters](const char* key, int fallback) {
    const Operand* found = parameters != nullptr ? parameters->find(key) : nullptr;
    if (found == nullptr || !found->is(OperandKind::number)) return fallback;
    return found->number >= 0 && found->number < 1e9 ? static_cast<int>(found->number) : -1;
  };
  FilterStep step;
  step.name = name;
  step.predictor = integer("Predictor", step.predictor);
  step.colors = integer("Colors", step.colors);
  step.bits = integer("BitsPerComponent", step.bits);
  step.columns = integer("Columns", step.columns);
  step.early_change = integer("EarlyChange", 1) != 0;
  return step;
}

class Rebuilder {
 public:
  explicit Rebuilder(std::string_view bytes) : bytes_(bytes) {}

  std::string run() {
    scan_objects();
    scan_trailers();
    if (!encrypted()) {
      for (const auto& [number, where] : object_streams_) list_object_stream(number, where);
    }
    if (entries_.empty() || root_.empty()) return {};
    return written();
  }

 private:
  bool encrypted() const { return !encrypt_.empty(); }

  void scan_objects() {
    for (std::size_t at = bytes_.find("obj"); at != std::string_view::npos;
         at = bytes_.find("obj", at)) {
      std::size_t end = at;
      at += 3;
      skip_space_before(bytes_, end);
      if (end == at - 3) continue;  // "endobj"
      const auto generation = number_before(bytes_, end);
      const std::size_t gap = end;
      skip_space_before(bytes_, end);
      if (!generation || end == gap) continue;
      const auto number = number_before(bytes_, end);
      if (!number || *number == 0 || *number > kMaxObject || end > UINT32_MAX) continue;
      entries_[*number] = {false, static_cast<std::uint32_t>(end), std::min(*generation, 65535u)};
      at = look_into_object(*number, *generation, at);
    }
  }

  /// Learns what kind of object starts at `at`; returns where to go on scanning.
  std::size_t look_into_object(std::uint32_t number, std::uint32_t generation, std::size_t at) {
    ContentLexer lexer(bytes_.substr(at, 1 << 20));
    Operand value;
    if (lexer.next(value) != ContentLexer::Token::operand) return at;
    const std::size_t after_value = at + lexer.position();
    Operand ignored;
    const ContentLexer::Token next = lexer.next(ignored);
    const bool stream = next == ContentLexer::Token::keyword && lexer.keyword() == "stream";
    const bool closed = stream ||
                        (next == ContentLexer::Token::keyword && lexer.keyword() == "endobj") ||
                        next == ContentLexer::Token::operand;  // "12 0 R" as the whole object
    const bool unclosed_dictionary =
        value.is(OperandKind::dictionary) && !stream &&
        (next != ContentLexer::Token::keyword || lexer.keyword() != "endobj");
    if (!closed || unclosed_dictionary) {
      rewritten_[number] = std::to_string(number) + " " + std::to_string(generation) + " obj\n" +
                           serialized(value) + "\nendobj\n";
    } else {
      rewritten_.erase(number);
    }
    if (!value.is(OperandKind::dictionary)) return at;
    const Operand* type = value.find("Type");
    const std::string kind = type != nullptr ? type->text : "";
    const bool catalog = kind == "Catalog" || (kind.empty() && value.find("Pages") != nullptr &&
                                               value.find("Kids") == nullptr);
    if (catalog) {
      catalog_ = std::to_string(number) + " " + std::to_string(generation) + " R";
    }
    if (kind == "XRef") take_trailer(value);
    if (!stream) return after_value;
    const std::size_t data = at + lexer.position();
    const std::size_t end = bytes_.find("endstream", data);
    if (kind == "ObjStm") remember_object_stream(number, value, data, end);
    return end == std::string_view::npos ? data : end;
  }

  void remember_object_stream(std::uint32_t number, const Operand& dictionary, std::size_t data,
                              std::size_t end) {
    const Operand* count = dictionary.find("N");
    const Operand* filter = dictionary.find("Filter");
    if (count == nullptr || !(count->number >= 1 && count->number <= 65535)) return;
    ObjectStream stream{data, end, static_cast<std::uint32_t>(count->number), {}};
    const Operand* parameters = dictionary.find("DecodeParms");
    const bool many = parameters != nullptr && parameters->is(OperandKind::array);
    const auto add_step = [&](const Operand& name, std::size_t index) {
      const Operand* own = parameters;
      if (many) own = index < parameters->items.size() ? &parameters->items[index] : nullptr;
      stream.steps.push_back(filter_step(name.text, many || index == 0 ? own : nullptr));
    };
    if (filter != nullptr && filter->is(OperandKind::name)) add_step(*filter, 0);
    if (filter != nullptr && filter->is(OperandKind::array)) {
      for (std::size_t i = 0; i < filter->items.size(); ++i) add_step(filter->items[i], i);
    }
    object_streams_[number] = std::move(stream);
  }

  void take_trailer(const Operand& dictionary) {
    const auto take = [&](const char* key, std::string& to) {
      const Operand* value = dictionary.find(key);
      if (value != nullptr && !value->is(OperandKind::null)) to = serialized(*value);
    };
    const Operand* root = dictionary.find("Root");
    if (root == nullptr || !root->is(OperandKind::reference)) return;
    take("Root", root_);
    take("Encrypt", encrypt_);
    take("ID", id_);
    take("Info", info_);
  }

  void scan_trailers() {
    for (std::size_t at = bytes_.find("trailer"); at != std::string_view::npos;
         at = bytes_.find("trailer", at)) {
      at += 7;
      ContentLexer lexer(bytes_.substr(at, 1 << 20));
      Operand value;
      if (lexer.next(value) == ContentLexer::Token::operand) take_trailer(value);
    }
    // A trailer may name an object that is gone; the catalog that was seen is better.
    const bool root_known =
        !root_.empty() && entries_.count(static_cast<std::uint32_t>(std::atol(root_.c_str()))) > 0;
    if (!root_known && !catalog_.empty()) root_ = catalog_;
  }

  /// Enters the members of an object stream as found.
  void list_object_stream(std::uint32_t number, const ObjectStream& where) {
    const std::uint32_t own_position = position(entries_[number]);
    std::string_view raw = bytes_.substr(
        where.data, where.end == std::string_view::npos ? where.end : where.end - where.data);
    while (!raw.empty() && (raw.front() == '\r' || raw.front() == '\n')) raw.remove_prefix(1);
    const DecodedStream decoded = apply_filters(raw, where.steps, kObjectStreamLimit);
    ContentLexer header(decoded.bytes);
    Operand value;
    for (std::uint32_t index = 0; index < where.count; ++index) {
      if (header.next(value) != ContentLexer::Token::operand) return;
      const double member = value.number;
      if (header.next(value) != ContentLexer::Token::operand) return;
      if (!(member >= 1 && member <= kMaxObject)) continue;
      const auto key = static_cast<std::uint32_t>(member);
      // Of two definitions the one further down in the file is the newer one.
      const auto found = entries_.find(key);
      if (found != entries_.end() && position(found->second) > own_position) continue;
      entries_[key] = {true, number, index};
    }
    if (root_.empty()) find_catalog_in(decoded.bytes, number);
  }

  std::uint32_t position(const Entry& entry) const {
    if (!entry.in_stream) return entry.where;
    const auto holder = entries_.find(entry.where);
    return holder == entries_.end() ? 0 : holder->second.where;
  }

  /// The catalog may lie in an object stream of a file whose trailer is lost.
  void find_catalog_in(std::string_view members, std::uint32_t stream) {
    const std::size_t at = members.find("/Catalog");
    if (at == std::string_view::npos) return;
    for (const auto& [number, entry] : entries_) {
      if (entry.in_stream && entry.where == stream && holds_catalog(members, entry.extra)) {
        root_ = std::to_string(number) + " 0 R";
      }
    }
  }

  static bool holds_catalog(std::string_view members, std::uint32_t index) {
    ContentLexer header(members);
    Operand value;
    std::vector<double> offsets;
    std::size_t body = 0;
    for (;;) {
      const std::size_t before = header.position();
      if (header.next(value) != ContentLexer::Token::operand || !value.is(OperandKind::number)) {
        body = before;
        break;
      }
      offsets.push_back(value.number);
    }
    const std::size_t at = std::size_t{2} * index + 1;
    if (at >= offsets.size() || offsets[at] < 0 ||
        offsets[at] >= static_cast<double>(members.size())) {
      return false;
    }
    while (body < members.size() && is_space(members[body])) ++body;
    const std::size_t start = body + static_cast<std::size_t>(offsets[at]);
    if (start >= members.size()) return false;
    ContentLexer lexer(members.substr(start));
    if (lexer.next(value) != ContentLexer::Token::operand) return false;
    const Operand* type = value.find("Type");
    return type != nullptr && type->text == "Catalog";
  }

  std::string written() const {
    std::string out(bytes_);
    if (out.substr(0, 5) != "%PDF-") out.insert(0, "%PDF-1.4\n");
    const auto shift = static_cast<std::uint32_t>(out.size() - bytes_.size());
    const std::uint32_t own_number = entries_.rbegin()->first + 1;
    out += "\n";
    std::map<std::uint32_t, std::size_t> moved;
    for (const auto& [number, text] : rewritten_) {
      moved[number] = out.size();
      out += text;
    }
    const std::size_t start = out.size();
    std::string table;
    for (std::uint32_t number = 0; number <= own_number; ++number) {
      const auto found = entries_.find(number);
      Entry entry = found == entries_.end() ? Entry{} : found->second;
      int type = found == entries_.end() ? 0 : entry.in_stream ? 2 : 1;
      if (type == 1) entry.where += shift;
      if (const auto copy = moved.find(number); type == 1 && copy != moved.end()) {
        entry.where = static_cast<std::uint32_t>(copy->second);
      }
      if (number == own_number) {
        type = 1;
        entry.where = static_cast<std::uint32_t>(start);
      }
      table.push_back(static_cast<char>(type));
      for (int bits = 24; bits >= 0; bits -= 8) {
        table.push_back(static_cast<char>((entry.where >> bits) & 0xFF));
      }
      table.push_back(static_cast<char>((entry.extra >> 8) & 0xFF));
      table.push_back(static_cast<char>(entry.extra & 0xFF));
    }
    out += std::to_string(own_number) + " 0 obj\n<</Type/XRef/W[1 4 2]/Size " +
           std::to_string(own_number + 1) + "/Root " + root_;
    if (!encrypt_.empty()) out += "/Encrypt " + encrypt_;
    if (!id_.empty()) out += "/ID " + id_;
    if (!info_.empty()) out += "/Info " + info_;
    out += "/Length " + std::to_string(table.size()) + ">>\nstream\n" + table +
           "\nendstream\nendobj\nstartxref\n" + std::to_string(start) + "\n%%EOF\n";
    return out;
  }

  std::string_view bytes_;
  std::map<std::uint32_t, Entry> entries_;
  std::map<std::uint32_t, ObjectStream> object_streams_;
  std::map<std::uint32_t, std::string> rewritten_;  // objects that are not closed
  std::string root_, catalog_, encrypt_, id_, info_;
};

}  // namespace

std::string rebuild_cross_reference(std::string_view bytes) {
  const std::size_t header = bytes.find("%PDF-");
  if (header != std::string_view::npos) bytes.remove_prefix(header);
  if (bytes.size() >= UINT32_MAX) return {};
  return Rebuilder(bytes).run();
}

}  // namespace lore::ingest::pdf
