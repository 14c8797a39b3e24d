// BERT encoders (Devlin et al. 2019): learned positions, token type 0, norms after each part, exact
// GELU, every token sees every other.
#include <cmath>

#include "engine/model/builder.hpp"
#include "engine/model/decoder_parts.hpp"
#include "engine/model/families.hpp"
#include "engine/model/limits.hpp"

namespace lore::engine::model {
namespace {

struct Sizes {
  std::size_t layers, hidden, feed_forward, context, heads, vocabulary;
  float epsilon;
};

Sizes read_sizes(const Builder& builder) {
  Sizes sizes{};
  sizes.layers = builder.count("block_count", 1, kMostLayers);
  sizes.hidden = builder.count("embedding_length", 1, kMostWidth);
  sizes.feed_forward = builder.count("feed_forward_length", 1, kMostWidth);
  sizes.context = builder.count("context_length", 1, kMostContext);
  sizes.heads = builder.count("attention.head_count", 1, kMostHeads);
  if (sizes.hidden % sizes.heads != 0 || sizes.hidden / sizes.heads > kMostHeadDim) {
    builder.reject("embedding_length (" + std::to_string(sizes.hidden) +
                       ") cannot be cut into attention.head_count (" + std::to_string(sizes.heads) +
                       ") heads",
                   "attention.head_count");
  }
  sizes.epsilon = static_cast<float>(builder.number("attention.layer_norm_epsilon", 0, 1));
  sizes.vocabulary = builder.tensor_rows("token_embd.weight");
  return sizes;
}

class BertGraph {
 public:
  BertGraph(Builder& builder, const Sizes& sizes)
      : builder_(builder), graph_(builder.graph()), sizes_(sizes) {}

  graph::NodeId embeddings() {
    const auto look_up = [&](const std::string& name, std::size_t rows, graph::Lookup kind) {
      return graph_.lookup(builder_.table(name, rows, sizes_.hidden), kind);
    };
    graph::NodeId x = look_up("token_embd.weight", sizes_.vocabulary, graph::Lookup::token);
    if (builder_.has_tensor("token_types.weight")) {
      x = graph_.add(x, look_up("token_types.weight", 1, graph::Lookup::first));
    }
    x = graph_.add(x, look_up("position_embd.weight", sizes_.context, graph::Lookup::position));
    return norm("token_embd_norm", x);
  }

  graph::NodeId layer(const std::string& prefix, graph::NodeId x) {
    graph::AttentionShape shape;
    shape.heads = shape.kv_heads = sizes_.heads;
    shape.head_dim = sizes_.hidden / sizes_.heads;
    shape.score_scale = 1.0F / std::sqrt(static_cast<float>(shape.head_dim));
    shape.causal = false;
    const std::size_t width = sizes_.hidden;
    const graph::NodeId query = linear(prefix + "attn_q", x, width, width);
    const graph::NodeId key = linear(prefix + "attn_k", x, width, width);
    const graph::NodeId value = linear(prefix + "attn_v", x, width, width);
    const graph::NodeId attended = graph_.attention(query, key, value, shape);
    const graph::NodeId output = linear(prefix + "attn_output", attended, width, width);
    x = norm(prefix + "attn_output_norm", graph_.add(x, output));
    const graph::NodeId up = linear(prefix + "ffn_up", x, sizes_.feed_forward, width);
    const graph::NodeId down =
        linear(prefix + "ffn_down", graph_.activate(up, graph::Activation::gelu_erf), width,
               sizes_.feed_forward);
    return norm(prefix + "layer_output_norm", graph_.add(x, down));
  }

 private:
  graph::NodeId linear(const std::string& name, graph::NodeId x, std::size_t outputs,
                       std::size_t inputs) {
    return graph_.linear(x, builder_.matrix(name + ".weight", outputs, inputs),
                         builder_.vector_if_present(name + ".bias", outputs));
  }

  graph::NodeId norm(const std::string& name, graph::NodeId x) {
    return graph_.norm(x, graph::Norm::layer, builder_.vector(name + ".weight", sizes_.hidden),
                       builder_.vector(name + ".bias", sizes_.hidden), sizes_.epsilon);
  }

  Builder& builder_;
  graph::Graph& graph_;
  const Sizes& sizes_;
};

}  // namespace

Description build_bert(Builder& builder) {
  const Sizes sizes = read_sizes(builder);
  if (builder.flag_or("attention.causal", false)) {
    builder.refuse("a causal BERT is not supported");
  }
  BertGraph bert(builder, sizes);
  graph::NodeId x = bert.embeddings();
  for (std::size_t layer = 0; layer < sizes.layers; ++layer) {
    x = bert.layer(layer_prefix(layer), x);
  }
  builder.graph().finish(x, {}, graph::kNone);
  Description description;
  description.layers = sizes.layers;
  description.hidden_size = sizes.hidden;
  description.context = sizes.context;
  description.vocabulary = sizes.vocabulary;
  return description;
}

}  // namespace lore::engine::model
