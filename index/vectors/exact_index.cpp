#include "index/vectors/exact_index.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "index/vectors/quantize.hpp"
#include "lore/error.hpp"

namespace lore::index {
namespace {

constexpr std::array<char, 8> kMagic = {'l', 'o', 'r', 'e', 'i', 'n', 't', '8'};
constexpr std::uint32_t kVersion = 1;
constexpr std::uint32_t kByteOrder = 0x01020304;
constexpr std::size_t kAlignment = 64;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Error damaged(const std::string& what) {
  return Error(ErrorCode::corrupt, "not a vector index: " + what);
}

constexpr std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

// What a file begins with, in the byte order of the machine that made it.
struct ExactIndex::Header {
  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t byte_order = kByteOrder;
  std::uint64_t dimension = 0;
  std::uint64_t count = 0;
  float longest = 0;
  std::array<std::uint32_t, 7> unused{};
};

// Where the parts of a file lie: header, ids, scales, errors, codes, each from a multiple of 64 on.
struct ExactIndex::Layout {
  // Throws Error{corrupt} where no file is that large.
  Layout(std::uint64_t dimension, std::uint64_t count) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 48;
    const std::uint64_t row_bytes =
        (dimension + simd::kScanStride - 1) / simd::kScanStride * simd::kScanStride;
    if (dimension == 0 || dimension > kMost || count > kMost / (row_bytes + 16)) {
      throw damaged("sizes without sense");
    }
    stride = row_bytes;
    rows = count;
    ids = aligned(sizeof(Header));
    scales = ids + aligned(count * sizeof(std::int64_t));
    errors = scales + aligned(count * sizeof(float));
    codes = errors + aligned(count * sizeof(float));
    bytes = codes + count * stride;
  }

  std::size_t stride = 0;
  std::size_t rows = 0;
  std::size_t ids = 0;
  std::size_t scales = 0;
  std::size_t errors = 0;
  std::size_t codes = 0;
  std::size_t bytes = 0;
};

void ExactIndex::lay_out(const Layout& layout) {
  const auto part = [&]<typename T>(std::span<T>& span, std::size_t offset, std::size_t count) {
    span = {static_cast<T*>(static_cast<void*>(image_.bytes().data() + offset)), count};
  };
  stride_ = layout.stride;
  part(ids_, layout.ids, layout.rows);
  part(scales_, layout.scales, layout.rows);
  part(errors_, layout.errors, layout.rows);
  part(codes_, layout.codes, layout.rows * layout.stride);
}

ExactIndex ExactIndex::build(std::size_t dimension, std::size_t count, VectorPass pass) {
  const Layout layout(dimension, count);
  ExactIndex index;
  index.image_ = PageMemory(layout.bytes);
  index.dimension_ = dimension;
  index.lay_out(layout);
  std::size_t row = 0;
  pass([&](std::span<const std::int64_t> ids, std::span<const float> rows) {
    for (std::size_t i = 0; i < ids.size(); ++i, ++row) {
      if (row == count || (row > 0 && ids[i] <= index.ids_[row - 1])) {
        throw damaged("vectors come out of order, or more of them than were counted");
      }
      const RowCode code = quantize_row(rows.subspan(i * dimension, dimension),
                                        index.codes_.subspan(row * layout.stride, dimension));
      index.ids_[row] = ids[i];
      index.scales_[row] = code.scale;
      index.errors_[row] = code.error;
      index.longest_ = std::max(index.longest_, code.length);
    }
  });
  if (row != count) throw damaged("fewer vectors than were counted");
  Header header;
  header.dimension = dimension;
  header.count = count;
  header.longest = index.longest_;
  std::memcpy(index.image_.bytes().data(), &header, sizeof header);
  return index;
}

ExactIndex ExactIndex::open(PageMemory image) {
  const std::span<const std::byte> bytes = std::as_const(image).bytes();
  Header header;
  if (bytes.size() < sizeof header) throw damaged("too short");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != kMagic) throw damaged("another format");
  if (header.byte_order != kByteOrder) throw damaged("made on a machine of another byte order");
  if (header.version != kVersion) {
    throw damaged("version " + std::to_string(header.version) + " of the format, not " +
                  std::to_string(kVersion));
  }
  const Layout layout(header.dimension, header.count);
  if (layout.bytes != bytes.size()) throw damaged("not of the size that it says");
  ExactIndex index;
  index.image_ = std::move(image);
  index.dimension_ = header.dimension;
  index.longest_ = header.longest;
  index.lay_out(layout);
  const auto sound = [](float value) { return value >= 0; };  // which no "no number" is
  if (!std::all_of(index.errors_.begin(), index.errors_.end(), sound) ||
      !std::all_of(index.scales_.begin(), index.scales_.end(), sound) || !sound(index.longest_)) {
    throw damaged("errors that are none");
  }
  if (std::adjacent_find(index.ids_.begin(), index.ids_.end(), std::greater_equal<>()) !=
      index.ids_.end()) {
    throw damaged("ids that do not ascend");
  }
  return index;
}

bool ExactIndex::holds(std::int64_t id, std::span<const float> vector) const {
  const auto place = std::lower_bound(ids_.begin(), ids_.end(), id);
  if (place == ids_.end() || *place != id) return false;
  const auto row = static_cast<std::size_t>(place - ids_.begin());
  std::vector<std::int8_t> codes(dimension_);
  const RowCode code = quantize_row(vector, codes);
  return code.scale == scales_[row] && code.error == errors_[row] &&
         std::equal(codes.begin(), codes.end(),
                    codes_.begin() + static_cast<std::ptrdiff_t>(row * stride_));
}

namespace {

// What a scan has found so far: the `wanted` best lower bounds, and who can reach them.
class Found {
 public:
  struct Row {
    std::size_t row;
    float upper;
  };

  Found(std::size_t wanted, std::size_t most) : wanted_(wanted), most_(most) {
    lowest_.reserve(wanted);
  }

  /// No row whose upper bound is below this can be among the best.
  float floor() const { return floor_; }
  bool too_many() const { return too_many_; }

  void add(std::size_t row, float lower, float upper) {
    if (too_many_) return;
    rows_.push_back({row, upper});
    if (lowest_.size() < wanted_) {
      lowest_.push_back(lower);
      std::push_heap(lowest_.begin(), lowest_.end(), std::greater<>());
    } else if (lower > floor_) {
      std::pop_heap(lowest_.begin(), lowest_.end(), std::greater<>());
      lowest_.back() = lower;
      std::push_heap(lowest_.begin(), lowest_.end(), std::greater<>());
    }
    if (lowest_.size() == wanted_) floor_ = lowest_.front();
    if (rows_.size() >= tidy_at_) tidy();
  }

  const std::vector<Row>& rows() {
    tidy();
    return rows_;
  }

 private:
  // The floor has risen since the first of them came in.
  void tidy() {
    std::erase_if(rows_, [&](const Row& row) { return row.upper < floor_; });
    too_many_ = rows_.size() > most_;
    tidy_at_ = 2 * rows_.size() + 1024;
  }

  std::size_t wanted_;
  std::size_t most_;
  float floor_ = -kInfinity;
  std::vector<float> lowest_;  // a heap, the lowest in front
  std::vector<Row> rows_;
  std::size_t tidy_at_ = 1024;
  bool too_many_ = false;
};

}  // namespace

std::optional<ExactIndex::Candidates> ExactIndex::candidates(std::span<const float> query,
                                                             std::size_t wanted,
                                                             const simd::ScanTable& scan) const {
  const QueryCode code = quantize_query(query, stride_);
  if (wanted == 0) return Candidates{{}, kInfinity};
  if (!std::isfinite(code.length)) return std::nullopt;
  const float common = longest_ * code.error * (1 + 0x1p-20F);
  constexpr std::size_t kBlock = 256;  // whose codes stay in the cache until they are judged
  std::array<std::int32_t, kBlock> dots;
  std::array<float, kBlock> middle;
  std::array<float, kBlock> bound;
  constexpr std::size_t kFew = 16384;
  Found found(std::min(wanted, size()), size() / 4 + kFew);
  for (std::size_t first = 0; first < size(); first += kBlock) {
    const std::size_t rows = std::min(kBlock, size() - first);
    scan.dots_i8_i16(codes_.data() + first * stride_, rows, stride_, code.codes.data(),
                     dots.data());
    const float floor = found.floor();
    bool any = false;
    for (std::size_t i = 0; i < rows; ++i) {
      middle[i] = static_cast<float>(dots[i]) * (scales_[first + i] * code.scale);
      bound[i] = errors_[first + i] * code.length + common;
      any |= !(middle[i] + bound[i] < floor);
    }
    if (!any) continue;
    for (std::size_t i = 0; i < rows; ++i) {
      const float upper = middle[i] + bound[i];
      if (!(upper < found.floor())) found.add(first + i, middle[i] - bound[i], upper);
    }
    if (found.too_many()) return std::nullopt;
  }
  Candidates result;
  for (const Found::Row& row : found.rows()) {
    result.best_first.push_back({ids_[row.row], row.upper});
  }
  if (found.too_many()) return std::nullopt;
  std::sort(result.best_first.begin(), result.best_first.end(),
            [](const Candidate& a, const Candidate& b) {
              return a.upper != b.upper ? a.upper > b.upper : a.id < b.id;
            });
  result.floor = result.best_first.size() == size() ? -kInfinity : found.floor();
  return result;
}

}  // namespace lore::index
