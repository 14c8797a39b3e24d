// Token pieces to text that can be shown: whole characters, and nothing of a stop string.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lore::engine {

/// Collects the bytes of pieces and lets go of what is certain: bytes that begin no unfinished
/// UTF-8 sequence and no stop string. Invalid UTF-8 becomes U+FFFD.
///
/// Thread safety: one thread at a time.
class TextStream {
 public:
  /// Empty stop strings are ignored.
  explicit TextStream(std::vector<std::string> stops);

  /// Takes the next piece. Returns the text that has become certain, "" for none.
  std::string push(std::string_view piece);
  /// The rest, when no piece will follow.
  std::string finish();

  /// Whether a stop string was met; what follows it is dropped.
  bool stopped() const { return stopped_; }
  /// All that was let go so far.
  const std::string& text() const { return text_; }
  /// The bytes that are not certain yet; the last character may be unfinished.
  const std::string& pending() const { return pending_; }

 private:
  std::size_t certain() const;
  std::string let_go(std::size_t bytes);

  std::vector<std::string> stops_;
  std::string pending_;
  std::string text_;
  bool stopped_ = false;
};

}  // namespace lore::engine
