// Every scan table of this processor against the scalar one, and that one against its definition.
#include "base/simd/scan_ops.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace lore::simd {
namespace {

// All that this processor can run; where it has dot products of bytes, what others would run, too.
std::vector<const ScanTable*> tables() {
  std::vector<const ScanTable*> tables;
  const CpuFeatures features = detect_cpu_features();
  CpuFeatures plain = features;
  plain.avx512_vnni = false;
  for (const Level level : available_levels(features)) {
    for (const CpuFeatures& with : {plain, features}) {
      const ScanTable* const table = &scan_table(with, level);
      if (tables.empty() || tables.back() != table) tables.push_back(table);
    }
  }
  return tables;
}

struct Rows {
  std::vector<std::int8_t> codes;  // [count, 2 * bytes]
  std::vector<std::uint8_t> high;  // [count, bytes]
  std::vector<std::uint8_t> low;

  Rows(std::size_t count, std::size_t bytes, const std::function<int()>& code)
      : codes(count * 2 * bytes), high(count * bytes), low(count * bytes) {
    for (std::int8_t& value : codes) value = static_cast<std::int8_t>(code());
    for (std::size_t r = 0; r < count; ++r) {
      for (std::size_t i = 0; i < bytes; ++i) {
        const int first = codes[2 * r * bytes + i] + 128;
        const int second = codes[(2 * r + 1) * bytes + i] + 128;
        high[r * bytes + i] = static_cast<std::uint8_t>(first / 16 + second / 16 * 16);
        low[r * bytes + i] = static_cast<std::uint8_t>(first % 16 + second % 16 * 16);
      }
    }
  }
};

class ScanOps : public ::testing::TestWithParam<const ScanTable*> {
 protected:
  static void expect_right(const ScanTable& table, const Rows& rows, std::size_t count,
                           std::size_t bytes, const std::vector<std::int8_t>& coarse,
                           const std::vector<std::int16_t>& fine) {
    std::vector<std::int32_t> dots(count + 1, 42);
    table.coarse_dots(rows.high.data(), count, bytes, coarse.data(), dots.data());
    for (std::size_t r = 0; r < count; ++r) {
      std::int64_t coarse_sum = 0;
      std::int64_t fine_sum = 0;
      for (std::size_t i = 0; i < 2 * bytes; ++i) {
        const std::int64_t code = rows.codes[2 * r * bytes + i];
        coarse_sum += (code + 128) / 16 * coarse[i];
        fine_sum += code * fine[i];
      }
      EXPECT_EQ(dots[r], coarse_sum) << "row " << r << " of " << count << ", " << bytes << " bytes";
      EXPECT_EQ(table.fine_dot(rows.high.data() + r * bytes, rows.low.data() + r * bytes, bytes,
                               fine.data()),
                fine_sum)
          << "row " << r << " of " << count << ", " << bytes << " bytes";
    }
    EXPECT_EQ(dots[count], 42);  // nothing is written past the end
  }
};

TEST_P(ScanOps, GiveTheSumsOverAllShapes) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> code(-128, 127);
  std::uniform_int_distribution<int> value(-32767, 32767);
  for (std::size_t bytes = kScanBytes; bytes <= 5 * kScanBytes; bytes += kScanBytes) {
    std::vector<std::int8_t> coarse(2 * bytes);
    std::vector<std::int16_t> fine(2 * bytes);
    for (std::int8_t& one : coarse) {
      one = static_cast<std::int8_t>(std::max(code(random), -127));
    }
    for (std::int16_t& one : fine) one = static_cast<std::int16_t>(value(random) / 4);
    for (std::size_t count = 0; count <= 9; ++count) {
      const Rows rows(count, bytes, [&] { return code(random); });
      expect_right(*GetParam(), rows, count, bytes, coarse, fine);
    }
  }
}

TEST_P(ScanOps, HoldTheExtremes) {
  constexpr std::size_t kBytes = std::size_t{1} << 15;
  for (const int code : {-128, 127}) {
    for (const int sign : {-1, 1}) {
      const Rows rows(5, kBytes, [&] { return code; });
      const std::vector<std::int8_t> coarse(2 * kBytes, static_cast<std::int8_t>(127 * sign));
      // The largest whose sum of 128 * |value| fits.
      const std::vector<std::int16_t> fine(2 * kBytes, static_cast<std::int16_t>(255 * sign));
      expect_right(*GetParam(), rows, 5, kBytes, coarse, fine);
      std::vector<std::int16_t> steep(2 * kScanBytes, 0);
      std::fill_n(steep.begin(), 64, static_cast<std::int16_t>(32767 * sign));
      const Rows few(5, kScanBytes, [&] { return code; });
      expect_right(*GetParam(), few, 5, kScanBytes,
                   std::vector<std::int8_t>(2 * kScanBytes, static_cast<std::int8_t>(-127 * sign)),
                   steep);
    }
  }
}

// No byte behind the rows is read, wherever they start: a sanitizer would tell.
TEST_P(ScanOps, TakeAnyAlignment) {
  std::mt19937 random(2);
  std::uniform_int_distribution<int> code(-127, 127);
  const Rows rows(7, kScanBytes, [&] { return code(random); });
  std::vector<std::int8_t> query(2 * kScanBytes);
  for (std::int8_t& one : query) one = static_cast<std::int8_t>(code(random));
  std::vector<std::int32_t> expected(7);
  GetParam()->coarse_dots(rows.high.data(), 7, kScanBytes, query.data(), expected.data());
  for (const std::size_t offset : {1U, 3U, 17U, 63U}) {
    std::vector<std::uint8_t> moved(offset + rows.high.size());
    std::copy(rows.high.begin(), rows.high.end(),
              moved.begin() + static_cast<std::ptrdiff_t>(offset));
    std::vector<std::int32_t> dots(7);
    GetParam()->coarse_dots(moved.data() + offset, 7, kScanBytes, query.data(), dots.data());
    EXPECT_EQ(dots, expected) << offset;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryTable, ScanOps, ::testing::ValuesIn(tables()),
                         [](const auto& table) { return std::string(table.param->name); });

TEST(ScanTables, EveryLevelHasOneThatItCanRun) {
  const CpuFeatures features = detect_cpu_features();
  for (const Level level : available_levels(features)) {
    EXPECT_TRUE(features.has(scan_table(features, level).level));
  }
  EXPECT_EQ(&best_scan_table(), &scan_table(features, features.best()));
  EXPECT_STREQ(scan_table({}, Level::scalar).name, "scalar");
}

}  // namespace
}  // namespace lore::simd
