#include "engine/convert/bert_folder.hpp"

#include <array>
#include <optional>
#include <system_error>
#include <utility>

#include "engine/convert/json_file.hpp"
#include "lore/error.hpp"

namespace lore::engine::convert {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail_unsupported(const fs::path& path, const std::string& what) {
  throw Error(ErrorCode::unsupported, path.string() + ": " + what, path.string());
}

/// `bert.pooling_type` values.
using PoolingType = std::uint64_t;
constexpr PoolingType kMean = 1;
constexpr PoolingType kCls = 2;
constexpr PoolingType kLast = 3;

PoolingType read_pooling(const JsonFile& file) {
  struct Mode {
    const char* key;
    PoolingType type;
  };
  constexpr std::array kModes = {Mode{"pooling_mode_mean_tokens", kMean},
                                 Mode{"pooling_mode_cls_token", kCls},
                                 Mode{"pooling_mode_lasttoken", kLast}};
  std::optional<PoolingType> chosen;
  for (const auto& [key, value] : file.value().items()) {
    if (key.rfind("pooling_mode_", 0) != 0 || !value.is_boolean() || !value.get<bool>()) continue;
    const Mode* mode = nullptr;
    for (const Mode& candidate : kModes) {
      if (key == candidate.key) mode = &candidate;
    }
    if (mode == nullptr) fail_unsupported(file.path(), "GGUF knows no pooling " + key);
    if (chosen) fail_unsupported(file.path(), "joins two poolings, which GGUF cannot express");
    chosen = mode->type;
  }
  if (!chosen) file.fail("pooling_mode_…", "is missing: no pooling is on");
  return *chosen;
}

/// The folder of the pooling module that modules.json names.
std::optional<fs::path> pooling_folder(const fs::path& folder) {
  const fs::path path = folder / "modules.json";
  if (!is_there(path)) return std::nullopt;
  const nlohmann::json modules = parse_json(read_regular_file(path), path);
  std::optional<fs::path> found;
  try {
    for (const nlohmann::json& module : modules) {
      const auto type = module.at("type").get<std::string>();
      const std::string kind = type.substr(type.rfind('.') + 1);
      const auto where = module.at("path").get<std::string>();
      if (kind == "Pooling") {
        if (where.empty() || where.find('/') != std::string::npos || where == "..") {
          throw Error(ErrorCode::corrupt, path.string() + ": Pooling lies outside the folder",
                      path.string());
        }
        found = folder / where;
      } else if (kind != "Transformer" && kind != "Normalize") {
        fail_unsupported(path, "the module " + kind + " after the model cannot be converted");
      }
    }
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::corrupt, path.string() + " is no list of modules: " + error.what(),
                path.string());
  }
  return found;
}

void plan_norm(std::vector<TensorPlan>& plans, const std::string& source, const std::string& name,
               std::size_t size) {
  plans.push_back({source + ".weight", name + ".weight", {size}, false});
  plans.push_back({source + ".bias", name + ".bias", {size}, false});
}

void plan_linear(std::vector<TensorPlan>& plans, const std::string& source, const std::string& name,
                 std::size_t outputs, std::size_t inputs) {
  plans.push_back({source + ".weight", name + ".weight", {outputs, inputs}, true});
  plans.push_back({source + ".bias", name + ".bias", {outputs}, false});
}

}  // namespace

BertConfig read_bert_config(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw Error(ErrorCode::not_found,
                folder.string() + " is no folder; give the folder of a model in safetensors form",
                folder.string());
  }
  const JsonFile file(folder / "config.json");
  const std::string family = file.text("model_type").value_or("");
  if (family != "bert") {
    fail_unsupported(file.path(), "model_type is \"" + family + "\", and only bert is converted");
  }
  if (file.text("position_embedding_type").value_or("absolute") != "absolute") {
    fail_unsupported(file.path(), "positions are not absolute (position_embedding_type)");
  }
  if (file.text("hidden_act").value_or("gelu") != "gelu") {
    fail_unsupported(file.path(), "hidden_act is " + *file.text("hidden_act") + ", not gelu");
  }
  BertConfig config;
  config.layers = file.require_count("num_hidden_layers");
  config.hidden = file.require_count("hidden_size");
  config.feed_forward = file.require_count("intermediate_size");
  config.heads = file.require_count("num_attention_heads");
  config.positions = file.require_count("max_position_embeddings");
  config.vocabulary = file.require_count("vocab_size");
  config.token_types = file.has("type_vocab_size") ? file.require_count("type_vocab_size") : 2;
  config.norm_epsilon = file.number("layer_norm_eps").value_or(1e-12);
  if (config.hidden % config.heads != 0) {
    file.fail("num_attention_heads", "does not divide hidden_size");
  }
  return config;
}

void set_model_keys(const fs::path& folder, const BertConfig& config, gguf::Writer& writer) {
  const auto set_count = [&writer](const char* key, std::size_t value) {
    writer.set(key, static_cast<std::uint64_t>(value));
  };
  set_count("bert.block_count", config.layers);
  set_count("bert.context_length", config.positions);
  set_count("bert.embedding_length", config.hidden);
  set_count("bert.feed_forward_length", config.feed_forward);
  set_count("bert.attention.head_count", config.heads);
  writer.set("bert.attention.layer_norm_epsilon", config.norm_epsilon);
  writer.set("bert.attention.causal", false);
  if (const auto pooling = pooling_folder(folder)) {
    writer.set("bert.pooling_type",
               static_cast<std::uint64_t>(read_pooling(JsonFile(*pooling / "config.json"))));
  }
  set_count("tokenizer.ggml.token_type_count", config.token_types);
}

std::vector<TensorPlan> plan_tensors(const BertConfig& config) {
  const std::size_t hidden = config.hidden;
  std::vector<TensorPlan> plans;
  plans.push_back({"embeddings.word_embeddings.weight",
                   "token_embd.weight",
                   {config.vocabulary, hidden},
                   true});
  plans.push_back({"embeddings.position_embeddings.weight",
                   "position_embd.weight",
                   {config.positions, hidden},
                   false});
  plans.push_back({"embeddings.token_type_embeddings.weight",
                   "token_types.weight",
                   {config.token_types, hidden},
                   false});
  plan_norm(plans, "embeddings.LayerNorm", "token_embd_norm", hidden);
  for (std::size_t layer = 0; layer < config.layers; ++layer) {
    const std::string source = "encoder.layer." + std::to_string(layer);
    const std::string block = "blk." + std::to_string(layer);
    plan_linear(plans, source + ".attention.self.query", block + ".attn_q", hidden, hidden);
    plan_linear(plans, source + ".attention.self.key", block + ".attn_k", hidden, hidden);
    plan_linear(plans, source + ".attention.self.value", block + ".attn_v", hidden, hidden);
    plan_linear(plans, source + ".attention.output.dense", block + ".attn_output", hidden, hidden);
    plan_norm(plans, source + ".attention.output.LayerNorm", block + ".attn_output_norm", hidden);
    plan_linear(plans, source + ".intermediate.dense", block + ".ffn_up", config.feed_forward,
                hidden);
    plan_linear(plans, source + ".output.dense", block + ".ffn_down", hidden, config.feed_forward);
    plan_norm(plans, source + ".output.LayerNorm", block + ".layer_output_norm", hidden);
  }
  return plans;
}

bool is_ignored(std::string_view source) {
  constexpr std::array<std::string_view, 2> kExact = {"embeddings.position_ids",
                                                      "embeddings.token_type_ids"};
  constexpr std::array<std::string_view, 2> kPrefixes = {"pooler.dense.", "cls."};
  for (const std::string_view name : kExact) {
    if (source == name) return true;
  }
  for (const std::string_view prefix : kPrefixes) {
    if (source.substr(0, prefix.size()) == prefix) return true;
  }
  return false;
}

}  // namespace lore::engine::convert
