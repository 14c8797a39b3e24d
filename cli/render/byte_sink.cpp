#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/file.hpp"
#include "cli/render/vectors.hpp"
#include "lore/error.hpp"

namespace lore::cli {
namespace {

class ConsoleSink : public ByteSink {
 public:
  explicit ConsoleSink(Console& console) : console_(console) {}
  void write(std::string_view bytes) override { console_.out(bytes); }
  void finish() override { console_.flush(); }
  bool is_file() const override { return false; }
  void write_beside(std::string_view) override {}

 private:
  Console& console_;
};

/// Writes to a file beside the final one and renames at the end, so that nobody ever reads half of
/// it. What is no regular file (/dev/stdout, a pipe) is written as it is.
class FileSink : public ByteSink {
 public:
  explicit FileSink(const std::filesystem::path& path) : path_(path), written_(path) {
    std::error_code ignored;
    regular_ =
        !std::filesystem::exists(path, ignored) || std::filesystem::is_regular_file(path, ignored);
    if (regular_) written_ += ".part";
    descriptor_ =
        FileDescriptor(::open(written_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!descriptor_) throw system_error("write", path_, errno, true);
  }
  ~FileSink() override {
    if (regular_ && descriptor_) ::unlink(written_.c_str());  // not finished
  }
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  void write(std::string_view bytes) override {
    held_ += bytes;
    if (held_.size() >= kHeldBytes) flush();
  }

  void finish() override {
    flush();
    if (!regular_) {
      descriptor_.reset();
      return;
    }
    if (::fsync(descriptor_.get()) != 0) throw system_error("write", path_, errno, true);
    if (::rename(written_.c_str(), path_.c_str()) != 0) {
      throw system_error("write", path_, errno, true);
    }
    descriptor_.reset();
    sync_folder(path_.parent_path().empty() ? std::filesystem::path(".") : path_.parent_path());
  }

  bool is_file() const override { return regular_; }
  void write_beside(std::string_view manifest) override {
    flush();  // first what needs the space: no manifest of a file that does not come
    write_file_atomically(path_.string() + ".json", manifest);
  }

 private:
  static constexpr std::size_t kHeldBytes = std::size_t{1} << 20;

  void flush() {
    std::string_view rest = held_;
    while (!rest.empty()) {
      const ssize_t count = ::write(descriptor_.get(), rest.data(), rest.size());
      if (count < 0) {
        if (errno == EINTR) continue;
        throw system_error("write", path_, errno, true);
      }
      rest.remove_prefix(static_cast<std::size_t>(count));
    }
    held_.clear();
  }

  std::filesystem::path path_;
  std::filesystem::path written_;  // where the bytes go until they are complete
  bool regular_ = true;
  FileDescriptor descriptor_;
  std::string held_;
};

}  // namespace

std::unique_ptr<ByteSink> open_sink(const std::filesystem::path& path, Console& console) {
  if (path.empty()) return std::make_unique<ConsoleSink>(console);
  return std::make_unique<FileSink>(path);
}

}  // namespace lore::cli
