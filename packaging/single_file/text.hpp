// Text of limited length, for paths and messages.
//
// The stub is linked with musl, into a file a tenth as large as with glibc; of C++ it has the
// language and what of the library is headers only: no exceptions, no std::string.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace single_file {

/// What does not fit is left out, and fits() says so.
class Text {
 public:
  Text() = default;
  explicit Text(std::string_view text) { *this += text; }

  Text& operator+=(std::string_view more) {
    for (const char c : more) {
      if (size_ + 1 < text_.size()) {
        text_[size_++] = c;
      } else {
        fits_ = false;
      }
    }
    text_[size_] = '\0';
    return *this;
  }
  Text& operator+=(std::uint64_t number) {
    if (number >= 10) *this += number / 10;
    const char digit = static_cast<char>('0' + number % 10);
    return *this += std::string_view(&digit, 1);
  }

  bool fits() const { return fits_; }
  bool empty() const { return size_ == 0; }
  const char* c_str() const { return text_.data(); }
  std::string_view view() const { return {text_.data(), size_}; }

 private:
  std::array<char, 4096> text_{};
  std::size_t size_ = 0;
  bool fits_ = true;
};

inline Text operator+(Text left, std::string_view right) {
  left += right;
  return left;
}

}  // namespace single_file
