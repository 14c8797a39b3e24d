#include "index/vectors/file_layer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.hpp"

namespace lore::index {
namespace {

class SystemOutput final : public FileLayer::Output {
 public:
  explicit SystemOutput(const std::filesystem::path& path)
      : path_(path),
        descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
    if (!descriptor_) throw system_error("create", path_, errno, true);
  }

  void write(std::span<const std::byte> bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_.get(), bytes.data(), bytes.size());
      if (written < 0) {
        if (errno == EINTR) continue;
        throw system_error("write", path_, errno, true);
      }
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }

  void sync() override {
    if (::fsync(descriptor_.get()) != 0) throw system_error("write", path_, errno, true);
  }

 private:
  std::filesystem::path path_;
  FileDescriptor descriptor_;
};

class SystemFiles final : public FileLayer {
 public:
  std::unique_ptr<Output> create(const std::filesystem::path& path) override {
    return std::make_unique<SystemOutput>(path);
  }
  void rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0) throw system_error("rename to", to, errno, true);
  }
  void remove(const std::filesystem::path& path) override {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
      throw system_error("remove", path, errno, true);
    }
  }
  void sync_folder(const std::filesystem::path& folder) override { lore::sync_folder(folder); }
};

}  // namespace

FileLayer& system_files() noexcept {
  static SystemFiles files;  // no state
  return files;
}

}  // namespace lore::index
