#include <cerrno>

#include "base/file.hpp"
#include "tests/index/power/recording_vfs.hpp"

namespace lore::index::test {
namespace {

class RecordingOutput final : public FileLayer::Output {
 public:
  RecordingOutput(std::unique_ptr<Output> real, Disk& disk, std::filesystem::path path)
      : real_(std::move(real)), disk_(disk), path_(std::move(path)) {}
  void write(std::span<const std::byte> bytes) override {
    if (disk_.take_room()) throw system_error("write", path_, ENOSPC, true);
    disk_.record.write(path_.filename(), offset_, bytes);
    offset_ += bytes.size();
    real_->write(bytes);
  }
  void sync() override {
    disk_.record.sync(path_.filename());
    real_->sync();
  }

 private:
  std::unique_ptr<Output> real_;
  Disk& disk_;
  std::filesystem::path path_;
  std::uint64_t offset_ = 0;
};

}  // namespace

std::unique_ptr<FileLayer::Output> RecordingFiles::create(const std::filesystem::path& path) {
  disk_.record.create(path.filename());
  return std::make_unique<RecordingOutput>(system_files().create(path), disk_, path);
}

void RecordingFiles::rename(const std::filesystem::path& from, const std::filesystem::path& to) {
  disk_.record.rename(from.filename(), to.filename());
  system_files().rename(from, to);
}

void RecordingFiles::remove(const std::filesystem::path& path) {
  if (std::filesystem::exists(path)) disk_.record.remove(path.filename());
  system_files().remove(path);
}

void RecordingFiles::sync_folder(const std::filesystem::path& folder) {
  disk_.record.sync_folder();
  system_files().sync_folder(folder);
}

}  // namespace lore::index::test
