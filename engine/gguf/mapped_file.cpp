#include "engine/gguf/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/file.hpp"
#include "lore/error.hpp"

namespace lore::engine::gguf {

MappedFile::MappedFile(const std::filesystem::path& path) {
  // Without O_NONBLOCK the open of a pipe would wait for a writer.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) throw system_error("open", path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw system_error("read", path, errno);
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::io,
                path.string() + " is not a regular file; give the path of a GGUF file",
                path.string());
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return;
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED) throw system_error("map", path, errno);
  bytes_ = {static_cast<std::byte*>(address), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(bytes_.data(), bytes_.size());
}

void MappedFile::release(std::span<const std::byte> part) const noexcept {
  if (part.empty()) return;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  // In offsets from the mapping's start, which is the start of a page.
  const auto begin = static_cast<std::size_t>(part.data() - bytes_.data());
  const std::size_t first = (begin + page - 1) / page * page;
  std::size_t last = begin + part.size();
  if (last < bytes_.size()) last = last / page * page;
  if (first < last) ::madvise(bytes_.data() + first, last - first, MADV_DONTNEED);
}

}  // namespace lore::engine::gguf
