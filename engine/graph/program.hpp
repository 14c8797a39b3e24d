// A graph after fusion and planning: the steps that a backend runs, over slots in one arena.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <variant>
#include <vector>

#include "engine/graph/graph.hpp"

namespace lore::engine::graph {

using SlotId = std::uint32_t;

enum class SlotKind : std::uint8_t {
  rows,      // [tokens, width], float32, in the arena
  prepared,  // [tokens, width], in the form that products with `readers` take, in the arena
  local,     // one row of float32, written and read inside one row step
  external,  // [rows, width], float32, memory of the caller
};

struct Slot {
  SlotKind kind = SlotKind::rows;
  std::size_t width = 0;
  std::vector<DType> readers;  // of a prepared slot: the weight types that it meets
  std::size_t row_bytes = 0;   // in the arena (or, of a local slot, in a row's scratch)
  std::size_t offset = 0;      // the slot starts at offset * capacity of tokens (local: at offset)
};

enum class RowOpKind : std::uint8_t {
  lookup,       // out = row of the table `weight`
  gather,       // out = row of a for the selected token
  rms_norm,     // out = norm(a) * weight
  layer_norm,   // out = norm(a) * weight + bias
  add,          // out = a + b
  scale,        // out = a * factor
  activate,     // out = activation(a)
  gated,        // out = activation(a) * b
  rope_angles,  // out = cosines and sines of the token's position
  prepare,      // out (prepared) = a
};

struct RowOp {
  RowOpKind kind{};
  SlotId a = kNone, b = kNone, out = kNone;
  WeightId weight = kNone, bias = kNone;
  Lookup lookup{};
  Activation activation{};
  float epsilon = 0;
  float factor = 1;
  RopeId rope = kNone;
};

/// Operations that look at one token at a time; run one after the other on each row.
struct RowStep {
  std::vector<RowOp> ops;
  /// All that the step leaves is the input of the product that follows it.
  bool feeds_next_only = false;
};

struct Product {
  WeightId weight = kNone;
  WeightId bias = kNone;
  SlotId out = kNone;
};

/// What happens to a product before it is stored.
enum class Epilogue : std::uint8_t {
  none,
  activate,  // activation(product)
  gated,     // activation(first product) * second product
  add,       // product + residual
};

/// Products of the same prepared rows with several weights.
struct MatmulStep {
  SlotId input = kNone;
  std::vector<Product> products;
  Epilogue epilogue = Epilogue::none;
  Activation activation{};
  SlotId residual = kNone;
};

/// Attention, with what happens to queries and keys on the way: norm over each head, rotation.
struct AttentionStep {
  SlotId query = kNone, key = kNone, value = kNone;
  SlotId out = kNone;  // rows or prepared
  WeightId query_norm = kNone, key_norm = kNone;
  float norm_epsilon = 0;
  RopeId rope = kNone;
  SlotId angles = kNone;
  std::size_t layer = 0;
  std::size_t heads = 0, kv_heads = 0, head_dim = 0;
  float score_scale = 1;
  float softcap = 0;
  std::size_t window = 0;
  bool causal = true;
};

using Step = std::variant<RowStep, MatmulStep, AttentionStep>;

/// Thread safety: immutable once built.
struct Program {
  std::vector<Slot> slots;
  std::vector<Weight> weights;
  std::vector<Rope> ropes;
  std::vector<Step> body;    // all tokens, up to the last layer
  std::vector<Step> hidden;  // selected tokens: final norm into `hidden_out`
  std::vector<Step> logits;  // selected tokens: final norm and output layer into `logits_out`
  SlotId hidden_out = kNone;
  SlotId logits_out = kNone;
  std::size_t hidden_size = 0;
  std::size_t vocabulary = 0;       // 0 without an output layer
  std::size_t arena_row_bytes = 0;  // the arena takes so many bytes a token of capacity
  std::size_t local_bytes = 0;      // a row's scratch
  std::size_t attention_layers = 0;
  std::size_t heads = 0, kv_heads = 0, head_dim = 0;
  std::size_t matmul_width = 0;  // the widest input of a product
  bool causal = true;
};

/// Bytes that a prepared row of `width` values takes where it meets weights of these types.
using PreparedRowBytes =
    std::function<std::size_t(std::size_t width, std::span<const DType> readers)>;

/// Fuses and plans. The graph must be finished.
Program build_program(const Graph& graph, const PreparedRowBytes& prepared_row_bytes);

}  // namespace lore::engine::graph
