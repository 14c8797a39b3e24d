#include "tests/engine/convert/tiny_bert.hpp"

#include <cstring>
#include <stdexcept>

namespace lore::test {

std::string safetensors_bytes(const std::string& header, const std::string& data) {
  std::string bytes;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    bytes += static_cast<char>((std::uint64_t{header.size()} >> shift) & 0xFFU);
  }
  return bytes + header + data;
}

std::string safetensors_bytes(const std::vector<TinyTensor>& tensors) {
  nlohmann::ordered_json header = {{"__metadata__", {{"format", "pt"}}}};
  std::string data;
  for (const TinyTensor& tensor : tensors) {
    header[tensor.name] = {{"dtype", tensor.dtype},
                           {"shape", tensor.shape},
                           {"data_offsets", {data.size(), data.size() + tensor.bytes.size()}}};
    data += tensor.bytes;
  }
  return safetensors_bytes(header.dump(), data);
}

TinyBert::TinyBert() {
  config = {{"model_type", "bert"},     {"hidden_act", "gelu"},    {"hidden_size", 32},
            {"intermediate_size", 64},  {"layer_norm_eps", 1e-12}, {"max_position_embeddings", 16},
            {"num_attention_heads", 2}, {"num_hidden_layers", 1},  {"type_vocab_size", 2},
            {"vocab_size", 8}};
  const auto add_pair = [this](const std::string& name, std::vector<std::size_t> shape) {
    add(name + ".weight", shape);
    add(name + ".bias", {shape[0]});
  };
  add("embeddings.word_embeddings.weight", {8, 32});
  add("embeddings.position_embeddings.weight", {16, 32});
  add("embeddings.token_type_embeddings.weight", {2, 32});
  add_pair("embeddings.LayerNorm", {32});
  const std::string layer = "encoder.layer.0.";
  for (const char* name : {"attention.self.query", "attention.self.key", "attention.self.value",
                           "attention.output.dense"}) {
    add_pair(layer + name, {32, 32});
  }
  add_pair(layer + "attention.output.LayerNorm", {32});
  add_pair(layer + "intermediate.dense", {64, 32});
  add_pair(layer + "output.dense", {32, 64});
  add_pair(layer + "output.LayerNorm", {32});
}

void TinyBert::add(const std::string& name, std::vector<std::size_t> shape) {
  std::size_t count = 1;
  for (const std::size_t size : shape) count *= size;
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    // Eighths below 16: exact in every float type.
    const float value =
        static_cast<float>(static_cast<int>((i * 7 + tensors.size()) % 255) - 127) / 8.0F;
    char buffer[sizeof value];
    std::memcpy(buffer, &value, sizeof value);
    bytes.append(buffer, sizeof value);
  }
  tensors.push_back({name, "F32", std::move(shape), std::move(bytes)});
}

TinyTensor& TinyBert::tensor(const std::string& name) {
  for (TinyTensor& tensor : tensors) {
    if (tensor.name == name) return tensor;
  }
  throw std::runtime_error("no tensor " + name);
}

void TinyBert::write(const TemporaryFolder& folder) const {
  folder.write("config.json", config.dump());
  folder.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\n##ing\n\xE6\xB0\xB4\n[MASK]\n");
  folder.write("modules.json",
               R"([{"idx":0,"path":"","type":"sentence_transformers.models.Transformer"},
                   {"idx":1,"path":"1_Pooling","type":"sentence_transformers.models.Pooling"},
                   {"idx":2,"path":"2_N","type":"sentence_transformers.models.Normalize"}])");
  folder.write("1_Pooling/config.json",
               R"({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false})");
  folder.write("model.safetensors", safetensors_bytes(tensors));
}

}  // namespace lore::test
