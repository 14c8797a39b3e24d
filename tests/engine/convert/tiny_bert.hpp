// A BERT folder small enough to be written by a test, sound or spoilt.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/fixtures.hpp"

namespace lore::test {

/// A tensor to be written; the bytes are as the dtype says, little-endian.
struct TinyTensor {
  std::string name;
  std::string dtype;
  std::vector<std::size_t> shape;
  std::string bytes;
};

/// The bytes of a safetensors file.
std::string safetensors_bytes(const std::vector<TinyTensor>& tensors);
/// The same from a header of one's own, which may lie.
std::string safetensors_bytes(const std::string& header, const std::string& data);

/// One layer, hidden size 32, two heads, feed-forward 64, eight tokens, 16 positions.
class TinyBert {
 public:
  TinyBert();

  nlohmann::ordered_json config;
  std::vector<TinyTensor> tensors;

  /// Adds a tensor of distinct float32 values.
  void add(const std::string& name, std::vector<std::size_t> shape);
  TinyTensor& tensor(const std::string& name);
  /// Writes config.json, vocab.txt, modules.json, 1_Pooling and model.safetensors.
  void write(const TemporaryFolder& folder) const;
};

}  // namespace lore::test
