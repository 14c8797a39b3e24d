// What the parent and the worker process say to each other: frames of plain data.
//
// A frame is a length (4 bytes, little-endian, of what follows), a kind (1 byte) and a payload.
// The child gets one Request on standard input and the document on descriptor 3; it answers on
// standard output. Neither side trusts a length: everything is checked against the bytes at hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/pdf/page_record.hpp"

namespace lore::ingest::worker {

inline constexpr int kDocumentDescriptor = 3;
inline constexpr std::size_t kMaxFrame = std::size_t{512} << 20;

struct Request {
  std::uint64_t memory_limit = 0;  ///< bytes of address space beyond what the program starts with
  std::uint64_t cpu_seconds = 0;
  std::uint64_t output_limit = 0;  ///< bytes of frames
  std::uint64_t first_page = 0;    ///< index from 0
  Format format = Format::pdf;     ///< what to read it as: pdf, html, markdown
  std::vector<std::string> passwords;
};

enum class FrameKind : std::uint8_t {
  info = 'I',     ///< DocumentInfo: the document is open
  start = 'S',    ///< index of the page that is read next
  page = 'P',     ///< PageRecord of the page that was started
  text = 'T',     ///< a whole document of a text format; nothing follows
  failure = 'F',  ///< code and reason: the document cannot be read
  done = 'D',     ///< all pages were sent
};

struct Frame {
  FrameKind kind = FrameKind::done;
  std::string payload;
};

std::string encode_frame(FrameKind kind, std::string_view payload);

std::string encode(const Request& request);
std::string encode(const pdf::DocumentInfo& info);
std::string encode(const pdf::PageRecord& page);
std::string encode(const Document& document);  ///< of a text format, which has one page
std::string encode_index(std::uint64_t index);
std::string encode_failure(std::string_view code, std::string_view reason);

/// Nothing where the bytes are not what they should be. Strings come back as valid UTF-8.
std::optional<Request> decode_request(std::string_view bytes);
std::optional<pdf::DocumentInfo> decode_info(std::string_view bytes);
std::optional<pdf::PageRecord> decode_page(std::string_view bytes);
std::optional<Document> decode_text_document(std::string_view bytes, Format format);
std::optional<std::uint64_t> decode_index(std::string_view bytes);
struct FailureMessage {
  std::string code, reason;
};
std::optional<FailureMessage> decode_failure(std::string_view bytes);

/// Collects bytes and gives out whole frames.
class FrameReader {
 public:
  void add(std::string_view bytes) { buffer_.append(bytes); }

  /// The next whole frame, or nothing yet.
  std::optional<Frame> next();

  /// Whether the bytes cannot be frames: a length over kMaxFrame.
  bool broken() const noexcept { return broken_; }

 private:
  std::string buffer_;
  std::size_t at_ = 0;
  bool broken_ = false;
};

}  // namespace lore::ingest::worker
