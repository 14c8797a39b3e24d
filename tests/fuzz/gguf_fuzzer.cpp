// Any bytes as a GGUF file: they are read, or refused with lore::Error, and nothing else happens.
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/gguf/header.hpp"
#include "lore/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto header =
        lore::engine::gguf::read_header(std::as_bytes(std::span(data, size)), "fuzz");
    std::size_t sum = 0;
    for (const auto& tensor : header.tensors) {
      // Every byte that a tensor claims must be there to be read.
      for (const std::byte byte : tensor.data) sum += static_cast<std::size_t>(byte);
    }
    static volatile std::size_t sink = 0;
    sink = sum;
  } catch (const lore::Error&) {
  }
  return 0;
}
