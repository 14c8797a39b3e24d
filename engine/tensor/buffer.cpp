#include "engine/tensor/buffer.hpp"

#include <sys/mman.h>

#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "lore/error.hpp"

namespace lore::engine {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// Bytes that the system could still give; nothing where it does not say.
std::optional<std::uint64_t> available_memory() {
  std::ifstream file("/proc/meminfo");
  std::optional<std::uint64_t> available;
  std::uint64_t swap = 0;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t kibibytes = 0;
    if (!(words >> name >> kibibytes)) continue;
    if (name == "MemAvailable:") available = kibibytes << 10U;
    if (name == "SwapFree:") swap = kibibytes << 10U;
  }
  if (available) *available += swap;
  return available;
}

}  // namespace

void require_memory(std::uint64_t bytes, const std::string& what) {
  const auto available = available_memory();
  if (!available || bytes <= *available) return;
  throw Error(ErrorCode::limit_exceeded,
              what + " take " + std::to_string(bytes >> 20U) + " MiB of memory, and " +
                  std::to_string(*available >> 20U) +
                  " MiB are left; use a smaller model or quantization, or end other programs");
}

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
