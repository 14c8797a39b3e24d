#include "engine/tensor/dtype.hpp"

#include <array>

namespace lore::engine {
namespace {

struct Row {
  std::uint32_t number;
  std::string_view name;
  BlockShape block;  // zero where the engine does not compute with the type
};

constexpr BlockShape kNone{0, 0};

constexpr std::array kRows = {
    Row{0, "F32", {1, 4}},       Row{1, "F16", {1, 2}},       Row{2, "Q4_0", {32, 18}},
    Row{3, "Q4_1", {32, 20}},    Row{6, "Q5_0", {32, 22}},    Row{7, "Q5_1", {32, 24}},
    Row{8, "Q8_0", {32, 34}},    Row{9, "Q8_1", kNone},       Row{10, "Q2_K", {256, 84}},
    Row{11, "Q3_K", {256, 110}}, Row{12, "Q4_K", {256, 144}}, Row{13, "Q5_K", {256, 176}},
    Row{14, "Q6_K", {256, 210}}, Row{15, "Q8_K", kNone},      Row{16, "IQ2_XXS", kNone},
    Row{17, "IQ2_XS", kNone},    Row{18, "IQ3_XXS", kNone},   Row{19, "IQ1_S", kNone},
    Row{20, "IQ4_NL", kNone},    Row{21, "IQ3_S", kNone},     Row{22, "IQ2_S", kNone},
    Row{23, "IQ4_XS", kNone},    Row{24, "I8", kNone},        Row{25, "I16", kNone},
    Row{26, "I32", kNone},       Row{27, "I64", kNone},       Row{28, "F64", kNone},
    Row{29, "IQ1_M", kNone},     Row{30, "BF16", {1, 2}},     Row{34, "TQ1_0", kNone},
    Row{35, "TQ2_0", kNone},     Row{39, "MXFP4", kNone},
};

constexpr const Row* find(std::uint32_t number) noexcept {
  for (const Row& row : kRows) {
    if (row.number == number) return &row;
  }
  return nullptr;
}

}  // namespace

std::optional<DType> dtype_from_number(std::uint32_t number) noexcept {
  const Row* row = find(number);
  if (row == nullptr || row->block.values == 0) return std::nullopt;
  return static_cast<DType>(number);
}

std::string_view dtype_name(std::uint32_t number) noexcept {
  const Row* row = find(number);
  return row == nullptr ? std::string_view{} : row->name;
}

BlockShape block_shape(DType type) noexcept {
  return find(static_cast<std::uint32_t>(type))->block;
}

}  // namespace lore::engine
