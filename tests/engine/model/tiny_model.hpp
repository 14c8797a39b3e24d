// Small models with random weights, one of each family, as GGUF files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/gguf/metadata.hpp"
#include "engine/tensor/dtype.hpp"

namespace lore::test {

/// Number of tokens of a tiny model.
inline constexpr std::size_t kTinyVocabulary = 288;

/// The sizes of a tiny model and what to change in its file.
struct TinyModel {
  std::string architecture = "llama";
  engine::DType type = engine::DType::f32;  // of the matrices
  bool float_tables = false;  ///< positions and token types in float32, as real encoders have them
  std::size_t layers = 2;
  std::size_t hidden = 64;
  std::size_t feed_forward = 96;
  std::size_t heads = 4;
  std::size_t kv_heads = 2;
  std::size_t head_dim = 32;  // not hidden / heads, on purpose; BERT's is 16
  std::size_t context = 96;
  std::size_t window = 20;  // gemma3
  bool tied = false;
  std::size_t vocabulary = kTinyVocabulary;  // at least that

  /// Replaces a key, or removes it.
  std::map<std::string, std::optional<engine::gguf::Value>> keys;
  std::vector<std::string> without_tensors;
  std::map<std::string, std::vector<std::size_t>> shapes;  // instead of the right ones
  std::map<std::string, float> factors;                    // of a tensor's values
};

/// Writes the model to `path`.
void write_tiny_model(const TinyModel& model, const std::filesystem::path& path);

/// All that a tiny model's file has, for tests that take one thing away.
std::vector<std::string> tiny_keys(const TinyModel& model);
std::vector<std::string> tiny_tensors(const TinyModel& model);

}  // namespace lore::test
