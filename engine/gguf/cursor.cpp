#include "engine/gguf/cursor.hpp"

#include "lore/error.hpp"

namespace lore::engine::gguf {

std::span<const std::byte> Cursor::take(std::uint64_t size, std::string_view what) {
  if (size > remaining()) {
    fail(std::string(what) + " claims " + std::to_string(size) + " bytes at byte " +
         std::to_string(offset_) + ", but only " + std::to_string(remaining()) + " are left");
  }
  const auto result = bytes_.subspan(offset_, static_cast<std::size_t>(size));
  offset_ += result.size();
  return result;
}

std::string_view Cursor::read_string(std::string_view what) {
  const auto length = read<std::uint64_t>(what);
  const auto bytes = take(length, what);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::size_t Cursor::read_count(std::size_t least_bytes, std::string_view what) {
  const auto count = read<std::uint64_t>(what);
  if (count > remaining() / least_bytes) {
    fail(std::string(what) + " claims " + std::to_string(count) + " items, more than the " +
         std::to_string(remaining()) + " bytes that are left can hold");
  }
  return static_cast<std::size_t>(count);
}

void Cursor::fail(const std::string& problem) const {
  throw Error(
      ErrorCode::corrupt,
      std::string(file_name_) + ": " + problem + "; the file is damaged or cut short, get it again",
      std::string(file_name_));
}

void Cursor::fail_truncated(std::string_view what) const {
  fail("the file ends inside " + std::string(what) + ", at byte " + std::to_string(bytes_.size()));
}

}  // namespace lore::engine::gguf
