#include "engine/backend/cpu/prepared.hpp"

#include <algorithm>
#include <numeric>

#include "engine/tensor/buffer.hpp"

namespace lore::engine::cpu {
namespace {

constexpr std::size_t kSumGroup = 16;  // values that share a sum, see Activations::sums

template <typename T>
T* at(std::byte* base, std::size_t offset) {
  return static_cast<T*>(static_cast<void*>(base + offset));
}

}  // namespace

PreparedLayout::PreparedLayout(const KernelTable& kernels, std::size_t width,
                               std::span<const DType> readers, std::size_t piece)
    : width_(width), span_(std::gcd(piece / kActivationGroup, kMostSpan)) {
  for (const DType type : readers) {
    if (block_shape(type).values < kMostSpan * kActivationGroup) span_ = 1;
    const ActivationFormat format = kernels.activation_for(static_cast<std::uint32_t>(type));
    has_f32_ = has_f32_ || format == ActivationFormat::f32;
    has_bf16_ = has_bf16_ || format == ActivationFormat::bf16;
    has_q8_ = has_q8_ || format == ActivationFormat::q8;
  }
  if (has_f32_) row_bytes_ += width * sizeof(float);
  bf16_ = row_bytes_;
  if (has_bf16_) row_bytes_ += round_up(width, kActivationGroup) * sizeof(std::uint16_t);
  q8_ = row_bytes_;
  if (!has_q8_) return;
  row_bytes_ += width;
  scales_ = row_bytes_;
  row_bytes_ += width / kActivationGroup * sizeof(float);
  sums_ = row_bytes_;
  row_bytes_ += width / kSumGroup * sizeof(std::int32_t);
}

Activations PreparedLayout::view(ActivationFormat format, Regime regime, std::byte* base,
                                 std::size_t capacity, std::size_t first) const {
  Activations view;
  view.format = format;
  view.rows = capacity - first;
  view.k = width_;
  if (format == ActivationFormat::f32) {
    view.f32 = at<float>(base, 0) + first * width_;
    view.f32_stride = width_;
  } else if (format == ActivationFormat::bf16) {
    view.bf16 =
        at<std::uint16_t>(base, bf16_ * capacity) + first * round_up(width_, kActivationGroup);
  } else {
    view.q8 = at<std::int8_t>(base, q8_ * capacity) + first * width_;
    view.span = span(regime);
    view.scales = at<float>(base, scales_ * capacity) + first * (width_ / kActivationGroup);
    view.sums = at<std::int32_t>(base, sums_ * capacity) + first * (width_ / kSumGroup);
  }
  return view;
}

void PreparedLayout::write(const KernelTable& kernels, Regime regime, std::byte* base,
                           std::size_t capacity, std::size_t row, std::size_t column,
                           const float* x, std::size_t n) const {
  if (has_f32_) std::copy(x, x + n, at<float>(base, 0) + row * width_ + column);
  if (has_bf16_) {
    const std::size_t stride = round_up(width_, kActivationGroup);
    kernels.convert_bf16(x, n, at<std::uint16_t>(base, bf16_ * capacity) + row * stride + column);
  }
  if (has_q8_) {
    kernels.quantize_q8(
        x, n, span(regime), at<std::int8_t>(base, q8_ * capacity) + row * width_ + column,
        at<float>(base, scales_ * capacity) + (row * width_ + column) / kActivationGroup,
        at<std::int32_t>(base, sums_ * capacity) + (row * width_ + column) / kSumGroup);
  }
}

}  // namespace lore::engine::cpu
