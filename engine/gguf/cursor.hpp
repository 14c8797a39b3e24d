// The only reader of raw bytes of a GGUF file: every read is checked against what is left.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace lore::engine::gguf {

static_assert(std::endian::native == std::endian::little,
              "GGUF files are little-endian and are read as they are");

/// Walks over the bytes of one file. Nothing is allocated for a count before it was held against
/// the bytes that are left. `what` in each call names the thing that is read ("key 3", "tensor
/// 'x'"), for messages. All failures are Error{corrupt} that names file, thing and place.
///
/// Thread safety: one thread at a time.
class Cursor {
 public:
  /// Both must outlive the cursor.
  Cursor(std::span<const std::byte> bytes, std::string_view file_name)
      : bytes_(bytes), file_name_(file_name) {}

  std::size_t offset() const noexcept { return offset_; }
  std::size_t remaining() const noexcept { return bytes_.size() - offset_; }

  /// The next number, little-endian.
  template <typename Number>
  Number read(std::string_view what) {
    static_assert(std::is_arithmetic_v<Number>);
    if (remaining() < sizeof(Number)) fail_truncated(what);
    Number value;
    std::memcpy(&value, bytes_.data() + offset_, sizeof(Number));
    offset_ += sizeof(Number);
    return value;
  }

  /// The next `size` bytes; the view is into the file.
  std::span<const std::byte> take(std::uint64_t size, std::string_view what);

  /// A string as GGUF stores it: 64-bit length, then bytes. The view is into the file.
  std::string_view read_string(std::string_view what);

  /// A 64-bit count of items that each take `least_bytes` (not 0) or more: never more than fit into
  /// what is left of the file.
  std::size_t read_count(std::size_t least_bytes, std::string_view what);

  /// Throws Error{corrupt}: "FILE: PROBLEM; …" with the way out.
  [[noreturn]] void fail(const std::string& problem) const;

 private:
  [[noreturn]] void fail_truncated(std::string_view what) const;

  std::span<const std::byte> bytes_;
  std::string_view file_name_;
  std::size_t offset_ = 0;
};

}  // namespace lore::engine::gguf
