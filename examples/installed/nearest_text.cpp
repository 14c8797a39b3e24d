// Says which of some texts means most nearly what the first one says.
//
//   nearest_text MODEL TEXT OTHER…
#include <iostream>
#include <vector>

#include <lore/library.hpp>

int main(int count, char** arguments) {
  if (count < 4) {
    std::cerr << "usage: nearest_text MODEL TEXT OTHER…\n";
    return 2;
  }
  try {
    lore::Library library(lore::LibraryOptions{});
    lore::TextEmbedder embedder = library.embedder({.model = arguments[1]});
    std::vector<lore::TextEmbedder::Tokens> texts;
    for (int i = 2; i < count; ++i) texts.push_back(embedder.encode(arguments[i], "a text"));
    const std::vector<float> vectors = embedder.embed(texts);
    const std::size_t width = embedder.dimension();
    std::size_t best = 1;
    float nearest = -2;
    for (std::size_t i = 1; i < texts.size(); ++i) {
      float similarity = 0;
      for (std::size_t j = 0; j < width; ++j) similarity += vectors[j] * vectors[i * width + j];
      if (similarity > nearest) {
        nearest = similarity;
        best = i;
      }
    }
    std::cout << arguments[2 + best] << '\n';
  } catch (const lore::Error& error) {
    std::cerr << "nearest_text: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
