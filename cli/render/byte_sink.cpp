#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <utility>

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

/// A file under a name of its own until it is complete, so that nobody ever reads half of it and
/// two writers do not meet. What is no regular file (/dev/stdout, a pipe) is written as it is.
class NewFile {
 public:
  explicit NewFile(std::filesystem::path path) : path_(std::move(path)) {
    std::error_code ignored;
    regular_ = !std::filesystem::exists(path_, ignored) ||
               std::filesystem::is_regular_file(path_, ignored);
    written_ = path_.string() + (regular_ ? ".XXXXXX" : "");
    descriptor_ = FileDescriptor(regular_ ? ::mkostemp(written_.data(), O_CLOEXEC)
                                          : ::open(written_.c_str(), O_WRONLY | O_CLOEXEC));
    if (!descriptor_) throw failure(errno);
  }
  ~NewFile() {
    if (regular_ && descriptor_) ::unlink(written_.c_str());  // not published
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  bool is_regular() const { return regular_; }

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(descriptor_.get(), bytes.data(), bytes.size());
      if (count < 0) {
        if (errno == EINTR) continue;
        throw failure(errno);
      }
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  void sync() {
    if (!regular_) return;
    if (::fchmod(descriptor_.get(), 0644) != 0 || ::fsync(descriptor_.get()) != 0) {
      throw failure(errno);
    }
  }
  void publish() {
    if (regular_ && ::rename(written_.c_str(), path_.c_str()) != 0) throw failure(errno);
    descriptor_.reset();
  }

 private:
  Error failure(int number) const { return system_error("write", path_, number, true); }

  std::filesystem::path path_;
  std::string written_;  // where the bytes go until they are complete
  bool regular_ = true;
  FileDescriptor descriptor_;
};

class FileSink : public ByteSink {
 public:
  explicit FileSink(const std::filesystem::path& path) : path_(path), file_(path) {}

  void write(std::string_view bytes) override {
    held_ += bytes;
    if (held_.size() >= kHeldBytes) flush();
  }

  /// Both files are on the disk before either has its name, and the vectors get theirs first: a
  /// manifest never tells of vectors that did not come.
  void finish() override {
    flush();
    file_.sync();
    std::optional<NewFile> beside;
    if (manifest_) {
      beside.emplace(path_.string() + ".json");
      beside->write(*manifest_);
      beside->sync();
    }
    file_.publish();
    if (beside) beside->publish();
    if (file_.is_regular()) sync_folder(path_.parent_path());
  }

  bool is_file() const override { return file_.is_regular(); }
  void write_beside(std::string_view manifest) override { manifest_ = manifest; }

 private:
  static constexpr std::size_t kHeldBytes = std::size_t{1} << 20;

  void flush() { file_.write(std::exchange(held_, {})); }

  std::filesystem::path path_;
  NewFile file_;
  std::string held_;
  std::optional<std::string> manifest_;
};

}  // namespace

std::unique_ptr<ByteSink> open_sink(const std::filesystem::path& path, Console& console) {
  if (path.empty()) return std::make_unique<ConsoleSink>(console);
  return std::make_unique<FileSink>(path);
}

}  // namespace lore::cli
