#include <algorithm>

#include "engine/backend/cpu/runner.hpp"

namespace lore::engine::cpu {
namespace {

using graph::Epilogue;
using graph::MatmulStep;
using graph::Product;

// Prepared bytes of a tile's rows: they stay in a core's second-level cache while panels pass by.
constexpr std::size_t kTileBytes = std::size_t{768} << 10;
constexpr std::size_t kMinTileRows = 128;
constexpr std::size_t kTilePanels = kTileColumns / kPanelRows;
static_assert(kTileColumns % (kActivationGroup * kMostSpan) == 0);

/// The panels [begin, end) as a matrix of their own.
PackedMatrix panels_of(const PackedMatrix& matrix, std::size_t begin, std::size_t end) {
  PackedMatrix part = matrix;
  part.data += begin * matrix.panel_bytes;
  part.n = std::min(matrix.n, end * kPanelRows) - begin * kPanelRows;
  part.panels = end - begin;
  return part;
}

std::size_t columns(const PackedMatrix& matrix, std::size_t panel_begin, std::size_t panel_end) {
  return std::min(matrix.n, panel_end * kPanelRows) - panel_begin * kPanelRows;
}

}  // namespace

void Runner::run_matmul(const MatmulStep& step, RowRange rows) {
  const bool few = frame_.regime() == Regime::few;
  // Panels are handed out in pairs, or by as many as a span of quantized output needs.
  const std::size_t unit = program_.slots[step.products[0].out].kind == graph::SlotKind::prepared
                               ? executable_.layout(step.products[0].out).span(frame_.regime()) *
                                     kActivationGroup / kPanelRows
                               : 2;
  const std::size_t products = step.epilogue == Epilogue::gated ? 1 : step.products.size();
  std::size_t units = 0;
  for (std::size_t i = 0; i < products; ++i) {
    units += (weights_.matrix(step.products[i].weight).panels + unit - 1) / unit;
  }
  const std::size_t row_bytes = executable_.layout(step.input).row_bytes();
  const std::size_t fitting = kTileBytes / std::max<std::size_t>(row_bytes, 1);
  const std::size_t tile_rows =
      std::clamp(fitting / kPanelRows * kPanelRows, kMinTileRows, kMaxTileRows);
  const std::size_t row_tiles = (rows.size() + tile_rows - 1) / tile_rows;
  // Pieces small enough that no thread waits long for the last one.
  const std::size_t most = kTilePanels / unit;
  const std::size_t grain = std::clamp<std::size_t>(
      units * row_tiles / (std::size_t{4} * team_.size()), 1, few ? 64 : most);
  const std::size_t pieces = (units + grain - 1) / grain;
  team_.loop(row_tiles * pieces, 1, [&](std::size_t item, std::size_t) {
    Tile tile;
    tile.row_begin = rows.begin + item / pieces * tile_rows;
    tile.row_end = std::min(rows.end, tile.row_begin + tile_rows);
    std::size_t begin = item % pieces * grain;
    const std::size_t end = std::min(units, begin + grain);
    std::size_t product_begin = 0;
    for (tile.product = 0; tile.product < products && begin < end; ++tile.product) {
      const std::size_t panels = weights_.matrix(step.products[tile.product].weight).panels;
      const std::size_t product_end = product_begin + (panels + unit - 1) / unit;
      while (begin < std::min(end, product_end)) {
        const std::size_t stop = std::min({end, product_end, begin + most});
        tile.panel_begin = (begin - product_begin) * unit;
        tile.panel_end = std::min(panels, (stop - product_begin) * unit);
        run_tile(step, tile);
        begin = stop;
      }
      product_begin = product_end;
    }
  });
}

void Runner::run_tile(const MatmulStep& step, const Tile& tile) {
  const Product& product = step.products[tile.product];
  if (step.epilogue == Epilogue::none) {
    float* out = frame_.rows(product.out, tile.row_begin) + tile.panel_begin * kPanelRows;
    multiply(product, step.input, tile, out, program_.slots[product.out].width);
    return;
  }
  multiply(product, step.input, tile, memory_.tile(0), kTileColumns);
  if (step.epilogue == Epilogue::gated) {
    multiply(step.products[1], step.input, tile, memory_.tile(1), kTileColumns);
  }
  for (std::size_t row = tile.row_begin; row < tile.row_end; ++row) finish_row(step, tile, row);
}

/// One product of the tile's rows and panels, to out [rows of the tile, out_stride].
void Runner::multiply(const Product& product, graph::SlotId input, const Tile& tile, float* out,
                      std::size_t out_stride) {
  const PackedMatrix part =
      panels_of(weights_.matrix(product.weight), tile.panel_begin, tile.panel_end);
  const bool mine = input == private_slot_;
  const Activations activations = executable_.layout(input).view(
      executable_.format_for(product.weight), frame_.regime(),
      mine ? memory_.private_rows() : frame_.prepared(input),
      mine ? WorkerMemory::kPrivateCapacity : frame_.capacity(), tile.row_begin);
  MatmulTask task;
  task.weights = &part;
  task.activations = &activations;
  const float* bias = weights_.vector(product.bias);
  task.bias = bias == nullptr ? nullptr : bias + tile.panel_begin * kPanelRows;
  task.out = out;
  task.out_stride = out_stride;
  task.row_begin = 0;
  task.row_end = tile.row_end - tile.row_begin;
  task.panel_begin = 0;
  task.panel_end = part.panels;
  task.scratch = memory_.matmul_scratch();
  if (frame_.regime() == Regime::many) {
    kernels_.matmul_many(task);
  } else {
    kernels_.matmul_few(task);
  }
}

/// Applies the epilogue to one row of the tile and stores it.
void Runner::finish_row(const MatmulStep& step, const Tile& tile, std::size_t row) {
  const Product& product = step.products[tile.product];
  const std::size_t n = columns(weights_.matrix(product.weight), tile.panel_begin, tile.panel_end);
  const std::size_t column = tile.panel_begin * kPanelRows;
  const std::size_t offset = (row - tile.row_begin) * kTileColumns;
  float* x = memory_.tile(0) + offset;
  if (step.epilogue == Epilogue::add) {
    kernels_.add(frame_.rows(step.residual, row) + column, x, n,
                 frame_.rows(product.out, row) + column);
    return;
  }
  if (step.epilogue == Epilogue::gated) {
    gate(step.activation, x, memory_.tile(1) + offset, n, x);
  } else {
    activate(step.activation, x, n, x);
  }
  if (program_.slots[product.out].kind == graph::SlotKind::prepared) {
    write_prepared(product.out, row, column, x, n);
  } else {
    std::copy(x, x + n, frame_.rows(product.out, row) + column);
  }
}

}  // namespace lore::engine::cpu
