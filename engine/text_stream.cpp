#include "engine/text_stream.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"

namespace lore::engine {
namespace {

/// Bytes at the end of `text` that may be the start of a UTF-8 sequence whose rest is to come.
std::size_t unfinished(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0U) == 0x80U) continue;  // a continuation byte
    std::size_t length = 1;
    if ((byte & 0xE0U) == 0xC0U) length = 2;
    if ((byte & 0xF0U) == 0xE0U) length = 3;
    if ((byte & 0xF8U) == 0xF0U) length = 4;
    return length > back ? back : 0;
  }
  return 0;
}

/// Bytes at the end of `text` that begin `stop`, but not all of it.
std::size_t begun(std::string_view text, std::string_view stop) {
  for (std::size_t n = std::min(text.size(), stop.size() - 1); n > 0; --n) {
    if (text.substr(text.size() - n) == stop.substr(0, n)) return n;
  }
  return 0;
}

}  // namespace

TextStream::TextStream(std::vector<std::string> stops) : stops_(std::move(stops)) {
  std::erase_if(stops_, [](const std::string& stop) { return stop.empty(); });
}

std::string TextStream::push(std::string_view piece) {
  if (stopped_) return {};
  pending_ += piece;
  std::size_t stop_at = std::string::npos;
  for (const std::string& stop : stops_) stop_at = std::min(stop_at, pending_.find(stop));
  if (stop_at != std::string::npos) {
    stopped_ = true;
    pending_.resize(stop_at);
    return let_go(pending_.size());
  }
  return let_go(certain());
}

std::string TextStream::finish() { return stopped_ ? std::string() : let_go(pending_.size()); }

std::size_t TextStream::certain() const {
  std::size_t held = unfinished(pending_);
  for (const std::string& stop : stops_) held = std::max(held, begun(pending_, stop));
  return pending_.size() - held;
}

std::string TextStream::let_go(std::size_t bytes) {
  std::string text = utf8::sanitized(std::string_view(pending_).substr(0, bytes));
  pending_.erase(0, bytes);
  text_ += text;
  return text;
}

}  // namespace lore::engine
