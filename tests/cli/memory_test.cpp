// How much memory the command takes beside the size of the model's file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <string>

#include "tests/cli/lore_process.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::test {
namespace {

constexpr std::size_t kContext = 2048;

struct Generator {
  const char* name;
  std::size_t layers;
  std::size_t key_value_width;  // key-value heads times the length of one
};

class MemoryTest : public testing::TestWithParam<Generator> {};

// Weights are packed for the processor and stay as small as they are in the file; a copy in
// float32 would be five times as large.
TEST_P(MemoryTest, StaysBelowOneAndAHalfFilesAndTheCache) {
#ifdef LORE_SANITIZED
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  const Generator& generator = GetParam();
  LORE_REQUIRE_MODEL(path, generator.name);
  const Outcome outcome =
      run_lore({"generate", "-m", generator.name, "-c", std::to_string(kContext), "-n", "8",
                "--raw", "-p", "The pump is started by"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::size_t file = std::filesystem::file_size(path);
  const std::size_t halves = kContext * generator.layers * 2 * generator.key_value_width;
  const std::size_t cache = halves * sizeof(std::uint16_t);
  EXPECT_LE(outcome.peak_bytes, file + file / 2 + cache)
      << "peak of " << (outcome.peak_bytes >> 20) << " MiB, file of " << (file >> 20) << " MiB";
  // What was measured is the whole model, not a part of it that was never touched.
  EXPECT_GE(outcome.peak_bytes, file / 2);
}

INSTANTIATE_TEST_SUITE_P(Generators, MemoryTest,
                         testing::Values(Generator{"smollm2", 30, 3 * 64},
                                         Generator{"qwen-0.5b", 24, 2 * 64},
                                         Generator{"qwen-1.5b", 28, 2 * 128}),
                         [](const auto& tested) {
                           std::string name = tested.param.name;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace lore::test
