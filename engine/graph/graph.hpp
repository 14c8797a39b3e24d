// What a model computes for a batch of tokens, as its family declares it: nodes over weights.
//
// Every node is a matrix [tokens, width] of float32; the number of tokens is the only free size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/gguf/gguf_file.hpp"

namespace lore::engine::graph {

using NodeId = std::uint32_t;
using WeightId = std::uint32_t;
using RopeId = std::uint32_t;
inline constexpr std::uint32_t kNone = 0xFFFFFFFFU;

/// How a weight is read: multiplied as a matrix, added or multiplied as a vector of float32, or
/// looked up row by row.
enum class WeightRole : std::uint8_t { matrix, vector, table };

struct Weight {
  const gguf::TensorInfo* tensor = nullptr;
  WeightRole role = WeightRole::matrix;
};

/// Rotary position embedding (Su et al. 2021): pair i of a head turns by
/// position * frequencies[i], times `magnitude` (1 but for YaRN, Peng et al. 2023).
struct Rope {
  std::vector<double> frequencies;  // [rotary_dim / 2]
  double magnitude = 1;
  bool interleaved = false;  ///< pairs (2i, 2i + 1), else (i, i + rotary_dim / 2)
};

enum class Lookup : std::uint8_t { token, position, first };
enum class Norm : std::uint8_t { rms, layer };
enum class Activation : std::uint8_t { gelu_erf, gelu_tanh, silu };

enum class NodeKind : std::uint8_t {
  lookup,     // a row of a table
  norm,       // over the whole row
  linear,     // weight * row + bias
  add,        // a + b
  scale,      // a * factor
  activate,   // activation(a)
  gated,      // activation(a) * b
  head_norm,  // RMS norm over each head
  rotate,     // rope over each head
  attention,  // of query a, keys b, values c
};

struct Node {
  NodeKind kind{};
  std::size_t width = 0;
  NodeId a = kNone, b = kNone, c = kNone;
  WeightId weight = kNone;
  WeightId bias = kNone;
  Lookup lookup{};
  Norm norm{};
  Activation activation{};
  float epsilon = 0;
  float factor = 1;
  RopeId rope = kNone;
  // attention
  std::size_t layer = 0;
  std::size_t heads = 0;
  std::size_t kv_heads = 0;
  std::size_t head_dim = 0;
  float score_scale = 1;
  float softcap = 0;       // 0 is off
  std::size_t window = 0;  // a token sees itself and window - 1 before it; 0 is all
  bool causal = true;
};

/// What attention is told beside its inputs.
struct AttentionShape {
  std::size_t heads = 0;
  std::size_t kv_heads = 0;
  std::size_t head_dim = 0;
  float score_scale = 1;
  float softcap = 0;
  std::size_t window = 0;
  bool causal = true;
};

/// The norm between the last layer and the output; `weight` kNone for none.
struct FinalNorm {
  Norm kind = Norm::rms;
  WeightId weight = kNone;
  WeightId bias = kNone;
  float epsilon = 0;
};

/// Built by a family in the order of computation; each method returns the node that it adds.
///
/// Thread safety: one thread at a time.
class Graph {
 public:
  WeightId weight(const gguf::TensorInfo& tensor, WeightRole role);
  RopeId rope(Rope rope);

  NodeId lookup(WeightId table, Lookup kind);
  NodeId norm(NodeId a, Norm kind, WeightId weight, WeightId bias, float epsilon);
  NodeId linear(NodeId a, WeightId weight, WeightId bias = kNone);
  NodeId add(NodeId a, NodeId b);
  NodeId scale(NodeId a, float factor);
  NodeId activate(NodeId a, Activation activation);
  NodeId gated(NodeId gate, NodeId up, Activation activation);
  NodeId head_norm(NodeId a, WeightId weight, float epsilon);
  NodeId rotate(NodeId a, RopeId rope);
  NodeId attention(NodeId query, NodeId key, NodeId value, const AttentionShape& shape);

  /// The rows that the last layer leaves; a final norm and an output layer over the vocabulary are
  /// computed only for the rows that are asked for.
  void finish(NodeId hidden, const FinalNorm& final_norm, WeightId output);

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Weight>& weights() const { return weights_; }
  const std::vector<Rope>& ropes() const { return ropes_; }
  NodeId hidden() const { return hidden_; }
  const FinalNorm& final_norm() const { return final_norm_; }
  WeightId output() const { return output_; }

 private:
  NodeId push(Node node);
  std::size_t width(NodeId node) const { return nodes_.at(node).width; }

  std::vector<Node> nodes_;
  std::vector<Weight> weights_;
  std::vector<Rope> ropes_;
  NodeId hidden_ = kNone;
  FinalNorm final_norm_;
  WeightId output_ = kNone;
  std::size_t attention_layers_ = 0;
};

}  // namespace lore::engine::graph
