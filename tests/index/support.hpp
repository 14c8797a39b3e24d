// Documents and vectors for tests of the index.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "index/index.hpp"

namespace lore::index::test {

inline constexpr std::size_t kDimension = 16;

/// Folders in memory where there are such: for tests that would wait for the disk most of the time.
/// To be constructed before a TemporaryFolder.
struct MemoryFolders {
  MemoryFolders();
};

ModelFingerprint model(std::size_t dimension = kDimension);

/// A text of one page a string; one chunk a paragraph ("\n\n" parts them). Spans are right.
DocumentRecord document(std::string_view path, const std::vector<std::string>& pages);

/// A unit vector that depends on `seed` alone.
std::vector<float> unit_vector(std::uint64_t seed, std::size_t dimension = kDimension);

/// One vector a chunk: that of `seed`, `seed` + 1, …; [chunks, dimension].
std::vector<float> vectors_for(const DocumentRecord& document, std::uint64_t seed,
                               std::size_t dimension = kDimension);

/// Adds a document made of `text` (pages parted by U+000C) with the vectors of `seed`.
void put(Writer& writer, std::string_view path, std::string_view text, std::uint64_t seed);

/// A search for the bodies that are found, best first.
std::vector<std::string> bodies(const SearchResult& result);

SearchQuery text_query(std::string_view text);
SearchQuery vector_query(std::span<const float> vector);

}  // namespace lore::index::test
