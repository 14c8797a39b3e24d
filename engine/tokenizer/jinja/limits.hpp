// The limits on what one rendering may do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/tokenizer/jinja/error.hpp"

namespace lore::engine::jinja {

inline constexpr std::size_t kLongestText = std::size_t{1} << 26U;  // bytes of one text
inline constexpr std::size_t kMostParts = 1'000'000;  // into which one text can be taken apart

/// Appends, and throws where the text becomes too long: for what makes more than it is given.
inline void grow(std::string& text, std::string_view more) {
  if (text.size() + more.size() > kLongestText) throw render_error("a text longer than 64 MiB");
  text += more;
}

/// How much one rendering has done. Work is counted in bytes looked at, by the weight of the values
/// that an operation is given, before it begins; what it makes is counted in bytes of memory.
class Budget {
 public:
  void work(std::uint64_t bytes) {
    constexpr std::uint64_t kMostWork = std::uint64_t{1} << 30U;
    worked_ += std::min(bytes, kMostWork + 1);
    if (worked_ > kMostWork) throw render_error("it does not come to an end");
  }

  /// Of an operation that may look at each part of one thing once for each part of another, as a
  /// search does. Most steps of such a search look at 64 bytes at once.
  void work_across(std::uint64_t left, std::uint64_t right) {
    work(left);
    work(right);
    work(left / 8 * (right / 8));  // neither is above 2^30 here
  }

  void make_text(std::size_t bytes) {
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28U;
    if (bytes > kLongestText) throw render_error("a text longer than 64 MiB");
    made_ += bytes;
    if (made_ > kMostBytes) throw render_error("it makes more than 256 MiB of text");
  }

  void make_items(std::size_t count) {
    constexpr std::size_t kItemBytes = 128;  // a value, and what the memory's bookkeeping adds
    make_text(std::min(count, kLongestText) * kItemBytes);
  }

 private:
  std::uint64_t worked_ = 0;
  std::uint64_t made_ = 0;
};

}  // namespace lore::engine::jinja
