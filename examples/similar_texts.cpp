// Compares texts by the vectors of an embedding model.
//
//   similar_texts MODELS TEXT TEXT…
//
// Prints the cosine of the first text with each of the others, most similar first.

#include <algorithm>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include "lore/library.hpp"

namespace {

void compare(const std::filesystem::path& models, const std::vector<std::string>& texts) {
  lore::Library library({.models = models});
  lore::TextEmbedder embedder = library.embedder({.model = "minilm"});
  std::vector<lore::TextEmbedder::Tokens> tokens;
  for (const std::string& text : texts) tokens.push_back(embedder.encode(text, text));

  // [texts, dimension], row-major, each of length 1: so a dot product is a cosine.
  const std::vector<float> vectors = embedder.embed(tokens);
  const auto dimension = static_cast<std::ptrdiff_t>(embedder.dimension());
  std::vector<std::pair<float, std::string>> ranking;
  for (std::size_t i = 1; i < texts.size(); ++i) {
    const auto row = vectors.begin() + dimension * static_cast<std::ptrdiff_t>(i);
    ranking.emplace_back(std::inner_product(row, row + dimension, vectors.begin(), 0.0F), texts[i]);
  }
  std::sort(ranking.rbegin(), ranking.rend());
  for (const auto& [cosine, text] : ranking) std::cout << cosine << "  " << text << '\n';
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) {
    std::cerr << "usage: similar_texts MODELS TEXT TEXT...\n";
    return 2;
  }
  try {
    compare(arguments[1], std::vector<std::string>(arguments + 2, arguments + count));
  } catch (const lore::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
