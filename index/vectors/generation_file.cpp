#include "index/vectors/generation_file.hpp"

#include <algorithm>
#include <vector>

#include "base/file.hpp"
#include "index/vectors/checksum.hpp"

namespace lore::index {
namespace {

constexpr std::string_view kPrefix = "vectors-";
constexpr std::string_view kSuffix = ".faiss";
constexpr const char* kTemporary = "vectors-new.faiss";
constexpr std::size_t kPiece = std::size_t{1} << 20;

std::string name_of(std::uint64_t checksum) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string name(kPrefix);
  for (int shift = 60; shift >= 0; shift -= 4) name += kDigits[(checksum >> shift) & 15];
  return name + std::string(kSuffix);
}

// FAISS writes many small pieces.
class BufferedOutput {
 public:
  explicit BufferedOutput(FileLayer::Output& output) : output_(output) { buffer_.reserve(kPiece); }

  void write(std::span<const std::byte> bytes) {
    total_ += bytes.size();
    checksum_.update(bytes);
    if (buffer_.size() + bytes.size() > kPiece) flush();
    if (bytes.size() >= kPiece) {
      output_.write(bytes);
    } else {
      buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    }
  }
  void flush() {
    if (!buffer_.empty()) output_.write(buffer_);
    buffer_.clear();
  }
  std::uint64_t total() const { return total_; }
  std::uint64_t checksum() const { return checksum_.finish(); }

 private:
  FileLayer::Output& output_;
  std::vector<std::byte> buffer_;
  Checksum checksum_;
  std::uint64_t total_ = 0;
};

Error differs(const std::filesystem::path& path, const std::string& how) {
  return Error(ErrorCode::corrupt, path.string() + " " + how, path.string());
}

void verify(const std::filesystem::path& path, const PublishedFile& published) {
  FileReader reader(path);
  std::vector<std::byte> piece(kPiece);
  Checksum checksum;
  std::uint64_t total = 0;
  while (const std::size_t size = reader.read(piece)) {
    checksum.update(std::span(piece).first(size));
    total += size;
  }
  if (total != published.bytes) {
    throw differs(path, "has " + std::to_string(total) + " bytes instead of " +
                            std::to_string(published.bytes));
  }
  if (checksum.finish() != published.checksum) throw differs(path, "has a wrong checksum");
}

}  // namespace

PublishedFile publish_file(const std::filesystem::path& folder, const VectorIndex& index,
                           FileLayer& files) {
  const std::filesystem::path temporary = folder / kTemporary;
  PublishedFile published;
  try {
    const std::unique_ptr<FileLayer::Output> output = files.create(temporary);
    BufferedOutput buffered(*output);
    index.save([&](std::span<const std::byte> bytes) { buffered.write(bytes); });
    buffered.flush();
    output->sync();
    published = {name_of(buffered.checksum()), buffered.total(), buffered.checksum()};
  } catch (const Error&) {
    // The first failure is what to tell, not that of tidying up after it.
    try {
      files.remove(temporary);
    } catch (const Error&) {
    }
    throw;
  }
  files.rename(temporary, folder / published.name);
  files.sync_folder(folder);
  return published;
}

VectorIndex load_published(const std::filesystem::path& folder, const PublishedFile& published) {
  if (std::filesystem::path(published.name).filename() != published.name) {
    throw differs(folder / published.name, "is no name in the index folder");
  }
  const std::filesystem::path path = folder / published.name;
  verify(path, published);
  // FAISS reads in pieces of a few bytes, too.
  FileReader reader(path);
  std::vector<std::byte> buffer(kPiece);
  std::size_t begin = 0;
  std::size_t end = 0;
  return VectorIndex::load([&](std::span<std::byte> out) {
    std::size_t done = 0;
    while (done < out.size()) {
      if (begin == end) {
        if (out.size() - done >= kPiece) return done + reader.read(out.subspan(done));
        begin = 0;
        end = reader.read(buffer);
        if (end == 0) break;
      }
      const std::size_t taken = std::min(end - begin, out.size() - done);
      std::copy_n(buffer.begin() + static_cast<std::ptrdiff_t>(begin), taken,
                  out.begin() + static_cast<std::ptrdiff_t>(done));
      begin += taken;
      done += taken;
    }
    return done;
  });
}

void remove_other_files(const std::filesystem::path& folder, const std::string& keep,
                        FileLayer& files) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name != keep && name.starts_with(kPrefix) && name.ends_with(kSuffix)) {
      files.remove(entry.path());
    }
  }
}

}  // namespace lore::index
