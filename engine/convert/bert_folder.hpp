// A BERT-family model folder: its configuration and the names of its tensors in GGUF.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gguf/writer.hpp"

namespace lore::engine::convert {

struct BertConfig {
  std::size_t layers = 0;
  std::size_t hidden = 0;  ///< values a token
  std::size_t feed_forward = 0;
  std::size_t heads = 0;
  std::size_t positions = 0;
  std::size_t vocabulary = 0;
  std::size_t token_types = 0;
  double norm_epsilon = 1e-12;
};

/// Reads config.json. Throws Error{not_found}, Error{corrupt} naming the key, Error{unsupported}
/// for another family, activation or kind of position.
BertConfig read_bert_config(const std::filesystem::path& folder);

/// The `bert.*` keys of the configuration, and the pooling that modules.json names (none is written
/// where there is no such file). Throws Error{corrupt, unsupported}: a pooling that GGUF cannot
/// express, a Dense layer after it.
void set_model_keys(const std::filesystem::path& folder, const BertConfig& config,
                    gguf::Writer& writer);

/// One tensor to convert.
struct TensorPlan {
  std::string source;              ///< as the safetensors file names it, without a leading "bert."
  std::string name;                ///< in GGUF
  std::vector<std::size_t> shape;  ///< slowest first, as in the safetensors header
  bool matrix = false;             ///< stored in the asked type; all else stays float32
};

/// All tensors of such a model, in the order in which they are written.
std::vector<TensorPlan> plan_tensors(const BertConfig& config);

/// Whether an embedding does without this tensor of the folder (pooler, heads of the training).
bool is_ignored(std::string_view source);

}  // namespace lore::engine::convert
