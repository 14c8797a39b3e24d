#include "tests/index/support.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "base/hash.hpp"
#include "base/utf8.hpp"

namespace lore::index::test {

MemoryFolders::MemoryFolders() {
  if (std::filesystem::is_directory("/dev/shm")) ::setenv("TMPDIR", "/dev/shm", 0);
}

ModelFingerprint model(std::size_t dimension) {
  ModelFingerprint model;
  model.name = "minilm";
  model.sha256 = "aaaa";
  model.architecture = "bert";
  model.pooling = "mean";
  model.dimension = dimension;
  return model;
}

DocumentRecord document(std::string_view path, const std::vector<std::string>& pages) {
  DocumentRecord document;
  document.path = path;
  document.format = "text";
  document.title = "Title of " + std::string(path);
  document.paged = true;
  std::size_t at = 0;
  for (std::size_t number = 0; number < pages.size(); ++number) {
    const std::string& text = pages[number];
    if (number > 0) {
      document.text += '\f';
      ++at;
    }
    const std::size_t start = at;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find("\n\n", begin), text.size());
      ChunkRecord chunk;
      chunk.body = text.substr(begin, end - begin);
      chunk.start = start + utf8::length(text.substr(0, begin));
      chunk.end = chunk.start + utf8::length(chunk.body);
      chunk.page = chunk.page_end = number;
      chunk.heading = {"Chapter", "Section " + std::to_string(number + 1)};
      chunk.tokens = chunk.body.size() / 4 + 1;
      document.chunks.push_back(chunk);
      begin = end + 2;
    }
    at += utf8::length(text);
    document.text += text;
    document.pages.push_back(
        {std::to_string(number + 1), text.empty() ? "empty" : "text", "", start, at});
  }
  document.size = document.text.size();
  document.sha256 = sha256_hex(document.text);
  return document;
}

std::vector<float> unit_vector(std::uint64_t seed, std::size_t dimension) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> vector(dimension);
  double sum = 0;
  for (float& value : vector) {
    value = normal(random);
    sum += double{value} * double{value};
  }
  for (float& value : vector) value = static_cast<float>(double{value} / std::sqrt(sum));
  return vector;
}

std::vector<float> vectors_for(const DocumentRecord& document, std::uint64_t seed,
                               std::size_t dimension) {
  std::vector<float> vectors;
  for (std::size_t i = 0; i < document.chunks.size(); ++i) {
    const std::vector<float> vector = unit_vector(seed + i, dimension);
    vectors.insert(vectors.end(), vector.begin(), vector.end());
  }
  return vectors;
}

void put(Writer& writer, std::string_view path, std::string_view text, std::uint64_t seed) {
  std::vector<std::string> pages(1);
  for (const char c : text) {
    if (c == '\f') {
      pages.emplace_back();
    } else {
      pages.back() += c;
    }
  }
  const DocumentRecord record = document(path, pages);
  writer.put(record, vectors_for(record, seed));
}

std::vector<std::string> bodies(const SearchResult& result) {
  std::vector<std::string> bodies;
  for (const Hit& hit : result.hits) bodies.push_back(hit.chunk.body);
  return bodies;
}

SearchQuery text_query(std::string_view text) {
  SearchQuery query;
  query.text = text;
  query.mode = SearchMode::text;
  return query;
}

SearchQuery vector_query(std::span<const float> vector) {
  SearchQuery query;
  query.vector = vector;
  query.mode = SearchMode::vector;
  return query;
}

}  // namespace lore::index::test
