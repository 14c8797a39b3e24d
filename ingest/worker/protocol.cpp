#include "ingest/worker/protocol.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/utf8.hpp"

namespace lore::ingest::worker {
namespace {

constexpr std::size_t kHeader = 5;

class Writer {
 public:
  void integer(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) out_.push_back(static_cast<char>((value >> (8 * i)) & 0xFF));
  }
  void real(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    integer(bits);
  }
  void string(std::string_view text) {
    integer(text.size());
    out_ += text;
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

/// Reads what Writer wrote; once something does not fit, everything that follows is empty.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t integer() {
    if (bytes_.size() < 8) {
      fail();
      return 0;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[i])) << (8 * i);
    }
    bytes_.remove_prefix(8);
    return value;
  }
  float real() {
    const auto bits = static_cast<std::uint32_t>(integer());
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return std::isfinite(value) ? value : 0.0f;
  }
  std::string bytes() {
    const std::uint64_t size = integer();
    if (size > bytes_.size()) {
      fail();
      return {};
    }
    std::string text(bytes_.substr(0, static_cast<std::size_t>(size)));
    bytes_.remove_prefix(text.size());
    return text;
  }
  std::string text() { return utf8::sanitized(bytes()); }
  /// A number of things that take at least `least` bytes each.
  std::size_t count(std::size_t least) {
    const std::uint64_t value = integer();
    if (value > bytes_.size() / least) {
      fail();
      return 0;
    }
    return static_cast<std::size_t>(value);
  }
  void fail() {
    failed_ = true;
    bytes_ = {};
  }
  bool complete() const { return !failed_ && bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool failed_ = false;
};

pdf::TextLine read_line(Reader& in) {
  pdf::TextLine line;
  line.text = in.text();
  line.size = in.real();
  line.top = in.real();
  line.bottom = in.real();
  const std::uint64_t flags = in.integer();
  line.bold = (flags & 1) != 0;
  line.row = (flags & 2) != 0;
  return line;
}

}  // namespace

std::string encode_frame(FrameKind kind, std::string_view payload) {
  std::string out;
  out.reserve(kHeader + payload.size());
  const auto length = static_cast<std::uint32_t>(payload.size() + 1);
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<char>((length >> (8 * i)) & 0xFF));
  out.push_back(static_cast<char>(kind));
  out += payload;
  return out;
}

std::optional<Frame> FrameReader::next() {
  const std::size_t available = buffer_.size() - at_;
  if (broken_ || available < kHeader) return std::nullopt;
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    length |= static_cast<std::uint32_t>(static_cast<unsigned char>(buffer_[at_ + i])) << (8 * i);
  }
  if (length == 0 || length > kMaxFrame) {
    broken_ = true;
    return std::nullopt;
  }
  if (available < 4 + std::size_t{length}) return std::nullopt;
  Frame frame;
  frame.kind = static_cast<FrameKind>(buffer_[at_ + 4]);
  frame.payload = buffer_.substr(at_ + kHeader, length - 1);
  at_ += 4 + std::size_t{length};
  if (at_ == buffer_.size() || at_ > kMaxFrame) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  return frame;
}

std::string encode(const Request& request) {
  Writer out;
  out.integer(request.memory_limit);
  out.integer(request.cpu_seconds);
  out.integer(request.output_limit);
  out.integer(request.first_page);
  out.integer(static_cast<std::uint64_t>(request.format));
  out.integer(request.passwords.size());
  for (const std::string& password : request.passwords) out.string(password);
  return out.take();
}

std::optional<Request> decode_request(std::string_view bytes) {
  Reader in(bytes);
  Request request;
  request.memory_limit = in.integer();
  request.cpu_seconds = in.integer();
  request.output_limit = in.integer();
  request.first_page = in.integer();
  const std::uint64_t format = in.integer();
  if (format > static_cast<std::uint64_t>(Format::text)) in.fail();
  request.format = static_cast<Format>(format);
  request.passwords.resize(in.count(8));
  for (std::string& password : request.passwords) password = in.bytes();
  return in.complete() ? std::optional<Request>(std::move(request)) : std::nullopt;
}

std::string encode(const pdf::DocumentInfo& info) {
  Writer out;
  out.string(info.title);
  out.integer(info.page_count);
  out.integer(info.outline.size());
  for (const pdf::OutlineEntry& entry : info.outline) {
    out.integer(static_cast<std::uint64_t>(entry.level));
    out.string(entry.title);
    out.integer(entry.page);
  }
  out.integer(info.problems.size());
  for (const std::string& problem : info.problems) out.string(problem);
  return out.take();
}

std::optional<pdf::DocumentInfo> decode_info(std::string_view bytes) {
  constexpr std::uint64_t kMostLevels = 100;
  Reader in(bytes);
  pdf::DocumentInfo info;
  info.title = in.text();
  info.page_count = static_cast<std::size_t>(in.integer());
  info.outline.resize(in.count(24));
  for (pdf::OutlineEntry& entry : info.outline) {
    entry.level = static_cast<int>(std::min(in.integer(), kMostLevels));
    entry.title = in.text();
    entry.page = static_cast<std::size_t>(in.integer());
  }
  info.problems.resize(in.count(8));
  for (std::string& problem : info.problems) problem = in.text();
  return in.complete() ? std::optional<pdf::DocumentInfo>(std::move(info)) : std::nullopt;
}

std::string encode(const pdf::PageRecord& page) {
  Writer out;
  out.string(page.label);
  out.integer(static_cast<std::uint64_t>(page.state));
  out.string(page.note);
  out.integer(page.unmapped_glyphs);
  out.integer(page.blocks.size());
  for (const pdf::TextBlock& block : page.blocks) {
    out.integer(block.lines.size());
    for (const pdf::TextLine& line : block.lines) {
      out.string(line.text);
      out.real(line.size);
      out.real(line.top);
      out.real(line.bottom);
      out.integer((line.bold ? 1u : 0u) | (line.row ? 2u : 0u));
    }
  }
  return out.take();
}

std::optional<pdf::PageRecord> decode_page(std::string_view bytes) {
  Reader in(bytes);
  pdf::PageRecord page;
  page.label = in.text();
  const std::uint64_t state = in.integer();
  if (state > static_cast<std::uint64_t>(PageState::failed)) in.fail();
  page.state = static_cast<PageState>(state & 3);
  page.note = in.text();
  page.unmapped_glyphs = static_cast<std::size_t>(in.integer());
  page.blocks.resize(in.count(8));
  for (pdf::TextBlock& block : page.blocks) {
    const std::size_t lines = in.count(40);
    block.lines.reserve(lines);
    for (std::size_t i = 0; i < lines; ++i) block.lines.push_back(read_line(in));
  }
  return in.complete() ? std::optional<pdf::PageRecord>(std::move(page)) : std::nullopt;
}

std::string encode(const Document& document) {
  const Page& page = document.pages.front();
  Writer out;
  out.string(document.title);
  out.string(page.text);
  out.integer(static_cast<std::uint64_t>(page.state));
  out.integer(document.headings.size());
  for (const Heading& heading : document.headings) {
    out.integer(static_cast<std::uint64_t>(heading.level));
    out.string(heading.title);
    out.integer(heading.start);
  }
  out.integer(document.problems.size());
  for (const std::string& problem : document.problems) out.string(problem);
  return out.take();
}

std::optional<Document> decode_text_document(std::string_view bytes, Format format) {
  constexpr std::uint64_t kMostLevels = 6;
  Reader in(bytes);
  Document document;
  document.format = format;
  document.title = in.text();
  Page page;
  page.label = "1";
  page.text = in.text();
  page.state = in.integer() == static_cast<std::uint64_t>(PageState::text) ? PageState::text
                                                                           : PageState::empty;
  const std::size_t length = utf8::length(page.text);
  if (page.text.find('\f') != std::string::npos) in.fail();
  document.headings.resize(in.count(24));
  std::size_t previous = 0;
  for (Heading& heading : document.headings) {
    heading.level = static_cast<int>(std::clamp<std::uint64_t>(in.integer(), 1, kMostLevels));
    heading.title = in.text();
    heading.start = static_cast<std::size_t>(in.integer());
    if (heading.start < previous || heading.start > length) in.fail();
    previous = heading.start;
  }
  document.problems.resize(in.count(8));
  for (std::string& problem : document.problems) problem = in.text();
  document.pages.push_back(std::move(page));
  return in.complete() ? std::optional<Document>(std::move(document)) : std::nullopt;
}

std::string encode_index(std::uint64_t index) {
  Writer out;
  out.integer(index);
  return out.take();
}

std::optional<std::uint64_t> decode_index(std::string_view bytes) {
  Reader in(bytes);
  const std::uint64_t index = in.integer();
  return in.complete() ? std::optional<std::uint64_t>(index) : std::nullopt;
}

std::string encode_failure(std::string_view code, std::string_view reason) {
  Writer out;
  out.string(code);
  out.string(reason);
  return out.take();
}

std::optional<FailureMessage> decode_failure(std::string_view bytes) {
  Reader in(bytes);
  FailureMessage message{in.text(), in.text()};
  return in.complete() ? std::optional<FailureMessage>(std::move(message)) : std::nullopt;
}

}  // namespace lore::ingest::worker
