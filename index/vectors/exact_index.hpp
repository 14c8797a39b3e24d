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

/// Lives in memory as in its file: dimension (in steps of 64) + 16 bytes a vector.
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

  /// `count`: how many vectors `pass` gives, by ascending id. Throws Error{limit_exceeded}, and
  /// Error{corrupt} where `pass` does otherwise.
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

  PageMemory image_;
  std::size_t dimension_ = 0;
  std::size_t stride_ = 0;  // bytes from one row's codes to the next
  float longest_ = 0;       // L of quantize.hpp
  // Parts of image_, by row.
  std::span<std::int64_t> ids_;
  std::span<float> scales_;
  std::span<float> errors_;  // E of quantize.hpp
  std::span<std::int8_t> codes_;
};

}  // namespace lore::index
