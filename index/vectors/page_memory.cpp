#include "index/vectors/page_memory.hpp"

#include <sys/mman.h>

#include <string>

#include "lore/error.hpp"

namespace lore::index {

PageMemory::PageMemory(std::size_t bytes) {
  if (bytes == 0) return;
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(ErrorCode::limit_exceeded, "not enough memory for the vector index (" +
                                               std::to_string(bytes >> 20U) + " MiB)");
  }
  ::madvise(memory, bytes, MADV_HUGEPAGE);  // advice: may be refused
  bytes_ = {static_cast<std::byte*>(memory), bytes};
}

PageMemory::~PageMemory() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

}  // namespace lore::index
