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
constexpr float kRoundUp = 1 + 0x1p-20F;
constexpr std::size_t kBlock = 256;  // rows whose coarse codes stay in the cache

Error damaged(const std::string& what) {
  return Error(ErrorCode::corrupt, "not a vector index: " + what);
}

constexpr std::uint64_t aligned(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// The direction in which the vectors lean, of length 1; zero where there is none.
void set_direction(std::span<float> direction, VectorPass pass) {
  std::vector<double> sum(direction.size());
  pass([&](std::span<const std::int64_t> ids, std::span<const float> rows) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto row = rows.subspan(i * sum.size(), sum.size());
      if (!can_be_coded(row)) continue;
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += double{row[k]};
    }
  });
  double squared = 0;
  for (const double value : sum) squared += value * value;
  if (!(squared > 0)) return;
  for (std::size_t k = 0; k < sum.size(); ++k) {
    direction[k] = static_cast<float>(sum[k] / std::sqrt(squared));
  }
}

}  // namespace

// What a file begins with, in the byte order of the machine that made it.
struct ExactIndex::Header {
  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t byte_order = kByteOrder;
  std::uint64_t dimension = 0;
  std::uint64_t count = 0;
  float coarse_longest = 0;
  float fine_longest = 0;
  float roundings = 0;
  std::array<std::uint32_t, 5> unused{};
};

// Where the parts of a file lie, each from a multiple of 64 on.
struct ExactIndex::Layout {
  // Throws Error{corrupt} where no file is that large.
  Layout(std::uint64_t dimension, std::uint64_t count) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 48;
    constexpr std::uint64_t kStep = 2 * simd::kScanBytes;  // two codes a byte
    if (dimension == 0 || dimension > kMost) throw damaged("a dimension without sense");
    half = (dimension + kStep - 1) / kStep * simd::kScanBytes;
    rows = count;
    if (count > kMost / (2 * half + 24)) throw damaged("a size without sense");
    direction = aligned(sizeof(Header));
    ids = direction + aligned(dimension * sizeof(float));
    along = ids + aligned(count * sizeof(std::int64_t));
    scales = along + aligned(count * sizeof(float));
    coarse_errors = scales + aligned(count * sizeof(float));
    fine_errors = coarse_errors + aligned(count * sizeof(float));
    high = fine_errors + aligned(count * sizeof(float));
    low = high + count * half;
    bytes = low + count * half;
  }

  std::size_t half = 0;
  std::size_t rows = 0;
  std::size_t direction = 0;
  std::size_t ids = 0;
  std::size_t along = 0;
  std::size_t scales = 0;
  std::size_t coarse_errors = 0;
  std::size_t fine_errors = 0;
  std::size_t high = 0;
  std::size_t low = 0;
  std::size_t bytes = 0;
};

void ExactIndex::lay_out(const Layout& layout) {
  const auto part = [&]<typename T>(std::span<T>& span, std::size_t offset, std::size_t count) {
    span = {static_cast<T*>(static_cast<void*>(image_.bytes().data() + offset)), count};
  };
  half_ = layout.half;
  part(direction_, layout.direction, dimension_);
  part(along_, layout.along, layout.rows);
  part(ids_, layout.ids, layout.rows);
  part(scales_, layout.scales, layout.rows);
  part(coarse_errors_, layout.coarse_errors, layout.rows);
  part(fine_errors_, layout.fine_errors, layout.rows);
  part(high_, layout.high, layout.rows * layout.half);
  part(low_, layout.low, layout.rows * layout.half);
}

void ExactIndex::set_row(std::size_t row, std::span<const float> vector) {
  std::vector<std::int8_t> codes(2 * half_);  // zeros behind the dimension
  const RowCode code = quantize_row(vector, direction_, std::span(codes).first(dimension_));
  along_[row] = code.along;
  scales_[row] = code.scale;
  coarse_errors_[row] = code.coarse.error;
  fine_errors_[row] = code.fine.error;
  coarse_longest_ = std::max(coarse_longest_, code.coarse.length);
  fine_longest_ = std::max(fine_longest_, code.fine.length);
  roundings_ = std::max(roundings_, code.roundings);
  const std::span<std::uint8_t> high = high_.subspan(row * half_, half_);
  const std::span<std::uint8_t> low = low_.subspan(row * half_, half_);
  for (std::size_t i = 0; i < half_; ++i) {
    const unsigned first = static_cast<unsigned>(codes[i] + 128);
    const unsigned second = static_cast<unsigned>(codes[half_ + i] + 128);
    high[i] = static_cast<std::uint8_t>(first >> 4 | (second & 0xF0U));
    low[i] = static_cast<std::uint8_t>((first & 15U) | (second & 15U) << 4);
  }
}

ExactIndex ExactIndex::build(std::size_t dimension, std::size_t count, VectorPass pass) {
  const Layout layout(dimension, count);
  ExactIndex index;
  index.image_ = PageMemory(layout.bytes);
  index.dimension_ = dimension;
  index.lay_out(layout);
  set_direction(index.direction_, pass);
  std::size_t row = 0;
  pass([&](std::span<const std::int64_t> ids, std::span<const float> rows) {
    for (std::size_t i = 0; i < ids.size(); ++i, ++row) {
      if (row == count || (row > 0 && ids[i] <= index.ids_[row - 1])) {
        throw damaged("vectors come out of order, or more of them than were counted");
      }
      index.ids_[row] = ids[i];
      index.set_row(row, rows.subspan(i * dimension, dimension));
    }
  });
  if (row != count) throw damaged("fewer vectors than were counted");
  index.write_header();
  return index;
}

void ExactIndex::write_header() {
  Header header;
  header.dimension = dimension_;
  header.count = size();
  header.coarse_longest = coarse_longest_;
  header.fine_longest = fine_longest_;
  header.roundings = roundings_;
  std::memcpy(image_.bytes().data(), &header, sizeof header);
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
  index.coarse_longest_ = header.coarse_longest;
  index.fine_longest_ = header.fine_longest;
  index.lay_out(layout);
  index.roundings_ = header.roundings;
  const auto sound = [](float value) { return value >= 0; };  // which no "no number" is
  const auto all_sound = [&](std::span<const float> values) {
    return std::all_of(values.begin(), values.end(), sound);
  };
  const auto finite = [](float value) { return std::isfinite(value); };
  if (!all_sound(index.scales_) || !all_sound(index.coarse_errors_) ||
      !all_sound(index.fine_errors_) || !sound(index.coarse_longest_) ||
      !sound(index.fine_longest_) || !sound(index.roundings_) ||
      !std::all_of(index.along_.begin(), index.along_.end(), finite) ||
      !std::all_of(index.direction_.begin(), index.direction_.end(), finite)) {
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
  const Layout layout(dimension_, 1);
  ExactIndex other;
  other.image_ = PageMemory(layout.bytes);
  other.dimension_ = dimension_;
  other.lay_out(layout);
  std::copy(direction_.begin(), direction_.end(), other.direction_.begin());
  other.set_row(0, vector);
  const auto same = [&](std::span<const std::uint8_t> ours, std::span<const std::uint8_t> theirs) {
    return std::equal(theirs.begin(), theirs.end(), ours.subspan(row * half_).begin());
  };
  return other.along_[0] == along_[row] && other.scales_[0] == scales_[row] &&
         other.coarse_errors_[0] == coarse_errors_[row] &&
         other.fine_errors_[0] == fine_errors_[row] && same(high_, other.high_) &&
         same(low_, other.low_);
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

void ExactIndex::ask_for(std::size_t row) const {
  for (std::size_t at = 0; at < half_; at += kAlignment) {
    __builtin_prefetch(low_.data() + row * half_ + at);
  }
  __builtin_prefetch(&fine_errors_[row]);
}

// Rows from `first` on whose coarse bound reaches `floor`: their number, and which they are.
std::size_t ExactIndex::sift(const QueryCode& query, const simd::ScanTable& scan, std::size_t first,
                             std::size_t count, float floor, std::span<std::uint32_t> kept) const {
  std::array<std::int32_t, kBlock> dots;
  std::array<float, kBlock> upper;
  scan.coarse_dots(high_.data() + first * half_, count, half_, query.coarse.codes.data(),
                   dots.data());
  const float common =
      (coarse_longest_ * query.coarse.error + roundings_ * query.length) * kRoundUp;
  bool any = false;
  for (std::size_t i = 0; i < count; ++i) {
    // Of codes 16 h + 8, where the nibbles are h + 8.
    const std::int32_t product = 16 * (dots[i] - 8 * query.coarse_sum) + 8 * query.coarse_sum;
    const float score = along_[first + i] * query.along +
                        static_cast<float>(product) * (scales_[first + i] * query.coarse.scale);
    upper[i] = score + (coarse_errors_[first + i] * query.rest + common);
    any |= !(upper[i] < floor);
  }
  std::size_t size = 0;
  if (!any) return size;
  for (std::size_t i = 0; i < count; ++i) {
    kept[size] = static_cast<std::uint32_t>(i);
    size += !(upper[i] < floor);
  }
  return size;
}

std::optional<ExactIndex::Candidates> ExactIndex::candidates(std::span<const float> query,
                                                             std::size_t wanted,
                                                             const simd::ScanTable& scan) const {
  if (wanted == 0) return Candidates{{}, kInfinity};
  const QueryCode code = quantize_query(query, direction_, 2 * half_);
  if (!std::isfinite(code.length)) return std::nullopt;
  const float common = (fine_longest_ * code.fine.error + roundings_ * code.length) * kRoundUp;
  std::array<std::uint32_t, kBlock> kept;
  constexpr std::size_t kFew = 16384;
  Found found(std::min(wanted, size()), size() / 4 + kFew);
  for (std::size_t first = 0; first < size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, size() - first);
    const std::size_t passed = sift(code, scan, first, count, found.floor(), kept);
    for (std::size_t k = 0; k < passed; ++k) ask_for(first + kept[k]);
    for (std::size_t k = 0; k < passed; ++k) {
      const std::size_t row = first + kept[k];
      const std::int32_t product = scan.fine_dot(
          high_.data() + row * half_, low_.data() + row * half_, half_, code.fine.codes.data());
      const float score =
          along_[row] * code.along + static_cast<float>(product) * (scales_[row] * code.fine.scale);
      const float bound = fine_errors_[row] * code.rest + common;
      if (!(score + bound < found.floor())) found.add(row, score - bound, score + bound);
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
