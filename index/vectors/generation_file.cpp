#include "index/vectors/generation_file.hpp"

#include <algorithm>
#include <vector>

#include "base/file.hpp"
#include "index/vectors/checksum.hpp"

namespace lore::index {
namespace {

constexpr std::string_view kPrefix = "vectors-";
constexpr std::string_view kExactSuffix = ".int8";
constexpr std::string_view kListSuffix = ".faiss";
constexpr std::size_t kPiece = std::size_t{1} << 20;

std::string with_affixes(std::string_view middle, const VectorIndex& index) {
  std::string name(kPrefix);
  name += middle;
  name += index.exact() != nullptr ? kExactSuffix : kListSuffix;
  return name;
}

std::string digits_of(std::uint64_t checksum) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits += kDigits[(checksum >> shift) & 15];
  return digits;
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

void expect(const std::filesystem::path& path, const PublishedFile& published, std::uint64_t bytes,
            std::uint64_t checksum) {
  if (bytes != published.bytes) {
    throw differs(path, "has " + std::to_string(bytes) + " bytes instead of " +
                            std::to_string(published.bytes));
  }
  if (checksum != published.checksum) throw differs(path, "has a wrong checksum");
}

// One pass: each piece is summed while it is in the cache. Memory is taken only for a file that is
// as long as it should be.
VectorIndex load_exact(const std::filesystem::path& path, const PublishedFile& published) {
  FileReader reader(path);
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(path, failed);
  if (!failed) expect(path, published, size, published.checksum);
  PageMemory image(published.bytes);
  const std::span<std::byte> bytes = image.bytes();
  Checksum checksum;
  std::size_t total = 0;
  constexpr std::size_t kCached = std::size_t{1} << 18;
  while (total < bytes.size()) {
    const std::span<std::byte> piece =
        bytes.subspan(total, std::min(kCached, bytes.size() - total));
    const std::size_t read = reader.read(piece);
    if (read == 0) break;
    checksum.update(piece.first(read));
    total += read;
  }
  std::byte beyond{};
  expect(path, published, total + reader.read({&beyond, 1}), checksum.finish());
  return VectorIndex(ExactIndex::open(std::move(image)));
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
  expect(path, published, total, checksum.finish());
}

VectorIndex load_lists(const std::filesystem::path& path, const PublishedFile& published) {
  verify(path, published);
  // FAISS reads in pieces of a few bytes, too.
  FileReader reader(path);
  std::vector<std::byte> buffer(kPiece);
  std::size_t begin = 0;
  std::size_t end = 0;
  return VectorIndex(ListIndex::load([&](std::span<std::byte> out) {
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
  }));
}

}  // namespace

PublishedFile publish_file(const std::filesystem::path& folder, const VectorIndex& index,
                           FileLayer& files) {
  const std::filesystem::path temporary = folder / with_affixes("new", index);
  PublishedFile published;
  try {
    const std::unique_ptr<FileLayer::Output> output = files.create(temporary);
    BufferedOutput buffered(*output);
    index.save([&](std::span<const std::byte> bytes) { buffered.write(bytes); });
    buffered.flush();
    output->sync();
    published = {with_affixes(digits_of(buffered.checksum()), index), buffered.total(),
                 buffered.checksum()};
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
  return published.name.ends_with(kExactSuffix) ? load_exact(path, published)
                                                : load_lists(path, published);
}

void remove_other_files(const std::filesystem::path& folder, const std::string& keep,
                        FileLayer& files) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name != keep && name.starts_with(kPrefix) &&
        (name.ends_with(kExactSuffix) || name.ends_with(kListSuffix))) {
      files.remove(entry.path());
    }
  }
}

}  // namespace lore::index
