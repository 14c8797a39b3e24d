#include "base/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace lore {
namespace {

void write_all(int descriptor, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      throw system_error("write", path, errno, true);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

ErrorCode code_of(int number, bool writing) {
  switch (number) {
    case ENOENT:
    case ENOTDIR:
      return ErrorCode::not_found;
    case ENOSPC:
    case EDQUOT:
      return ErrorCode::no_space;
    case EROFS:
    case EACCES:
    case EPERM:
      return writing ? ErrorCode::read_only : ErrorCode::io;
    default:
      return ErrorCode::io;
  }
}

/// What a person can do about it; "" where that is anybody's guess.
std::string way_out(int number, bool writing) {
  switch (number) {
    case ENOENT:
    case ENOTDIR:
      return "; check the path";
    case ENOSPC:
    case EDQUOT:
      return "; free some space and run the command again";
    case EROFS:
    case EACCES:
    case EPERM:
      return writing ? "; get the right to write there, or choose another place"
                     : "; get the right to read it";
    case EISDIR:
      return "; name a file";
    case EMFILE:
    case ENFILE:
      return "; raise the limit of open files (ulimit -n)";
    default:
      return "";
  }
}

}  // namespace

std::filesystem::path canonical_path(const std::filesystem::path& path) {
  // Of a relative path that does not exist, weakly_canonical() alone leaves the relative spelling.
  const std::filesystem::path absolute = std::filesystem::absolute(path);
  std::error_code failed;
  std::filesystem::path result = std::filesystem::weakly_canonical(absolute, failed);
  if (failed) result = absolute.lexically_normal();
  return result.has_filename() || !result.has_relative_path() ? result : result.parent_path();
}

Error system_error(std::string_view action, const std::filesystem::path& path, int number,
                   bool writing) {
  const std::string message = "cannot " + std::string(action) + " " + path.string() + ": " +
                              std::generic_category().message(number) + way_out(number, writing);
  return {code_of(number, writing), message, path.string()};
}

void FileDescriptor::reset() noexcept {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

FileReader::FileReader(const std::filesystem::path& path)
    : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (!descriptor_) throw system_error("open", path_, errno);
}

std::size_t FileReader::read(std::span<std::byte> buffer) {
  std::size_t total = 0;
  while (total < buffer.size()) {
    const ssize_t size = ::read(descriptor_.get(), buffer.data() + total, buffer.size() - total);
    if (size < 0) {
      if (errno == EINTR) continue;
      throw system_error("read", path_, errno);
    }
    if (size == 0) break;
    total += static_cast<std::size_t>(size);
  }
  return total;
}

std::string read_file(const std::filesystem::path& path, std::uint64_t limit) {
  FileReader reader(path);
  std::string result;
  constexpr std::size_t kPiece = std::size_t{1} << 18;
  for (;;) {
    const std::size_t before = result.size();
    result.resize(before + kPiece);
    const std::size_t size = reader.read(std::as_writable_bytes(std::span(result).subspan(before)));
    result.resize(before + size);
    if (result.size() > limit) {
      throw Error(ErrorCode::limit_exceeded,
                  path.string() + " is larger than " + std::to_string(limit) + " bytes",
                  path.string());
    }
    if (size < kPiece) return result;
  }
}

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  std::string pattern = path.string() + ".XXXXXX";
  FileDescriptor file(::mkostemp(pattern.data(), O_CLOEXEC));
  if (!file) throw system_error("create", path, errno, true);
  try {
    write_all(file.get(), bytes, path);
    if (::fchmod(file.get(), 0644) != 0 || ::fsync(file.get()) != 0) {
      throw system_error("write", path, errno, true);
    }
    if (::rename(pattern.c_str(), path.c_str()) != 0) {
      throw system_error("rename to", path, errno, true);
    }
  } catch (...) {
    ::unlink(pattern.c_str());
    throw;
  }
  sync_folder(path.parent_path());
}

void sync_folder(const std::filesystem::path& folder) {
  const std::filesystem::path target = folder.empty() ? "." : folder;
  const FileDescriptor descriptor(::open(target.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor || ::fsync(descriptor.get()) != 0)
    throw system_error("sync", target, errno, true);
}

}  // namespace lore
