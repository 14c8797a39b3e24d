#include "engine/graph/fuse.hpp"

#include <algorithm>

#include "lore/error.hpp"

namespace lore::engine::graph {
namespace {

class Fuser {
 public:
  explicit Fuser(const Graph& graph) : graph_(graph), nodes_(graph.nodes()) {
    program_.weights = graph.weights();
    program_.ropes = graph.ropes();
    users_.resize(nodes_.size());
    values_.resize(nodes_.size());
    for (NodeId id = 0; id < nodes_.size(); ++id) {
      for (const NodeId input : {nodes_[id].a, nodes_[id].b, nodes_[id].c}) {
        if (input != kNone) users_[input].push_back(id);
      }
    }
  }

  Program run() {
    for (RopeId rope = 0; rope < program_.ropes.size(); ++rope) add_angles(rope);
    for (NodeId id = 0; id < nodes_.size(); ++id) {
      if (!values_[id].done) visit(id);
    }
    close_row_step();
    add_outputs();
    return std::move(program_);
  }

 private:
  /// Where the value of a node stands.
  struct Value {
    bool done = false;
    SlotId rows = kNone;
    SlotId prepared = kNone;
  };

  const Node& node(NodeId id) const { return nodes_[id]; }
  bool is(NodeId id, NodeKind kind) const { return nodes_[id].kind == kind; }
  NodeId only_user(NodeId id) const {
    return users_[id].size() == 1 && id != graph_.hidden() ? users_[id][0] : kNone;
  }
  bool feeds_linears_only(NodeId id) const {
    return id != graph_.hidden() && !users_[id].empty() &&
           std::all_of(users_[id].begin(), users_[id].end(),
                       [&](NodeId user) { return is(user, NodeKind::linear); });
  }

  SlotId new_slot(SlotKind kind, std::size_t width) {
    Slot slot;
    slot.kind = kind;
    slot.width = width;
    program_.slots.push_back(std::move(slot));
    return static_cast<SlotId>(program_.slots.size() - 1);
  }

  DType weight_type(WeightId weight) const { return program_.weights[weight].tensor->type; }

  /// The slot that holds the rows of `id` in the form its linear users need.
  SlotId new_prepared(NodeId id) {
    const SlotId slot = new_slot(SlotKind::prepared, node(id).width);
    for (const NodeId user : users_[id]) {
      if (!is(user, NodeKind::linear)) continue;
      std::vector<DType>& readers = program_.slots[slot].readers;
      const DType type = weight_type(node(user).weight);
      if (std::find(readers.begin(), readers.end(), type) == readers.end()) readers.push_back(type);
    }
    values_[id].prepared = slot;
    return slot;
  }

  void push_row_op(const RowOp& op) { row_ops_.push_back(op); }

  void close_row_step() {
    if (row_ops_.empty()) return;
    program_.body.emplace_back(RowStep{.ops = std::move(row_ops_)});
    row_ops_.clear();
  }

  void add_angles(RopeId rope) {
    const std::size_t width = 2 * program_.ropes[rope].frequencies.size();
    RowOp op{.kind = RowOpKind::rope_angles};
    op.out = new_slot(SlotKind::rows, width);
    op.rope = rope;
    angles_.push_back(op.out);
    push_row_op(op);
  }

  void visit(NodeId id) {
    switch (node(id).kind) {
      case NodeKind::linear:
        emit_products(id);
        break;
      case NodeKind::attention:
        emit_attention(id);
        break;
      case NodeKind::head_norm:
      case NodeKind::rotate:
        break;  // taken up by attention
      default:
        emit_row_op(id);
    }
  }

  static RowOpKind row_op_kind(const Node& node) {
    switch (node.kind) {
      case NodeKind::lookup:
        return RowOpKind::lookup;
      case NodeKind::norm:
        return node.norm == Norm::rms ? RowOpKind::rms_norm : RowOpKind::layer_norm;
      case NodeKind::add:
        return RowOpKind::add;
      case NodeKind::scale:
        return RowOpKind::scale;
      case NodeKind::activate:
        return RowOpKind::activate;
      default:
        return RowOpKind::gated;
    }
  }

  void emit_row_op(NodeId id) {
    const Node& from = node(id);
    RowOp op{.kind = row_op_kind(from)};
    if (from.a != kNone) op.a = values_[from.a].rows;
    if (from.b != kNone) op.b = values_[from.b].rows;
    op.weight = from.weight;
    op.bias = from.bias;
    op.lookup = from.lookup;
    op.activation = from.activation;
    op.epsilon = from.epsilon;
    op.factor = from.factor;
    op.out = new_slot(SlotKind::rows, from.width);
    values_[id] = {.done = true, .rows = op.out};
    push_row_op(op);
    prepare_for_linears(id);
  }

  /// Appends the preparation of a row value where products will read it.
  void prepare_for_linears(NodeId id) {
    const bool any = std::any_of(users_[id].begin(), users_[id].end(),
                                 [&](NodeId user) { return is(user, NodeKind::linear); });
    if (!any || values_[id].prepared != kNone) return;
    RowOp op{.kind = RowOpKind::prepare};
    op.a = values_[id].rows;
    op.out = new_prepared(id);
    push_row_op(op);
  }

  /// All linear nodes over the input of `id`, as one step.
  void emit_products(NodeId id) {
    const NodeId input = node(id).a;
    MatmulStep step;
    step.input = values_[input].prepared;
    std::vector<NodeId> group;
    for (const NodeId user : users_[input]) {
      if (is(user, NodeKind::linear) && !values_[user].done) group.push_back(user);
    }
    for (const NodeId member : group) {
      step.products.push_back({node(member).weight, node(member).bias, kNone});
      values_[member].done = true;
    }
    if (fold_gate(step, group) || fold_activation(step, group) || fold_residual(step, group))
      return;
    close_row_step();
    for (std::size_t i = 0; i < group.size(); ++i) {
      step.products[i].out = new_slot(SlotKind::rows, node(group[i]).width);
      values_[group[i]].rows = step.products[i].out;
    }
    program_.body.emplace_back(std::move(step));
    for (const NodeId member : group) prepare_for_linears(member);
  }

  bool fold_gate(MatmulStep& step, const std::vector<NodeId>& group) {
    if (group.size() != 2) return false;
    const NodeId gate = only_user(group[0]);
    if (gate == kNone || gate != only_user(group[1]) || !is(gate, NodeKind::gated)) return false;
    if (node(gate).a == group[1]) std::swap(step.products[0], step.products[1]);
    step.epilogue = Epilogue::gated;
    step.activation = node(gate).activation;
    push_folded(step, gate);
    return true;
  }

  bool fold_activation(MatmulStep& step, const std::vector<NodeId>& group) {
    if (group.size() != 1) return false;
    const NodeId user = only_user(group[0]);
    if (user == kNone || !is(user, NodeKind::activate)) return false;
    step.epilogue = Epilogue::activate;
    step.activation = node(user).activation;
    push_folded(step, user);
    return true;
  }

  bool fold_residual(MatmulStep& step, const std::vector<NodeId>& group) {
    if (group.size() != 1) return false;
    const NodeId sum = only_user(group[0]);
    if (sum == kNone || !is(sum, NodeKind::add)) return false;
    const NodeId other = node(sum).a == group[0] ? node(sum).b : node(sum).a;
    if (values_[other].rows == kNone) return false;
    step.epilogue = Epilogue::add;
    step.residual = values_[other].rows;
    push_folded(step, sum);
    return true;
  }

  /// Ends a step whose epilogue computes the node `result`.
  void push_folded(MatmulStep& step, NodeId result) {
    close_row_step();
    values_[result].done = true;
    const bool whole_groups = node(result).width % 32 == 0;
    if (step.epilogue != Epilogue::add && whole_groups && feeds_linears_only(result)) {
      step.products[0].out = new_prepared(result);
    } else {
      step.products[0].out = new_slot(SlotKind::rows, node(result).width);
      values_[result].rows = step.products[0].out;
    }
    program_.body.emplace_back(std::move(step));
    if (values_[result].rows != kNone) prepare_for_linears(result);
  }

  /// Follows a query or key back over rotation and head norm to the product it comes from.
  NodeId take_up(NodeId id, WeightId& head_norm, AttentionStep& step) {
    if (is(id, NodeKind::rotate)) {
      step.rope = node(id).rope;
      step.angles = angles_[step.rope];
      id = node(id).a;
    }
    if (is(id, NodeKind::head_norm)) {
      head_norm = node(id).weight;
      step.norm_epsilon = node(id).epsilon;
      id = node(id).a;
    }
    return id;
  }

  void emit_attention(NodeId id) {
    const Node& from = node(id);
    close_row_step();
    AttentionStep step;
    step.query = values_[take_up(from.a, step.query_norm, step)].rows;
    step.key = values_[take_up(from.b, step.key_norm, step)].rows;
    step.value = values_[from.c].rows;
    step.layer = from.layer;
    step.heads = from.heads;
    step.kv_heads = from.kv_heads;
    step.head_dim = from.head_dim;
    step.score_scale = from.score_scale;
    step.softcap = from.softcap;
    step.window = from.window;
    step.causal = from.causal;
    values_[id].done = true;
    if (from.head_dim % 32 == 0 && feeds_linears_only(id)) {
      step.out = new_prepared(id);
    } else {
      step.out = new_slot(SlotKind::rows, from.width);
      values_[id].rows = step.out;
    }
    program_.body.emplace_back(step);
    program_.attention_layers = std::max(program_.attention_layers, from.layer + 1);
    program_.heads = from.heads;
    program_.kv_heads = from.kv_heads;
    program_.head_dim = from.head_dim;
    program_.causal = from.causal;
    if (values_[id].rows != kNone) prepare_for_linears(id);
  }

  /// The selected rows after the final norm, in a local slot.
  SlotId normalized(std::vector<RowOp>& ops) {
    const std::size_t width = node(graph_.hidden()).width;
    RowOp gather{.kind = RowOpKind::gather};
    gather.a = values_[graph_.hidden()].rows;
    gather.out = new_slot(SlotKind::rows, width);
    ops.push_back(gather);
    const FinalNorm& final_norm = graph_.final_norm();
    if (final_norm.weight == kNone) return gather.out;
    RowOp norm{.kind = final_norm.kind == Norm::rms ? RowOpKind::rms_norm : RowOpKind::layer_norm};
    norm.a = gather.out;
    norm.weight = final_norm.weight;
    norm.bias = final_norm.bias;
    norm.epsilon = final_norm.epsilon;
    norm.out = new_slot(SlotKind::rows, width);
    ops.push_back(norm);
    return norm.out;
  }

  void add_outputs() {
    program_.hidden_size = node(graph_.hidden()).width;
    RowStep hidden;
    normalized(hidden.ops);
    program_.hidden_out = new_slot(SlotKind::external, program_.hidden_size);
    hidden.ops.back().out = program_.hidden_out;
    program_.hidden.emplace_back(std::move(hidden));
    if (graph_.output() == kNone) return;

    RowStep rows;
    RowOp prepare{.kind = RowOpKind::prepare};
    prepare.a = normalized(rows.ops);
    prepare.out = new_slot(SlotKind::prepared, program_.hidden_size);
    program_.slots[prepare.out].readers = {weight_type(graph_.output())};
    rows.ops.push_back(prepare);
    program_.logits.emplace_back(std::move(rows));
    program_.vocabulary = program_.weights[graph_.output()].tensor->rows();
    program_.logits_out = new_slot(SlotKind::external, program_.vocabulary);
    MatmulStep product;
    product.input = prepare.out;
    product.products.push_back({graph_.output(), kNone, program_.logits_out});
    program_.logits.emplace_back(std::move(product));
  }

  const Graph& graph_;
  const std::vector<Node>& nodes_;
  std::vector<std::vector<NodeId>> users_;
  std::vector<Value> values_;
  std::vector<SlotId> angles_;  // one a rope
  std::vector<RowOp> row_ops_;  // of the row step that is open
  Program program_;
};

}  // namespace

Program fuse(const Graph& graph) { return Fuser(graph).run(); }

}  // namespace lore::engine::graph
