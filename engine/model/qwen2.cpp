// Qwen 2 and 2.5: as Llama, with biases on query, key and value, and rotary positions in pairs half
// a head apart (Qwen team 2024).
#include <cmath>

#include "engine/model/decoder_parts.hpp"
#include "engine/model/families.hpp"

namespace lore::engine::model {

Description build_qwen2(Builder& builder) {
  const DecoderSizes sizes = read_decoder_sizes(builder);
  graph::Graph& graph = builder.graph();
  const graph::RopeId rope = graph.rope(read_rope(builder, sizes.head_dim, false));
  graph::AttentionShape shape;
  shape.heads = sizes.heads;
  shape.kv_heads = sizes.kv_heads;
  shape.head_dim = sizes.head_dim;
  shape.score_scale = 1.0F / std::sqrt(static_cast<float>(sizes.head_dim));
  shape.causal = builder.flag_or("attention.causal", true);

  graph::NodeId x = graph.lookup(builder.table("token_embd.weight", sizes.vocabulary, sizes.hidden),
                                 graph::Lookup::token);
  for (std::size_t layer = 0; layer < sizes.layers; ++layer) {
    const std::string prefix = layer_prefix(layer);
    const graph::NodeId normed = rms_norm(builder, sizes, prefix + "attn_norm.weight", x);
    const Projections p = project(builder, sizes, prefix, normed, true);
    const graph::NodeId attended =
        graph.attention(graph.rotate(p.query, rope), graph.rotate(p.key, rope), p.value, shape);
    const graph::NodeId output = graph.linear(
        attended, builder.matrix(prefix + "attn_output.weight", sizes.hidden, sizes.query_width()));
    x = graph.add(x, output);
    const graph::NodeId inner = rms_norm(builder, sizes, prefix + "ffn_norm.weight", x);
    x = graph.add(x, gated_feed_forward(builder, sizes, prefix, inner, graph::Activation::silu));
  }
  Description description = finish_decoder(builder, sizes, x);
  description.causal = shape.causal;
  description.generates = shape.causal;
  return description;
}

}  // namespace lore::engine::model
