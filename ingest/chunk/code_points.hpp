// Byte offsets to code points and back, in one text, without counting from its start each time.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/utf8.hpp"

namespace lore::ingest {

/// Borrows a valid UTF-8 text. Thread safety: read-only after construction.
class CodePointIndex {
 public:
  explicit CodePointIndex(std::string_view text) : text_(text) {
    std::size_t position = 0;
    for (std::size_t begin = 0; begin <= text.size(); begin += kStep) {
      before_.push_back(position);
      position += utf8::length(text.substr(begin, kStep));
    }
  }

  /// Code points before the byte `offset`, which must start one.
  std::size_t position(std::size_t offset) const {
    const std::size_t step = offset / kStep;
    return before_[step] + utf8::length(text_.substr(step * kStep, offset - step * kStep));
  }

 private:
  static constexpr std::size_t kStep = 1024;
  std::string_view text_;
  std::vector<std::size_t> before_;  // code points that start before each step
};

}  // namespace lore::ingest
