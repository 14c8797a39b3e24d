// The archive that follows the stub in its own file.
//
//   the stub, an ELF file up to the end of its table of sections
//   the header below
//   xz streams, which hold files in tar's format (ustar), one archive after another
#pragma once

#include <lzma.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "packaging/single_file/descriptor.hpp"
#include "packaging/single_file/text.hpp"

namespace single_file {

/// Little-endian, as packaging/single_file/pack.py writes it.
struct ArchiveHeader {
  std::array<char, 8> magic;
  std::uint64_t packed_bytes;
  std::uint64_t unpacked_bytes;
  std::array<char, 40> name;  ///< version and hash of the contents, then zeros
};

class Archive {
 public:
  Archive() = default;
  ~Archive() { lzma_end(&decoder_); }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  /// Finds the archive in the file of this program. False, with a sentence that begins with the
  /// file's name, where it is not there as a whole.
  bool open(Text& problem);

  /// Of the folder that it is unpacked into.
  std::string_view name() const { return header_.name.data(); }
  std::uint64_t unpacked_bytes() const { return header_.unpacked_bytes; }

  /// Begins at the first unpacked byte (again).
  bool rewind();
  enum class Read { all, end, damaged };
  /// The next `size` unpacked bytes. `end`: there is not one more.
  Read read(void* out, std::size_t size);

 private:
  Descriptor file_;
  off_t start_ = 0;  ///< of the xz streams
  ArchiveHeader header_{};
  lzma_stream decoder_ = LZMA_STREAM_INIT;
  std::uint64_t packed_read_ = 0;
  std::array<std::uint8_t, 65536> input_;
};

}  // namespace single_file
