// Writes GGUF files byte by byte, as right or as wrong as a test wants them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lore::test {

class GgufBytes {
 public:
  /// Magic, version and the two counts.
  static GgufBytes header(std::uint64_t tensors, std::uint64_t keys, std::uint32_t version = 3) {
    GgufBytes file;
    file.bytes_ = "GGUF";
    return file.number(version).number(tensors).number(keys);
  }

  template <typename Number>
  GgufBytes& number(Number value) {
    static_assert(std::is_arithmetic_v<Number>);
    char raw[sizeof(Number)];
    std::memcpy(raw, &value, sizeof(Number));
    bytes_.append(raw, sizeof(Number));
    return *this;
  }
  GgufBytes& text(std::string_view value) {
    number(static_cast<std::uint64_t>(value.size()));
    bytes_.append(value);
    return *this;
  }
  /// A key and the number of its value's type; the value follows.
  GgufBytes& key(std::string_view name, std::uint32_t type) { return text(name).number(type); }
  template <typename Number>
  GgufBytes& key_u32(std::string_view name, Number value) {
    return key(name, 4).number(static_cast<std::uint32_t>(value));
  }
  GgufBytes& tensor(std::string_view name, const std::vector<std::uint64_t>& shape,
                    std::uint32_t type, std::uint64_t offset) {
    text(name).number(static_cast<std::uint32_t>(shape.size()));
    for (const std::uint64_t size : shape) number(size);
    return number(type).number(offset);
  }
  /// Zeros up to a multiple of `alignment`, then `size` bytes of data.
  GgufBytes& data(std::size_t size, std::size_t alignment = 32) {
    bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment);
    for (std::size_t i = 0; i < size; ++i) bytes_.push_back(static_cast<char>(i));
    return *this;
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace lore::test
