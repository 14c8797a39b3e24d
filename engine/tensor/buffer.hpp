// Memory that tensors live in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

namespace lore::engine {

/// Whether memory shall come in huge pages. What is streamed again and again pays for every missed
/// page translation; what is touched here and there should not become resident around it.
enum class Pages { ordinary, huge };

/// Owns a block of zeroed, page-aligned memory straight from the system. Pages that are never
/// touched cost nothing, so a buffer may be as large as the worst case asks for.
///
/// Thread safety: as an array of bytes.
class Buffer {
 public:
  Buffer() = default;
  /// Throws Error{limit_exceeded} where the system has no room for such a block. Memory itself is
  /// taken page by page as it is touched, and then nothing can be thrown any more: what touches all
  /// of a large buffer asks require_memory first.
  explicit Buffer(std::size_t bytes, Pages pages = Pages::huge);
  ~Buffer() { reset(); }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    if (this != &other) {
      reset();
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
    }
    return *this;
  }

  std::byte* data() noexcept { return data_; }
  const std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  /// The bytes from `offset` on as values of T; `offset` must be a multiple of T's alignment.
  template <typename T>
  T* as(std::size_t offset = 0) noexcept {
    return static_cast<T*>(static_cast<void*>(data_ + offset));
  }
  void reset() noexcept;

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Throws Error{limit_exceeded} where the system says that it has less memory left, swap included.
/// `what` needs the bytes ("the weights of FILE"), for the message.
void require_memory(std::uint64_t bytes, const std::string& what);

/// `value` rounded up to a multiple of `unit`.
constexpr std::size_t round_up(std::size_t value, std::size_t unit) noexcept {
  return (value + unit - 1) / unit * unit;
}

}  // namespace lore::engine
