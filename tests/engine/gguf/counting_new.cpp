#include "tests/engine/gguf/counting_new.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> largest{0};

}  // namespace

void* operator new(std::size_t size) {
  std::size_t known = largest.load();
  while (size > known && !largest.compare_exchange_weak(known, size)) {
  }
  if (void* memory = std::malloc(size)) return memory;  // NOLINT: this is operator new
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }               // NOLINT
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }  // NOLINT

namespace lore::test {

void reset_largest_allocation() noexcept { largest = 0; }
std::size_t largest_allocation() noexcept { return largest; }

}  // namespace lore::test
