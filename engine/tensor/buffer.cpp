#include "engine/tensor/buffer.hpp"

#include <sys/mman.h>

#include <string>

#include "lore/error.hpp"

namespace lore::engine {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

}  // namespace

Buffer::Buffer(std::size_t bytes, Pages pages) {
  if (bytes == 0) return;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(ErrorCode::limit_exceeded, "not enough memory for " + std::to_string(bytes >> 20) +
                                               " MiB; use a smaller model, context or batch");
  }
  if (pages == Pages::huge && bytes >= 2 * kHugePage) {
    madvise(memory, bytes, MADV_HUGEPAGE);  // advice: may be refused
  }
  data_ = static_cast<std::byte*>(memory);
  size_ = bytes;
}

void Buffer::reset() noexcept {
  if (data_ != nullptr) munmap(data_, size_);
  data_ = nullptr;
  size_ = 0;
}

}  // namespace lore::engine
