// Writes an encoder of the shape of bge-base with random weights in Q8_0: its speed is that of the
// real one.
//
//   random_bert OUT.gguf
#include <cstdio>
#include <exception>

#include "tests/engine/model/tiny_model.hpp"

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: random_bert OUT.gguf\n");
    return 2;
  }
  try {
    lore::test::TinyModel model;
    model.architecture = "bert";
    model.type = lore::engine::DType::q8_0;
    model.float_tables = true;
    model.layers = 12;
    model.hidden = 768;
    model.feed_forward = 3072;
    model.heads = 12;
    model.context = 512;
    model.vocabulary = 30522;
    lore::test::write_tiny_model(model, arguments[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
