// Where sentences end.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace lore::ingest {

/// Byte offsets at which a new sentence starts in `text` (valid UTF-8), without 0 and in order.
/// The white space between two sentences belongs to the first. Knows common abbreviations of
/// English, German, French and Spanish, initials, list numbers, German ordinals before a month,
/// and the full stops of Chinese, Japanese, Hindi and Arabic.
std::vector<std::size_t> sentence_starts(std::string_view text);

}  // namespace lore::ingest
