#include "packaging/single_file/archive.hpp"

#include <elf.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include <cstring>

namespace single_file {
namespace {

constexpr std::string_view kMagic = "lore-xz1";

/// /proc may be missing; the kernel's own word for the file then leads to it from here.
Text own_file() {
  std::array<char, 4000> path{};
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length > 0) return Text({path.data(), static_cast<std::size_t>(length)});
  const auto* executed = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  return Text(executed == nullptr ? "" : executed);
}

}  // namespace

bool Archive::open(Text& problem) {
  const Text path = own_file();
  file_ = Descriptor(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  if (!file_) file_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file_) {
    problem = path + ": cannot be read (" + std::strerror(errno) + ")";
    return false;
  }
  Elf64_Ehdr elf{};
  struct stat status {};
  const bool read =
      read_at(file_, &elf, sizeof elf, 0) == sizeof elf && ::fstat(file_.get(), &status) == 0;
  const std::uint64_t header_at = elf.e_shoff + std::uint64_t{elf.e_shnum} * elf.e_shentsize;
  if (!read ||
      read_at(file_, &header_, sizeof header_, static_cast<off_t>(header_at)) != sizeof header_ ||
      std::string_view(header_.magic.data(), header_.magic.size()) != kMagic) {
    problem = path + ": this file is damaged or only the first part of it; get it again";
    return false;
  }
  header_.name.back() = '\0';
  start_ = static_cast<off_t>(header_at + sizeof header_);
  const std::uint64_t whole = static_cast<std::uint64_t>(start_) + header_.packed_bytes;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size < whole) {
    problem = path + ": only the first ";
    problem += size;
    problem += " of ";
    problem += whole;
    problem += " bytes of this file are here; get it again";
    return false;
  }
  return true;
}

bool Archive::rewind() {
  lzma_end(&decoder_);
  decoder_ = LZMA_STREAM_INIT;
  packed_read_ = 0;
  return lzma_stream_decoder(&decoder_, UINT64_MAX, LZMA_CONCATENATED) == LZMA_OK;
}

Archive::Read Archive::read(void* out, std::size_t size) {
  decoder_.next_out = static_cast<std::uint8_t*>(out);
  decoder_.avail_out = size;
  while (decoder_.avail_out > 0) {
    if (decoder_.avail_in == 0 && packed_read_ < header_.packed_bytes) {
      const std::uint64_t left = header_.packed_bytes - packed_read_;
      const std::size_t want =
          left < input_.size() ? static_cast<std::size_t>(left) : input_.size();
      decoder_.next_in = input_.data();
      decoder_.avail_in =
          read_at(file_, input_.data(), want, start_ + static_cast<off_t>(packed_read_));
      if (decoder_.avail_in == 0) return Read::damaged;
      packed_read_ += decoder_.avail_in;
    }
    const bool last = packed_read_ == header_.packed_bytes && decoder_.avail_in == 0;
    const lzma_ret result = lzma_code(&decoder_, last ? LZMA_FINISH : LZMA_RUN);
    if (result == LZMA_STREAM_END) break;
    if (result != LZMA_OK) return Read::damaged;
  }
  if (decoder_.avail_out == 0) return Read::all;
  return decoder_.avail_out == size ? Read::end : Read::damaged;
}

}  // namespace single_file
