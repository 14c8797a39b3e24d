// Gemma 3, text: norms before and after attention and feed-forward, RMS norm over each head of
// query and key, five layers with a sliding window and a short rotary base to one that sees
// everything (Gemma team 2025).
#include <cmath>

#include "engine/model/decoder_parts.hpp"
#include "engine/model/families.hpp"
#include "engine/model/limits.hpp"

namespace lore::engine::model {
namespace {

constexpr std::size_t kPattern = 6;       // every sixth layer sees everything
constexpr double kLocalBase = 10000;      // rotary base of the others
constexpr std::size_t kLayersOf27B = 62;  // the one size whose scores are scaled otherwise

float score_scale(const DecoderSizes& sizes) {
  const std::size_t divisor =
      sizes.layers == kLayersOf27B ? sizes.hidden / sizes.heads : sizes.head_dim;
  return 1.0F / std::sqrt(static_cast<float>(divisor));
}

/// x + norm(part): the norm after a part of the layer.
graph::NodeId add_normed(Builder& builder, const DecoderSizes& sizes, const std::string& name,
                         graph::NodeId x, graph::NodeId part) {
  return builder.graph().add(x, rms_norm(builder, sizes, name, part));
}

}  // namespace

Description build_gemma3(Builder& builder) {
  const DecoderSizes sizes = read_decoder_sizes(builder);
  if (builder.number_or("final_logit_softcapping", 0, 0, 1e6) > 0) {
    builder.refuse("a soft cap on logits is not supported");
  }
  graph::Graph& graph = builder.graph();
  const graph::RopeId global_rope = graph.rope(read_rope(builder, sizes.head_dim, false));
  graph::Rope local;
  local.frequencies = rope_frequencies(
      sizes.head_dim, builder.number_or("rope.freq_base_swa", kLocalBase, 1.0001, 1e15));
  const graph::RopeId local_rope = graph.rope(std::move(local));
  const std::size_t pattern =
      builder.count_or("attention.sliding_window_pattern", kPattern, 1, kMostLayers);
  graph::AttentionShape shape;
  shape.heads = sizes.heads;
  shape.kv_heads = sizes.kv_heads;
  shape.head_dim = sizes.head_dim;
  shape.score_scale = score_scale(sizes);
  const std::size_t window = builder.count("attention.sliding_window", 1, kMostContext);

  graph::NodeId x = graph.lookup(builder.table("token_embd.weight", sizes.vocabulary, sizes.hidden),
                                 graph::Lookup::token);
  x = graph.scale(x, std::sqrt(static_cast<float>(sizes.hidden)));
  for (std::size_t layer = 0; layer < sizes.layers; ++layer) {
    const std::string prefix = layer_prefix(layer);
    const bool is_global = (layer + 1) % pattern == 0;
    const graph::RopeId rope = is_global ? global_rope : local_rope;
    shape.window = is_global ? 0 : window;
    const graph::NodeId normed = rms_norm(builder, sizes, prefix + "attn_norm.weight", x);
    const Projections p = project(builder, sizes, prefix, normed, false);
    const auto turned = [&](graph::NodeId node, const std::string& name) {
      const graph::WeightId weight = builder.vector(prefix + name, sizes.head_dim);
      return graph.rotate(graph.head_norm(node, weight, sizes.epsilon), rope);
    };
    const graph::NodeId query = turned(p.query, "attn_q_norm.weight");
    const graph::NodeId key = turned(p.key, "attn_k_norm.weight");
    const graph::NodeId attended = graph.attention(query, key, p.value, shape);
    const graph::NodeId output = graph.linear(
        attended, builder.matrix(prefix + "attn_output.weight", sizes.hidden, sizes.query_width()));
    x = add_normed(builder, sizes, prefix + "post_attention_norm.weight", x, output);
    const graph::NodeId inner = rms_norm(builder, sizes, prefix + "ffn_norm.weight", x);
    const graph::NodeId fed =
        gated_feed_forward(builder, sizes, prefix, inner, graph::Activation::gelu_tanh);
    x = add_normed(builder, sizes, prefix + "post_ffw_norm.weight", x, fed);
  }
  return finish_decoder(builder, sizes, x);
}

}  // namespace lore::engine::model
