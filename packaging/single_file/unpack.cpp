#include "packaging/single_file/unpack.hpp"

#include <elf.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

namespace single_file {
namespace {

/// Its first line is where the program's loader was put; the others are sizes and names.
constexpr const char* kList = "files";

constexpr std::string_view kDamaged = "the file that is unpacked is damaged; get it again";

/// A header of tar's format, of which only these fields count.
struct TarHeader {
  std::array<char, 100> name;
  std::array<char, 8> mode;
  std::array<char, 16> owner;
  std::array<char, 12> size;
  std::array<char, 12> time;
  std::array<char, 8> checksum;
  char type;
  std::array<char, 355> rest;
};
static_assert(sizeof(TarHeader) == 512);

template <std::size_t N>
std::uint64_t octal(const std::array<char, N>& digits) {
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (c >= '0' && c <= '7') value = value * 8 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

bool failed(std::string_view what, Text& problem) {
  problem = Text(what) + " (" + std::strerror(errno) + ")";
  return false;
}

/// The folders above a file, where they are not there yet.
bool make_folders(const Descriptor& folder, std::string_view file) {
  for (std::size_t at = file.find('/'); at != std::string_view::npos; at = file.find('/', at + 1)) {
    const Text above(file.substr(0, at));
    if (::mkdirat(folder.get(), above.c_str(), 0755) != 0 && errno != EEXIST) return false;
  }
  return true;
}

bool write_file(Archive& archive, const Descriptor& folder, const TarHeader& header,
                std::uint64_t size, Text& problem) {
  constexpr std::uint64_t kBlock = 512;
  std::array<char, 128 * kBlock> buffer;
  const mode_t mode = (octal(header.mode) & 0100) != 0 ? 0755 : 0644;
  const Descriptor file = open_in(folder, header.name.data(), O_WRONLY | O_CREAT | O_EXCL, mode);
  if (!file) return failed("a file cannot be made", problem);
  for (std::uint64_t left = size; left > 0;) {
    const std::uint64_t part = std::min<std::uint64_t>(left, buffer.size());
    const std::uint64_t padded = (part + kBlock - 1) / kBlock * kBlock;
    if (archive.read(buffer.data(), padded) != Archive::Read::all) {
      problem = Text(kDamaged);
      return false;
    }
    if (!write_all(file, {buffer.data(), part})) return failed("a file cannot be written", problem);
    left -= part;
  }
  return true;
}

bool write_files(Archive& archive, const Descriptor& folder, const Descriptor& list,
                 Text& problem) {
  TarHeader header{};
  for (;;) {
    const Archive::Read read = archive.read(&header, sizeof header);
    if (read == Archive::Read::end) return true;
    if (read == Archive::Read::damaged) {
      problem = Text(kDamaged);
      return false;
    }
    if (header.name[0] == '\0') continue;  // what ends a tar archive; another may follow
    header.name.back() = '\0';
    const std::uint64_t size = octal(header.size);
    if (!make_folders(folder, header.name.data()))
      return failed("a folder cannot be made", problem);
    if (!write_file(archive, folder, header, size, problem)) return false;
    Text line;
    line += size;
    line += " ";
    line += header.name.data();
    line += "\n";
    if (!write_all(list, line.view())) return failed("a file cannot be written", problem);
  }
}

/// The kernel asks the program for its loader, by an absolute path. The program was linked with
/// room for one (cmake/SingleFile.cmake).
bool set_loader(const Descriptor& folder, const Text& loader, Text& problem) {
  const Descriptor program = open_in(folder, kProgram, O_RDWR);
  Elf64_Ehdr elf{};
  if (!program || read_at(program, &elf, sizeof elf, 0) != sizeof elf) {
    return failed("the program cannot be read", problem);
  }
  for (unsigned i = 0; i < elf.e_phnum; ++i) {
    Elf64_Phdr part{};
    const auto at = static_cast<off_t>(elf.e_phoff + std::uint64_t{i} * sizeof part);
    if (read_at(program, &part, sizeof part, at) != sizeof part) break;
    if (part.p_type != PT_INTERP) continue;
    if (!loader.fits() || loader.view().size() >= part.p_filesz) {
      problem = Text("its path is too long");
      return false;
    }
    const std::size_t bytes = loader.view().size() + 1;
    if (::pwrite(program.get(), loader.c_str(), bytes, static_cast<off_t>(part.p_offset)) !=
        static_cast<ssize_t>(bytes)) {
      return failed("the program cannot be written", problem);
    }
    return true;
  }
  problem = Text("the program has no loader");
  return false;
}

/// A whole file, mapped into memory.
class Mapping {
 public:
  explicit Mapping(const Descriptor& file) {
    struct stat status {};
    if (::fstat(file.get(), &status) != 0 || status.st_size == 0) return;
    size_ = static_cast<std::size_t>(status.st_size);
    start_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  }
  ~Mapping() {
    if (start_ != MAP_FAILED) ::munmap(start_, size_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::string_view text() const {
    return start_ == MAP_FAILED ? std::string_view()
                                : std::string_view(static_cast<const char*>(start_), size_);
  }

 private:
  void* start_ = MAP_FAILED;
  std::size_t size_ = 0;
};

std::string_view next_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

bool has_size(const Descriptor& folder, std::string_view line) {
  std::uint64_t size = 0;
  while (!line.empty() && line.front() >= '0' && line.front() <= '9') {
    size = size * 10 + static_cast<std::uint64_t>(line.front() - '0');
    line.remove_prefix(1);
  }
  if (line.empty()) return false;
  const Text name(line.substr(1));
  struct stat status {};
  return ::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) == size;
}

}  // namespace

bool unpack(Archive& archive, const Descriptor& folder, std::string_view path, Text& problem) {
  if (!archive.rewind()) {
    problem = Text("there is not enough memory");
    return false;
  }
  const Text loader = Text(path) + "/" + kLoader;
  const Descriptor list = open_in(folder, kList, O_WRONLY | O_CREAT | O_EXCL, 0644);
  if (!list || !write_all(list, (loader + "\n").view())) {
    return failed("a file cannot be written", problem);
  }
  return write_files(archive, folder, list, problem) && set_loader(folder, loader, problem);
}

bool is_whole(const Descriptor& folder) {
  const Descriptor list = open_in(folder, kList, O_RDONLY);
  if (!list) return false;
  const Mapping mapping(list);
  std::string_view lines = mapping.text();
  const Text loader(next_line(lines));
  // The folder may have been moved, or be known by two names.
  struct stat there {};
  struct stat here {};
  if (lines.empty() || ::stat(loader.c_str(), &there) != 0 ||
      ::fstatat(folder.get(), kLoader, &here, 0) != 0 || there.st_dev != here.st_dev ||
      there.st_ino != here.st_ino) {
    return false;
  }
  while (!lines.empty()) {
    if (!has_size(folder, next_line(lines))) return false;
  }
  return true;
}

}  // namespace single_file
