// What the families of decoders have in common.
#pragma once

#include <cstddef>
#include <string>

#include "engine/model/builder.hpp"

namespace lore::engine::model {

/// Sizes that every decoder's file gives, checked against each other.
struct DecoderSizes {
  std::size_t layers = 0;
  std::size_t hidden = 0;
  std::size_t feed_forward = 0;
  std::size_t context = 0;
  std::size_t vocabulary = 0;
  std::size_t heads = 0;
  std::size_t kv_heads = 0;
  std::size_t head_dim = 0;
  float epsilon = 0;  // of RMS norm

  std::size_t query_width() const { return heads * head_dim; }
  std::size_t kv_width() const { return kv_heads * head_dim; }
};

DecoderSizes read_decoder_sizes(const Builder& builder);

/// The rotation that `rope.*` describes: base, linear or YaRN scaling, and the factors of the
/// tensor rope_freqs.weight (Llama 3.1). Throws Error{unsupported} for another scaling.
graph::Rope read_rope(const Builder& builder, std::size_t head_dim, bool interleaved);

/// base^(-2i / rotary_dim) for each pair i.
std::vector<double> rope_frequencies(std::size_t rotary_dim, double base);

/// "blk.3." for layer 3.
std::string layer_prefix(std::size_t layer);

/// attn_q, attn_k and attn_v over `x`, with biases where the file has them (or must, if
/// `require_bias`).
struct Projections {
  graph::NodeId query, key, value;
};
Projections project(Builder& builder, const DecoderSizes& sizes, const std::string& prefix,
                    graph::NodeId x, bool require_bias);

/// ffn_down(activation(ffn_gate(x)) * ffn_up(x)).
graph::NodeId gated_feed_forward(Builder& builder, const DecoderSizes& sizes,
                                 const std::string& prefix, graph::NodeId x,
                                 graph::Activation activation);

graph::NodeId rms_norm(Builder& builder, const DecoderSizes& sizes, const std::string& name,
                       graph::NodeId x);

/// Final norm and output layer: output.weight, or the token table where the two are tied.
Description finish_decoder(Builder& builder, const DecoderSizes& sizes, graph::NodeId hidden);

}  // namespace lore::engine::model
