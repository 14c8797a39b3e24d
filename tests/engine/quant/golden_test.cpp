// Against the format's own Python package; data/make_blocks.py tells how blocks.txt was made.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "engine/quant/dequantize.hpp"
#include "engine/quant/quantize.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::engine {
namespace {

std::vector<std::byte> from_hex(const std::string& hex) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

DType type_named(const std::string& name) {
  for (std::uint32_t number = 0; number < 40; ++number) {
    const auto type = dtype_from_number(number);
    if (type && dtype_name(*type) == name) return *type;
  }
  throw std::runtime_error("no type " + name);
}

TEST(QuantGolden, BlocksAndRowsEqualTheReferenceBitForBit) {
  std::map<std::string, int> blocks;
  int rows = 0;
  const auto path = test::source_dir() / "tests/engine/quant/data/blocks.txt";
  for (const std::string& line : test::read_lines(path)) {
    std::istringstream fields(line);
    std::string name;
    std::string input;
    std::string expected;
    fields >> name;
    const bool quantizes = name == "quantize";
    if (quantizes) fields >> name;
    fields >> input >> expected;
    const DType type = type_named(name);
    const std::vector<std::byte> from = from_hex(input);
    const std::vector<std::byte> to = from_hex(expected);
    std::vector<std::byte> out(to.size());
    if (quantizes) {
      std::vector<float> x(from.size() / 4);
      std::memcpy(x.data(), from.data(), from.size());
      quantize_row(type, x.data(), x.size(), out.data());
      ++rows;
    } else {
      std::vector<float> values(to.size() / 4);
      dequantize_row(type, from.data(), values.size(), values.data());
      std::memcpy(out.data(), values.data(), out.size());
      ++blocks[name];
    }
    EXPECT_EQ(out, to) << line.substr(0, 40);
  }
  EXPECT_EQ(blocks.size(), 10U);
  EXPECT_EQ(rows, 7);
}

}  // namespace
}  // namespace lore::engine
