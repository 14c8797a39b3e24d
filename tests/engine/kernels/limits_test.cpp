// The functions that measure what instructions and memory give: what they count is really done.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/kernels/kernel_cases.hpp"

namespace lore::engine::cpu {
namespace {

class LimitsTest : public ::testing::TestWithParam<const KernelTable*> {};

INSTANTIATE_TEST_SUITE_P(Tables, LimitsTest, ::testing::ValuesIn(runnable_tables()),
                         [](const auto& tested) { return table_name(*tested.param); });

/// Twice the rounds are twice the operations, to the last one; no rounds are none.
void expect_exact_count(double (*count)(std::size_t rounds)) {
  constexpr std::size_t kRounds = 37;
  EXPECT_EQ(count(0), 0);
  const double operations = count(kRounds);
  EXPECT_TRUE(std::isfinite(operations));
  EXPECT_GE(operations, 2.0 * kRounds * 16) << "a vector a round at least";
  EXPECT_EQ(std::fmod(operations, 2.0 * kRounds), 0);
  EXPECT_EQ(count(2 * kRounds), 2 * operations);
}

TEST_P(LimitsTest, OperationsAreCountedExactly) {
  const KernelTable& table = *GetParam();
  expect_exact_count(table.count_int8);
  expect_exact_count(table.count_f32);
  if (table.count_bf16 != nullptr) expect_exact_count(table.count_bf16);
}

TEST_P(LimitsTest, TheMostRoundsAreCountedExactlyToo) {
  const KernelTable& table = *GetParam();
  constexpr double kMost = kMostLimitRounds;
  EXPECT_EQ(table.count_f32(kMostLimitRounds), table.count_f32(1) * kMost);
  constexpr double kTileOperations = 1e5;  // of a round; in plain C++ they would take a minute
  if (table.count_int8(1) > kTileOperations) return;
  EXPECT_EQ(table.count_int8(kMostLimitRounds), table.count_int8(1) * kMost);
  if (table.count_bf16 != nullptr) {
    EXPECT_EQ(table.count_bf16(kMostLimitRounds), table.count_bf16(1) * kMost);
  }
}

TEST_P(LimitsTest, EveryByteIsRead) {
  const KernelTable& table = *GetParam();
  for (std::size_t lines = 1; lines <= 9; ++lines) {
    AlignedBytes bytes(lines * 64);
    EXPECT_EQ(table.read_lines(bytes.data(), lines), 0U);
    for (std::size_t i = 0; i < lines * 64; ++i) {
      bytes.data()[i] = 0x40;
      EXPECT_EQ(table.read_lines(bytes.data(), lines), std::uint64_t{0x40} << (i % 8 * 8));
      bytes.data()[i] = 0;
    }
  }
}

TEST(LimitsOfTablesTest, BfloatIsCountedWhereItIsMultiplied) {
  for (const KernelTable* table : runnable_tables()) {
    const bool multiplies =
        table->activation_for(static_cast<std::uint32_t>(DType::bf16)) == ActivationFormat::bf16;
    EXPECT_EQ(table->count_bf16 != nullptr, multiplies) << table->name;
  }
}

}  // namespace
}  // namespace lore::engine::cpu
