#include "engine/model/decoder_parts.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/gguf/quote.hpp"
#include "engine/model/limits.hpp"
#include "engine/quant/dequantize.hpp"

namespace lore::engine::model {

using graph::NodeId;
using graph::WeightId;

DecoderSizes read_decoder_sizes(const Builder& builder) {
  DecoderSizes sizes;
  sizes.layers = builder.count("block_count", 1, kMostLayers);
  sizes.hidden = builder.count("embedding_length", 1, kMostWidth);
  sizes.feed_forward = builder.count("feed_forward_length", 1, kMostWidth);
  sizes.context = builder.count("context_length", 1, kMostContext);
  sizes.heads = builder.count("attention.head_count", 1, kMostHeads);
  sizes.kv_heads = builder.count_or("attention.head_count_kv", sizes.heads, 1, sizes.heads);
  if (sizes.heads % sizes.kv_heads != 0) {
    builder.reject("attention.head_count (" + std::to_string(sizes.heads) +
                       ") is not a multiple of attention.head_count_kv (" +
                       std::to_string(sizes.kv_heads) + ")",
                   "attention.head_count_kv");
  }
  if (!builder.has("attention.key_length") && sizes.hidden % sizes.heads != 0) {
    builder.reject("embedding_length (" + std::to_string(sizes.hidden) +
                       ") is not a multiple of attention.head_count (" +
                       std::to_string(sizes.heads) + ")",
                   "attention.head_count");
  }
  sizes.head_dim =
      builder.count_or("attention.key_length", sizes.hidden / sizes.heads, 1, kMostHeadDim);
  if (sizes.head_dim == 0 || sizes.head_dim > kMostHeadDim) {
    builder.reject("a head of " + std::to_string(sizes.head_dim) + " values makes no sense",
                   "attention.head_count");
  }
  if (builder.count_or("attention.value_length", sizes.head_dim, 1, kMostHeadDim) !=
      sizes.head_dim) {
    builder.refuse("keys and values of different lengths are not supported");
  }
  if (builder.count_or("expert_count", 0, 0, kMostWidth) != 0) {
    builder.refuse("mixtures of experts are not supported");
  }
  sizes.epsilon = static_cast<float>(builder.number("attention.layer_norm_rms_epsilon", 0, 1));
  sizes.vocabulary = builder.tensor_rows("token_embd.weight");
  return sizes;
}

std::vector<double> rope_frequencies(std::size_t rotary_dim, double base) {
  std::vector<double> frequencies(rotary_dim / 2);
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    frequencies[i] =
        std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(rotary_dim));
  }
  return frequencies;
}

namespace {

/// Peng et al. 2023 ("YaRN"), sections 3.2 to 3.4: slow pairs are interpolated, fast ones kept,
/// with a ramp between; scores grow by a temperature.
void scale_yarn(const Builder& builder, double base, double factor, graph::Rope& rope) {
  const double pairs = static_cast<double>(rope.frequencies.size());
  const double original =
      static_cast<double>(builder.count("rope.scaling.original_context_length", 1, kMostContext));
  const auto pair_of = [&](double rotations) {
    return pairs * std::log(original / (rotations * 2 * std::numbers::pi)) / std::log(base);
  };
  const double fast = builder.number_or("rope.scaling.yarn_beta_fast", 32, 1e-3, 1e6);
  const double slow = builder.number_or("rope.scaling.yarn_beta_slow", 1, 1e-3, 1e6);
  const double low = std::clamp(std::floor(pair_of(fast)), 0.0, 2 * pairs - 1);
  const double high = std::clamp(std::ceil(pair_of(slow)), 0.0, 2 * pairs - 1);
  for (std::size_t i = 0; i < rope.frequencies.size(); ++i) {
    const double ramp =
        std::clamp((static_cast<double>(i) - low) / std::max(high - low, 1e-3), 0.0, 1.0);
    rope.frequencies[i] *= (1 - ramp) + ramp / factor;
  }
  rope.magnitude =
      builder.number_or("rope.scaling.attn_factor", 1, 0, 1e6) * (1 + 0.1 * std::log(factor));
}

void apply_factors(const Builder& builder, graph::Rope& rope) {
  const gguf::TensorInfo* tensor = builder.file().find("rope_freqs.weight");
  if (tensor == nullptr) return;
  if (tensor->columns() != rope.frequencies.size() || tensor->rows() != 1) {
    builder.reject("tensor rope_freqs.weight has not one value for each of " +
                       std::to_string(rope.frequencies.size()) + " pairs",
                   "rope_freqs.weight");
  }
  std::vector<float> factors(tensor->columns());
  dequantize_row(tensor->type, tensor->data.data(), factors.size(), factors.data());
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (!(std::abs(factors[i]) > 1e-6F) || !std::isfinite(factors[i])) {
      builder.reject("tensor rope_freqs.weight holds a factor that is no number or zero",
                     "rope_freqs.weight");
    }
    rope.frequencies[i] /= static_cast<double>(factors[i]);
  }
}

}  // namespace

graph::Rope read_rope(const Builder& builder, std::size_t head_dim, bool interleaved) {
  const std::size_t rotary = builder.count_or("rope.dimension_count", head_dim, 2, head_dim);
  if (rotary % 2 != 0 || rotary > head_dim) {
    builder.reject("rope.dimension_count (" + std::to_string(rotary) +
                       ") is not an even number of a head's " + std::to_string(head_dim) +
                       " values",
                   "rope.dimension_count");
  }
  const double base = builder.number_or("rope.freq_base", 10000, 1.0001, 1e15);
  graph::Rope rope;
  rope.interleaved = interleaved;
  rope.frequencies = rope_frequencies(rotary, base);
  const double legacy = builder.number_or("rope.scale_linear", 1, 1e-6, 1e6);
  const double factor = builder.number_or("rope.scaling.factor", legacy, 0, 1e6);
  const std::string scaling =
      builder.text_or("rope.scaling.type", factor > 0 && factor != 1 ? "linear" : "none");
  if (scaling == "linear" && factor > 0) {
    for (double& frequency : rope.frequencies) frequency /= factor;
  } else if (scaling == "yarn" && factor > 0) {
    scale_yarn(builder, base, factor, rope);
  } else if (scaling != "none" && scaling != "linear" && scaling != "llama3") {
    builder.refuse("rope scaling " + gguf::quote(scaling) +
                   " is not supported (none, linear, yarn are)");
  }
  apply_factors(builder, rope);
  return rope;
}

std::string layer_prefix(std::size_t layer) { return "blk." + std::to_string(layer) + "."; }

Projections project(Builder& builder, const DecoderSizes& sizes, const std::string& prefix,
                    NodeId x, bool require_bias) {
  const auto one = [&](const std::string& name, std::size_t width) {
    const WeightId weight = builder.matrix(prefix + name + ".weight", width, sizes.hidden);
    const std::string bias_name = prefix + name + ".bias";
    const WeightId bias = require_bias ? builder.vector(bias_name, width)
                                       : builder.vector_if_present(bias_name, width);
    return builder.graph().linear(x, weight, bias);
  };
  Projections result{};
  result.query = one("attn_q", sizes.query_width());
  result.key = one("attn_k", sizes.kv_width());
  result.value = one("attn_v", sizes.kv_width());
  return result;
}

NodeId gated_feed_forward(Builder& builder, const DecoderSizes& sizes, const std::string& prefix,
                          NodeId x, graph::Activation activation) {
  graph::Graph& graph = builder.graph();
  const NodeId gate =
      graph.linear(x, builder.matrix(prefix + "ffn_gate.weight", sizes.feed_forward, sizes.hidden));
  const NodeId up =
      graph.linear(x, builder.matrix(prefix + "ffn_up.weight", sizes.feed_forward, sizes.hidden));
  return graph.linear(graph.gated(gate, up, activation),
                      builder.matrix(prefix + "ffn_down.weight", sizes.hidden, sizes.feed_forward));
}

NodeId rms_norm(Builder& builder, const DecoderSizes& sizes, const std::string& name, NodeId x) {
  return builder.graph().norm(x, graph::Norm::rms, builder.vector(name, sizes.hidden), graph::kNone,
                              sizes.epsilon);
}

Description finish_decoder(Builder& builder, const DecoderSizes& sizes, NodeId hidden) {
  graph::FinalNorm norm;
  norm.weight = builder.vector("output_norm.weight", sizes.hidden);
  norm.epsilon = sizes.epsilon;
  const bool tied = !builder.has_tensor("output.weight");
  const WeightId output =
      builder.matrix(tied ? "token_embd.weight" : "output.weight", sizes.vocabulary, sizes.hidden);
  builder.graph().finish(hidden, norm, output);
  Description description;
  description.layers = sizes.layers;
  description.hidden_size = sizes.hidden;
  description.context = sizes.context;
  description.vocabulary = sizes.vocabulary;
  description.causal = true;
  description.generates = true;
  return description;
}

}  // namespace lore::engine::model
