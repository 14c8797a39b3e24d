#include "engine/graph/graph.hpp"

#include <utility>

#include "lore/error.hpp"

namespace lore::engine::graph {

NodeId Graph::push(Node node) {
  nodes_.push_back(node);
  return static_cast<NodeId>(nodes_.size() - 1);
}

WeightId Graph::weight(const gguf::TensorInfo& tensor, WeightRole role) {
  weights_.push_back({&tensor, role});
  return static_cast<WeightId>(weights_.size() - 1);
}

RopeId Graph::rope(Rope rope) {
  ropes_.push_back(std::move(rope));
  return static_cast<RopeId>(ropes_.size() - 1);
}

NodeId Graph::lookup(WeightId table, Lookup kind) {
  Node node{.kind = NodeKind::lookup};
  node.width = weights_.at(table).tensor->columns();
  node.weight = table;
  node.lookup = kind;
  return push(node);
}

NodeId Graph::norm(NodeId a, Norm kind, WeightId weight, WeightId bias, float epsilon) {
  Node node{.kind = NodeKind::norm, .width = width(a), .a = a};
  node.norm = kind;
  node.weight = weight;
  node.bias = bias;
  node.epsilon = epsilon;
  return push(node);
}

NodeId Graph::linear(NodeId a, WeightId weight, WeightId bias) {
  const gguf::TensorInfo& tensor = *weights_.at(weight).tensor;
  LORE_ASSERT(tensor.columns() == width(a));
  Node node{.kind = NodeKind::linear, .width = tensor.rows(), .a = a};
  node.weight = weight;
  node.bias = bias;
  return push(node);
}

NodeId Graph::add(NodeId a, NodeId b) {
  LORE_ASSERT(width(a) == width(b));
  return push({.kind = NodeKind::add, .width = width(a), .a = a, .b = b});
}

NodeId Graph::scale(NodeId a, float factor) {
  Node node{.kind = NodeKind::scale, .width = width(a), .a = a};
  node.factor = factor;
  return push(node);
}

NodeId Graph::activate(NodeId a, Activation activation) {
  Node node{.kind = NodeKind::activate, .width = width(a), .a = a};
  node.activation = activation;
  return push(node);
}

NodeId Graph::gated(NodeId gate, NodeId up, Activation activation) {
  LORE_ASSERT(width(gate) == width(up));
  Node node{.kind = NodeKind::gated, .width = width(gate), .a = gate, .b = up};
  node.activation = activation;
  return push(node);
}

NodeId Graph::head_norm(NodeId a, WeightId weight, float epsilon) {
  Node node{.kind = NodeKind::head_norm, .width = width(a), .a = a};
  node.weight = weight;
  node.epsilon = epsilon;
  return push(node);
}

NodeId Graph::rotate(NodeId a, RopeId rope) {
  Node node{.kind = NodeKind::rotate, .width = width(a), .a = a};
  node.rope = rope;
  return push(node);
}

NodeId Graph::attention(NodeId query, NodeId key, NodeId value, const AttentionShape& shape) {
  LORE_ASSERT(width(query) == shape.heads * shape.head_dim);
  LORE_ASSERT(width(key) == shape.kv_heads * shape.head_dim && width(value) == width(key));
  Node node{.kind = NodeKind::attention, .width = width(query), .a = query, .b = key, .c = value};
  node.layer = attention_layers_++;
  node.heads = shape.heads;
  node.kv_heads = shape.kv_heads;
  node.head_dim = shape.head_dim;
  node.score_scale = shape.score_scale;
  node.softcap = shape.softcap;
  node.window = shape.window;
  node.causal = shape.causal;
  return push(node);
}

void Graph::finish(NodeId hidden, const FinalNorm& final_norm, WeightId output) {
  hidden_ = hidden;
  final_norm_ = final_norm;
  output_ = output;
}

}  // namespace lore::engine::graph
