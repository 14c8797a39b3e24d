// Where to cut what is too long for one chunk.
#pragma once

#include <cstddef>
#include <string_view>

#include "ingest/chunk/boundaries.hpp"

namespace lore::ingest {

struct Cut {
  std::size_t at = 0;        ///< byte of the text where the second part starts
  Break kind = Break::word;  ///< what is cut there
};

/// Cuts text[begin, end) so that the first part, without the white space at its end, has at most
/// `limit` bytes: at the end of a line or clause in the second half, else after the last word that
/// fits. Where the first word alone is over the limit: after that word. `at` is `end` where nothing
/// is left for a second part.
Cut find_cut(std::string_view text, std::size_t begin, std::size_t end, std::size_t limit);

/// Cuts inside a word, between two of its grapheme clusters, at most `limit` bytes after `begin`;
/// inside a cluster only where the cluster alone is over the limit; always after at least one code
/// point. `at` is `end` where all of it is within the limit.
Cut find_cut_inside_word(std::string_view text, std::size_t begin, std::size_t end,
                         std::size_t limit);

}  // namespace lore::ingest
