// Models in several files.
#include <gtest/gtest.h>

#include "engine/gguf/gguf_file.hpp"
#include "tests/engine/gguf/expect_error.hpp"
#include "tests/engine/gguf/gguf_bytes.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::test {
namespace {

using engine::gguf::GgufFile;

constexpr std::uint32_t kF32 = 0;

/// Part `number` (from 0) of `count`, with one tensor of that name, eight values.
std::string part(std::uint32_t number, std::uint32_t count, const std::string& tensor,
                 std::uint32_t tensors_in_all) {
  GgufBytes file = GgufBytes::header(1, number == 0 ? 4 : 3);
  file.key_u32("split.no", number).key_u32("split.count", count);
  file.key_u32("split.tensors.count", tensors_in_all);
  if (number == 0) file.key("general.name", 8).text("in three");
  return file.tensor(tensor, {8}, kF32, 0).data(32).bytes();
}

class SplitGguf : public testing::Test {
 protected:
  std::filesystem::path write(std::uint32_t number, const std::string& bytes) const {
    return folder_.write("m-0000" + std::to_string(number + 1) + "-of-00003.gguf", bytes);
  }
  TemporaryFolder folder_;
};

TEST_F(SplitGguf, OpensAllPartsByTheFirst) {
  const auto first = write(0, part(0, 3, "a", 3));
  write(1, part(1, 3, "b", 3));
  write(2, part(2, 3, "c", 3));
  const GgufFile file = GgufFile::open(first);
  ASSERT_EQ(file.tensors().size(), 3U);
  EXPECT_EQ(file.tensors()[2].name, "c");
  EXPECT_EQ(file.require("b").data.size(), 32U);
  EXPECT_EQ(file.require("b").data[5], std::byte{5});
  EXPECT_EQ(file.metadata().require_string("general.name"), "in three");
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    bytes += entry.file_size();
  }
  EXPECT_EQ(file.size_bytes(), bytes);
  ASSERT_EQ(file.paths().size(), 3U);
  EXPECT_EQ(file.paths()[0], first);
  EXPECT_EQ(file.paths()[2].filename(), "m-00003-of-00003.gguf");
  file.release(file.require("c"));
}

TEST_F(SplitGguf, SaysWhichPartIsMissing) {
  const auto first = write(0, part(0, 3, "a", 3));
  write(1, part(1, 3, "b", 3));
  expect_error(ErrorCode::not_found, {"m-00003-of-00003.gguf"}, [&] { GgufFile::open(first); });
}

TEST_F(SplitGguf, SaysWhichPartToOpen) {
  const auto second = write(1, part(1, 3, "b", 3));
  expect_error(ErrorCode::invalid_argument, {second.string(), "part 2", "-00001-of-00003.gguf"},
               [&] { GgufFile::open(second); });
}

TEST_F(SplitGguf, NeedsItsNames) {
  const auto renamed = folder_.write("model.gguf", part(0, 3, "a", 3));
  expect_error(ErrorCode::invalid_argument, {renamed.string(), "-00001-of-00003.gguf"},
               [&] { GgufFile::open(renamed); });
}

TEST_F(SplitGguf, RefusesPartsThatDoNotBelongTogether) {
  const auto first = write(0, part(0, 3, "a", 3));
  const auto second = write(1, part(1, 2, "b", 3));
  write(2, part(2, 3, "c", 3));
  expect_error(ErrorCode::corrupt, {second.string(), "part 2 of 3"},
               [&] { GgufFile::open(first); });
  write(1, part(2, 3, "b", 3));
  expect_error(ErrorCode::corrupt, {second.string(), "part 2 of 3"},
               [&] { GgufFile::open(first); });
  write(1, part(1, 3, "a", 3));
  expect_error(ErrorCode::corrupt, {first.string(), "tensor 'a'", "two parts"},
               [&] { GgufFile::open(first); });
}

TEST_F(SplitGguf, CountsTheTensors) {
  const auto first = write(0, part(0, 3, "a", 4));
  write(1, part(1, 3, "b", 4));
  write(2, part(2, 3, "c", 4));
  expect_error(ErrorCode::corrupt, {first.string(), "promises 4", "hold 3"},
               [&] { GgufFile::open(first); });
}

TEST_F(SplitGguf, ALyingCountCostsNothing) {
  GgufBytes file = GgufBytes::header(0, 1);
  file.key("split.count", 10).number(~std::uint64_t{0});
  const auto path = folder_.write("m-00001-of-00003.gguf", file.bytes());
  expect_error(ErrorCode::invalid_argument, {path.string()}, [&] { GgufFile::open(path); });
}

}  // namespace
}  // namespace lore::test
