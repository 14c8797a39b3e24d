// All vectors as int8 codes with a proven bound on what the codes hide: which of them can be among
// the nearest, without missing one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/simd/scan_ops.hpp"
#include "index/vectors/page_memory.hpp"
#include "index/vectors/vector_pass.hpp"

namespace lore::index {

struct QueryCode;

/// Lives in memory as in its file: dimension (in steps of 128) + 24 bytes a vector. A search reads
/// half of the codes and 12 bytes more of every vector, and the rest of few.
///
/// Thread safety: const functions from any thread.
class ExactIndex {
 public:
  /// A vector that can be among the nearest. No score of it is above `upper`.
  struct Candidate {
    std::int64_t id = 0;
    float upper = 0;
  };
  struct Candidates {
    /// By descending `upper`, equal ones by ascending id.
    std::vector<Candidate> best_first;
    /// Every vector that is not in the list scores below this; -infinity where all are in it.
    float floor = 0;
  };

  /// `count`: how many vectors `pass` gives, by ascending id. Goes through them twice. Throws
  /// Error{limit_exceeded}, and Error{corrupt} where `pass` does otherwise.
  static ExactIndex build(std::size_t dimension, std::size_t count, VectorPass pass);
  /// Takes over the bytes of a file. Throws Error{corrupt} where they are not such an index, or not
  /// one of this machine's byte order. Feed it only bytes whose checksum was right: what is checked
  /// here is that nothing outside of them can be touched.
  static ExactIndex open(PageMemory image);

  /// The bytes of its file.
  std::span<const std::byte> image() const noexcept { return image_.bytes(); }
  std::size_t dimension() const noexcept { return dimension_; }
  std::size_t size() const noexcept { return ids_.size(); }
  /// Ascending.
  std::span<const std::int64_t> ids() const noexcept { return ids_; }
  /// Whether it holds exactly the code of this vector under this id. vector: [dimension].
  bool holds(std::int64_t id, std::span<const float> vector) const;

  /// Candidates among which are the `wanted` nearest, scores being those of VectorSearch. Nothing
  /// where the codes cannot tell apart a quarter of the vectors, so that comparing all of them is
  /// faster. query: [dimension].
  std::optional<Candidates> candidates(std::span<const float> query, std::size_t wanted,
                                       const simd::ScanTable& scan = simd::best_scan_table()) const;

 private:
  struct Header;
  struct Layout;
  ExactIndex() = default;
  void lay_out(const Layout& layout);
  void write_header();
  void set_row(std::size_t row, std::span<const float> vector);
  std::size_t sift(const QueryCode& query, const simd::ScanTable& scan, std::size_t first,
                   std::size_t count, float floor, std::span<std::uint32_t> kept) const;
  // Lets memory bring what fine_dot will read, while others are computed.
  void ask_for(std::size_t row) const;

  PageMemory image_;
  std::size_t dimension_ = 0;
  std::size_t half_ = 0;  // bytes of a row of nibbles
  // L and R of quantize.hpp.
  float coarse_longest_ = 0;
  float fine_longest_ = 0;
  float roundings_ = 0;
  std::span<float> direction_;  // [dimension_], w of quantize.hpp
  // Parts of image_, by row.
  std::span<std::int64_t> ids_;
  std::span<float> along_;
  std::span<float> scales_;
  std::span<float> coarse_errors_;  // E of quantize.hpp
  std::span<float> fine_errors_;
  std::span<std::uint8_t> high_;  // [size, half_], nibbles as simd::ScanTable has them
  std::span<std::uint8_t> low_;
};

}  // namespace lore::index
