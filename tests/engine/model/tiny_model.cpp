#include "tests/engine/model/tiny_model.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "engine/gguf/writer.hpp"
#include "engine/quant/quantize.hpp"

namespace lore::test {
namespace {

namespace gguf = engine::gguf;
using engine::DType;
using engine::quantize_row;
using engine::row_bytes;

using Shape = std::vector<std::size_t>;
using Tensors = std::vector<std::pair<std::string, Shape>>;
using Keys = std::vector<std::pair<std::string, gguf::Value>>;

bool is_bert(const TinyModel& model) { return model.architecture == "bert"; }

gguf::Value number(std::size_t value) { return static_cast<std::uint64_t>(value); }

gguf::Value strings(std::vector<std::string> values) { return gguf::Array{{std::move(values)}}; }

void add_tokenizer(const TinyModel& model, Keys& keys) {
  std::vector<std::string> tokens;
  std::vector<float> scores(model.vocabulary);
  std::vector<std::int64_t> types(model.vocabulary, 1);
  if (is_bert(model)) {
    tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
    std::fill_n(types.begin(), 5, 3);
  } else {
    tokens = {"<unk>", "<s>", "</s>"};
    types[0] = 2;
    types[1] = types[2] = 3;
    for (int byte = 0; byte < 256; ++byte) {
      constexpr const char* kDigits = "0123456789ABCDEF";
      types[tokens.size()] = 6;
      tokens.push_back({'<', '0', 'x', kDigits[byte / 16], kDigits[byte % 16], '>'});
    }
  }
  const std::string start = "\xE2\x96\x81";  // U+2581
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    tokens.push_back(start);
    tokens.back() += letter;
  }
  while (tokens.size() < model.vocabulary) tokens.push_back(std::to_string(tokens.size()));
  tokens.resize(model.vocabulary);
  for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = -static_cast<float>(i);
  keys.emplace_back("tokenizer.ggml.model", std::string(is_bert(model) ? "bert" : "llama"));
  keys.emplace_back("tokenizer.ggml.tokens", strings(tokens));
  keys.emplace_back("tokenizer.ggml.scores", gguf::Array{{scores}});
  keys.emplace_back("tokenizer.ggml.token_type", gguf::Array{{types}});
  if (is_bert(model)) {
    keys.emplace_back("tokenizer.ggml.token_type_count", number(2));
    keys.emplace_back("tokenizer.ggml.unknown_token_id", number(1));
    keys.emplace_back("tokenizer.ggml.cls_token_id", number(2));
    keys.emplace_back("tokenizer.ggml.seperator_token_id", number(3));
    keys.emplace_back("tokenizer.ggml.padding_token_id", number(0));
    keys.emplace_back("tokenizer.ggml.mask_token_id", number(4));
  } else {
    keys.emplace_back("tokenizer.ggml.unknown_token_id", number(0));
    keys.emplace_back("tokenizer.ggml.bos_token_id", number(1));
    keys.emplace_back("tokenizer.ggml.eos_token_id", number(2));
  }
}

Keys all_keys(const TinyModel& model) {
  const std::string a = model.architecture + ".";
  Keys keys = {{"general.architecture", model.architecture},
               {"general.name", std::string("tiny")},
               {a + "block_count", number(model.layers)},
               {a + "context_length", number(model.context)},
               {a + "embedding_length", number(model.hidden)},
               {a + "feed_forward_length", number(model.feed_forward)},
               {a + "attention.head_count", number(model.heads)}};
  if (is_bert(model)) {
    keys.emplace_back(a + "attention.layer_norm_epsilon", 1e-12);
    keys.emplace_back(a + "attention.causal", false);
    keys.emplace_back(a + "pooling_type", number(1));
  } else {
    keys.emplace_back(a + "attention.head_count_kv", number(model.kv_heads));
    keys.emplace_back(a + "attention.key_length", number(model.head_dim));
    keys.emplace_back(a + "attention.value_length", number(model.head_dim));
    keys.emplace_back(a + "attention.layer_norm_rms_epsilon", 1e-5);
    keys.emplace_back(a + "rope.freq_base", 10000.0);
  }
  if (model.architecture == "gemma3") {
    keys.emplace_back(a + "attention.sliding_window", number(model.window));
    keys.emplace_back(a + "attention.sliding_window_pattern", number(2));
  }
  add_tokenizer(model, keys);
  return keys;
}

void add_bert_layer(const TinyModel& m, const std::string& p, Tensors& tensors) {
  const auto linear = [&](const std::string& name, std::size_t outputs, std::size_t inputs) {
    tensors.push_back({p + name + ".weight", {inputs, outputs}});
    tensors.push_back({p + name + ".bias", {outputs}});
  };
  for (const char* name : {"attn_q", "attn_k", "attn_v", "attn_output"}) {
    linear(name, m.hidden, m.hidden);
  }
  linear("ffn_up", m.feed_forward, m.hidden);
  linear("ffn_down", m.hidden, m.feed_forward);
  for (const char* name : {"attn_output_norm", "layer_output_norm"}) {
    tensors.push_back({p + name + ".weight", {m.hidden}});
    tensors.push_back({p + name + ".bias", {m.hidden}});
  }
}

void add_decoder_layer(const TinyModel& m, const std::string& p, Tensors& tensors) {
  const std::size_t q = m.heads * m.head_dim;
  const std::size_t kv = m.kv_heads * m.head_dim;
  tensors.push_back({p + "attn_norm.weight", {m.hidden}});
  tensors.push_back({p + "attn_q.weight", {m.hidden, q}});
  tensors.push_back({p + "attn_k.weight", {m.hidden, kv}});
  tensors.push_back({p + "attn_v.weight", {m.hidden, kv}});
  tensors.push_back({p + "attn_output.weight", {q, m.hidden}});
  tensors.push_back({p + "ffn_norm.weight", {m.hidden}});
  tensors.push_back({p + "ffn_gate.weight", {m.hidden, m.feed_forward}});
  tensors.push_back({p + "ffn_up.weight", {m.hidden, m.feed_forward}});
  tensors.push_back({p + "ffn_down.weight", {m.feed_forward, m.hidden}});
  if (m.architecture == "qwen2") {
    tensors.push_back({p + "attn_q.bias", {q}});
    tensors.push_back({p + "attn_k.bias", {kv}});
    tensors.push_back({p + "attn_v.bias", {kv}});
  }
  if (m.architecture == "gemma3") {
    tensors.push_back({p + "attn_q_norm.weight", {m.head_dim}});
    tensors.push_back({p + "attn_k_norm.weight", {m.head_dim}});
    tensors.push_back({p + "post_attention_norm.weight", {m.hidden}});
    tensors.push_back({p + "post_ffw_norm.weight", {m.hidden}});
  }
}

Tensors all_tensors(const TinyModel& m) {
  Tensors tensors = {{"token_embd.weight", {m.hidden, m.vocabulary}}};
  if (is_bert(m)) {
    tensors.push_back({"token_types.weight", {m.hidden, 2}});
    tensors.push_back({"position_embd.weight", {m.hidden, m.context}});
    tensors.push_back({"token_embd_norm.weight", {m.hidden}});
    tensors.push_back({"token_embd_norm.bias", {m.hidden}});
  } else {
    tensors.push_back({"output_norm.weight", {m.hidden}});
    if (!m.tied) tensors.push_back({"output.weight", {m.hidden, m.vocabulary}});
  }
  for (std::size_t layer = 0; layer < m.layers; ++layer) {
    std::string prefix = "blk.";
    prefix.append(std::to_string(layer)).append(".");
    if (is_bert(m)) {
      add_bert_layer(m, prefix, tensors);
    } else {
      add_decoder_layer(m, prefix, tensors);
    }
  }
  return tensors;
}

/// Random values of about the size that keeps activations near 1; norms are near 1.
std::vector<std::byte> random_tensor(const std::string& name, const Shape& shape, DType type,
                                     float factor, std::mt19937& random) {
  const std::size_t columns = shape[0];
  std::size_t rows = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) rows *= shape[i];
  const bool norm = name.find("norm.weight") != std::string::npos;
  const float size = shape.size() == 1 ? 0.3F : 1.7F / std::sqrt(static_cast<float>(columns));
  std::vector<std::byte> bytes(rows * row_bytes(type, columns));
  std::vector<float> row(columns);
  for (std::size_t r = 0; r < rows; ++r) {
    for (float& x : row) {
      // Integers divided by a power of two: the same values with every standard library.
      const float unit = static_cast<float>(static_cast<std::int32_t>(random() >> 8)) / 0x1p23F - 1;
      x = ((norm ? 1.0F : 0.0F) + size * unit) * factor;
    }
    quantize_row(type, row.data(), columns, bytes.data() + r * row_bytes(type, columns));
  }
  return bytes;
}

}  // namespace

void write_tiny_model(const TinyModel& model, const std::filesystem::path& path) {
  gguf::Writer writer;
  for (auto& [key, value] : all_keys(model)) {
    const auto change = model.keys.find(key);
    if (change == model.keys.end()) writer.set(key, value);
  }
  for (const auto& [key, value] : model.keys) {
    if (value) writer.set(key, *value);
  }
  std::mt19937 random(11);
  for (const auto& [name, right_shape] : all_tensors(model)) {
    const auto& without = model.without_tensors;
    const auto other = model.shapes.find(name);
    const Shape& shape = other == model.shapes.end() ? right_shape : other->second;
    const bool is_table = name == "token_types.weight" || name == "position_embd.weight";
    const bool is_float = shape.size() == 1 || (is_table && model.float_tables);
    const DType type = is_float ? DType::f32 : model.type;
    const auto factor = model.factors.find(name);
    const std::vector<std::byte> bytes = random_tensor(
        name, shape, type, factor == model.factors.end() ? 1.0F : factor->second, random);
    if (std::find(without.begin(), without.end(), name) != without.end()) continue;
    writer.add_tensor(name, type, shape, bytes);
  }
  writer.write(path);
}

std::vector<std::string> tiny_keys(const TinyModel& model) {
  std::vector<std::string> names;
  for (const auto& entry : all_keys(model)) names.push_back(entry.first);
  return names;
}

std::vector<std::string> tiny_tensors(const TinyModel& model) {
  std::vector<std::string> names;
  for (const auto& entry : all_tensors(model)) names.push_back(entry.first);
  return names;
}

}  // namespace lore::test
