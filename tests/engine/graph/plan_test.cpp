#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <deque>

#include "engine/graph/program.hpp"

namespace lore::engine::graph {
namespace {

constexpr std::size_t kWidth = 64;
constexpr std::size_t kInner = 128;

/// Graphs over tensors without data: planning looks at shapes and types only.
class PlanTest : public testing::Test {
 protected:
  WeightId matrix(std::size_t outputs, std::size_t inputs, DType type = DType::q8_0) {
    return graph_.weight(tensor(outputs, inputs, type), WeightRole::matrix);
  }
  WeightId vector(std::size_t n) {
    return graph_.weight(tensor(1, n, DType::f32), WeightRole::vector);
  }
  NodeId tokens() {
    return graph_.lookup(graph_.weight(tensor(100, kWidth, DType::f32), WeightRole::table),
                         Lookup::token);
  }
  NodeId norm(NodeId x) { return graph_.norm(x, Norm::rms, vector(kWidth), kNone, 1e-5F); }

  /// A layer as Llama's.
  NodeId layer(NodeId x, RopeId rope, DType value_type = DType::q8_0) {
    const NodeId n = norm(x);
    const NodeId q = graph_.linear(n, matrix(kWidth, kWidth));
    const NodeId k = graph_.linear(n, matrix(32, kWidth));
    const NodeId v = graph_.linear(n, matrix(32, kWidth, value_type));
    AttentionShape shape;
    shape.heads = 2;
    shape.kv_heads = 1;
    shape.head_dim = 32;
    const NodeId a = graph_.attention(graph_.rotate(q, rope), graph_.rotate(k, rope), v, shape);
    x = graph_.add(x, graph_.linear(a, matrix(kWidth, kWidth)));
    const NodeId m = norm(x);
    const NodeId gate = graph_.linear(m, matrix(kInner, kWidth));
    const NodeId up = graph_.linear(m, matrix(kInner, kWidth));
    return graph_.add(
        x, graph_.linear(graph_.gated(gate, up, Activation::silu), matrix(kWidth, kInner)));
  }

  Program build() {
    return build_program(graph_, [](std::size_t width, std::span<const DType> readers) {
      return width * readers.size();
    });
  }

  Graph graph_;

 private:
  const gguf::TensorInfo& tensor(std::size_t rows, std::size_t columns, DType type) {
    gguf::TensorInfo info;
    info.type = type;
    info.shape = {columns, rows};
    return tensors_.emplace_back(std::move(info));
  }

  std::deque<gguf::TensorInfo> tensors_;
};

template <typename T>
std::vector<T> steps_of(const std::vector<Step>& steps) {
  std::vector<T> found;
  for (const Step& step : steps) {
    if (const T* one = std::get_if<T>(&step)) found.push_back(*one);
  }
  return found;
}

TEST_F(PlanTest, ADecoderLayerIsSevenSteps) {
  const RopeId rope = graph_.rope({{1, 0.1}, 1, true});
  const NodeId x = layer(layer(tokens(), rope), rope);
  graph_.finish(x, {.weight = vector(kWidth), .epsilon = 1e-5F}, matrix(100, kWidth));
  const Program program = build();

  ASSERT_EQ(program.body.size(), 14U);
  const auto products = steps_of<MatmulStep>(program.body);
  ASSERT_EQ(products.size(), 8U);
  EXPECT_EQ(products[0].products.size(), 3U) << "query, key and value share their input";
  EXPECT_EQ(products[1].epilogue, Epilogue::add);
  EXPECT_EQ(products[2].products.size(), 2U);
  EXPECT_EQ(products[2].epilogue, Epilogue::gated);
  EXPECT_EQ(program.slots[products[2].products[0].out].kind, SlotKind::prepared);
  EXPECT_EQ(products[3].epilogue, Epilogue::add);
  const auto attention = steps_of<AttentionStep>(program.body);
  ASSERT_EQ(attention.size(), 2U);
  EXPECT_EQ(attention[1].layer, 1U);
  EXPECT_EQ(attention[0].rope, rope);
  EXPECT_EQ(program.slots[attention[0].out].kind, SlotKind::prepared);

  const auto rows = steps_of<RowStep>(program.body);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_FALSE(rows[0].feeds_next_only) << "it also looks up the tokens";
  EXPECT_TRUE(rows[1].feeds_next_only);
  EXPECT_EQ(program.vocabulary, 100U);
  EXPECT_EQ(steps_of<MatmulStep>(program.logits).size(), 1U);
}

TEST_F(PlanTest, WhatAPrivatePreparationReadsIsNotWrittenByTheProductAfterIt) {
  const RopeId rope = graph_.rope({{1, 0.1}, 1, true});
  NodeId x = layer(tokens(), rope);
  // Nothing needs a norm's input after it: there is no residual.
  for (int i = 0; i < 3; ++i) x = graph_.linear(norm(x), matrix(kWidth, kWidth));
  graph_.finish(x, {.weight = vector(kWidth), .epsilon = 1e-5F}, matrix(100, kWidth));
  const Program program = build();
  std::size_t checked = 0;
  for (std::size_t i = 0; i + 1 < program.body.size(); ++i) {
    const auto* rows = std::get_if<RowStep>(&program.body[i]);
    if (rows == nullptr || !rows->feeds_next_only) continue;
    for (const Product& product : std::get<MatmulStep>(program.body[i + 1]).products) {
      if (product.out == kNone) continue;  // folded into the first
      const Slot& out = program.slots[product.out];
      for (const RowOp& op : rows->ops) {
        if (op.a == kNone || program.slots[op.a].kind != SlotKind::rows) continue;
        if (op.a == product.out) continue;  // a sum in place, which the step does not read
        const Slot& in = program.slots[op.a];
        EXPECT_TRUE(in.offset + in.row_bytes <= out.offset ||
                    out.offset + out.row_bytes <= in.offset);
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 0U);
}

TEST_F(PlanTest, NormsStayWithinTheirRow) {
  const RopeId rope = graph_.rope({{1, 0.1}, 1, true});
  graph_.finish(layer(tokens(), rope), {}, kNone);
  const Program program = build();
  const auto rows = steps_of<RowStep>(program.body);
  for (const RowOp& op : rows[1].ops) {
    if (op.kind == RowOpKind::rms_norm) {
      EXPECT_EQ(program.slots[op.out].kind, SlotKind::local);
    }
  }
  EXPECT_GE(program.local_bytes, kWidth * sizeof(float));
}

TEST_F(PlanTest, APreparedSlotKnowsAllTypesThatReadIt) {
  const RopeId rope = graph_.rope({{1, 0.1}, 1, true});
  graph_.finish(layer(tokens(), rope, DType::f16), {}, kNone);
  const Program program = build();
  const auto products = steps_of<MatmulStep>(program.body);
  EXPECT_THAT(program.slots[products[0].input].readers,
              testing::UnorderedElementsAre(DType::q8_0, DType::f16));
  EXPECT_THAT(program.slots[products[1].input].readers, testing::ElementsAre(DType::q8_0));
}

TEST_F(PlanTest, SlotsOfOneStepAreApart) {
  const RopeId rope = graph_.rope({{1, 0.1}, 1, true});
  NodeId x = tokens();
  for (int i = 0; i < 3; ++i) x = layer(x, rope);
  graph_.finish(x, {.weight = vector(kWidth)}, matrix(100, kWidth));
  const Program program = build();
  for (const Step& step : program.body) {
    const auto* matmul = std::get_if<MatmulStep>(&step);
    if (matmul == nullptr) continue;
    std::vector<SlotId> slots = {matmul->input};
    if (matmul->residual != kNone) slots.push_back(matmul->residual);
    for (const Product& product : matmul->products) {
      if (product.out != kNone) slots.push_back(product.out);
    }
    for (std::size_t i = 0; i < slots.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const Slot& a = program.slots[slots[i]];
        const Slot& b = program.slots[slots[j]];
        EXPECT_TRUE(a.offset + a.row_bytes <= b.offset || b.offset + b.row_bytes <= a.offset);
      }
    }
  }
}

TEST_F(PlanTest, MoreLayersNeedNoMoreMemory) {
  const RopeId rope = graph_.rope({{1, 0.1}, 1, true});
  NodeId x = tokens();
  for (int i = 0; i < 2; ++i) x = layer(x, rope);
  graph_.finish(x, {}, kNone);
  const std::size_t two = build().arena_row_bytes;
  for (int i = 0; i < 10; ++i) x = layer(x, rope);
  graph_.finish(x, {}, kNone);
  EXPECT_EQ(build().arena_row_bytes, two);
}

TEST_F(PlanTest, AnEncoderLayerKeepsTheNormedResidual) {
  NodeId x = tokens();
  const NodeId q = graph_.linear(x, matrix(kWidth, kWidth), vector(kWidth));
  const NodeId k = graph_.linear(x, matrix(kWidth, kWidth), vector(kWidth));
  const NodeId v = graph_.linear(x, matrix(kWidth, kWidth), vector(kWidth));
  AttentionShape shape;
  shape.heads = shape.kv_heads = 2;
  shape.head_dim = 32;
  shape.causal = false;
  const NodeId a = graph_.attention(q, k, v, shape);
  const NodeId n = norm(graph_.add(x, graph_.linear(a, matrix(kWidth, kWidth))));
  const NodeId up = graph_.activate(graph_.linear(n, matrix(kInner, kWidth)), Activation::gelu_erf);
  const NodeId out = norm(graph_.add(n, graph_.linear(up, matrix(kWidth, kInner))));
  graph_.finish(out, {}, kNone);
  const Program program = build();
  const auto products = steps_of<MatmulStep>(program.body);
  ASSERT_EQ(products.size(), 4U);
  EXPECT_EQ(products[2].epilogue, Epilogue::activate);
  EXPECT_EQ(products[3].epilogue, Epilogue::add);
  EXPECT_EQ(program.slots[products[3].residual].kind, SlotKind::rows);
  EXPECT_FALSE(program.causal);
  EXPECT_EQ(program.vocabulary, 0U);
  EXPECT_TRUE(program.logits.empty());
}

}  // namespace
}  // namespace lore::engine::graph
