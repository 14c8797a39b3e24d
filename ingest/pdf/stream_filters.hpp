// The filters that a PDF stream may be wrapped in, decoded under a byte budget.
//
// Source: ISO 32000-1, section 7.4. PoDoFo's own filters have no limit on their output, ignore
// arrays of parameters and drop everything when a checksum at the very end is wrong.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace lore::ingest::pdf {

/// One entry of /Filter with its entry of /DecodeParms.
struct FilterStep {
  std::string name;   ///< "FlateDecode" or its abbreviation "Fl"
  int predictor = 1;  ///< 1 none, 2 TIFF, 10 and above PNG
  int colors = 1;
  int bits = 8;  ///< bits per component
  int columns = 1;
  bool early_change = true;  ///< LZW: codes grow one entry early
};

struct DecodedStream {
  std::string bytes;    ///< as far as decoding went
  std::string problem;  ///< "" where everything was decoded
};

/// Applies the filters in order. No step yields more than `limit` bytes: what is over it is cut
/// and named in `problem`, as is every error; what was decoded before it is kept. A filter that
/// makes pictures (DCT, JPX, CCITT, JBIG2) or is unknown yields no bytes and a problem.
DecodedStream apply_filters(std::string_view raw, std::span<const FilterStep> steps,
                            std::size_t limit);

}  // namespace lore::ingest::pdf
