// Llama and what is built like it (SmolLM2, TinyLlama, Mistral): pre-norm with RMS norm, rotary
// positions in neighbouring pairs, grouped heads, SwiGLU (Touvron et al. 2023; Jiang et al. 2023
// for the sliding window).
#include <cmath>

#include "engine/model/decoder_parts.hpp"
#include "engine/model/families.hpp"
#include "engine/model/limits.hpp"

namespace lore::engine::model {

Description build_llama(Builder& builder) {
  const DecoderSizes sizes = read_decoder_sizes(builder);
  graph::Graph& graph = builder.graph();
  const graph::RopeId rope = graph.rope(read_rope(builder, sizes.head_dim, true));
  graph::AttentionShape shape;
  shape.heads = sizes.heads;
  shape.kv_heads = sizes.kv_heads;
  shape.head_dim = sizes.head_dim;
  shape.score_scale = 1.0F / std::sqrt(static_cast<float>(sizes.head_dim));
  shape.window = builder.count_or("attention.sliding_window", 0, 0, kMostContext);

  graph::NodeId x = graph.lookup(builder.table("token_embd.weight", sizes.vocabulary, sizes.hidden),
                                 graph::Lookup::token);
  for (std::size_t layer = 0; layer < sizes.layers; ++layer) {
    const std::string prefix = layer_prefix(layer);
    const graph::NodeId normed = rms_norm(builder, sizes, prefix + "attn_norm.weight", x);
    const Projections p = project(builder, sizes, prefix, normed, false);
    const graph::NodeId attended =
        graph.attention(graph.rotate(p.query, rope), graph.rotate(p.key, rope), p.value, shape);
    const graph::NodeId output = graph.linear(
        attended, builder.matrix(prefix + "attn_output.weight", sizes.hidden, sizes.query_width()),
        builder.vector_if_present(prefix + "attn_output.bias", sizes.hidden));
    x = graph.add(x, output);
    const graph::NodeId inner = rms_norm(builder, sizes, prefix + "ffn_norm.weight", x);
    x = graph.add(x, gated_feed_forward(builder, sizes, prefix, inner, graph::Activation::silu));
  }
  return finish_decoder(builder, sizes, x);
}

}  // namespace lore::engine::model
