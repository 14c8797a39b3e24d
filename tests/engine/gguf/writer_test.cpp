// What the writer writes, read back.
#include "engine/gguf/writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "engine/gguf/gguf_file.hpp"
#include "lore/error.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::engine::gguf {
namespace {

std::vector<std::byte> bytes_of(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

class WriterTest : public testing::Test {
 protected:
  GgufFile written() {
    writer_.write(path());
    return GgufFile::open(path());
  }
  std::filesystem::path path() const { return folder_.path() / "model.gguf"; }

  test::TemporaryFolder folder_;
  Writer writer_;
};

TEST_F(WriterTest, KeepsScalarsOfEveryKind) {
  writer_.set("small", std::uint64_t{7});
  writer_.set("large", std::uint64_t{1} << 40);
  writer_.set("negative", std::int64_t{-5});
  writer_.set("very negative", std::numeric_limits<std::int64_t>::min());
  writer_.set("real", 0.25);
  writer_.set("yes", true);
  writer_.set("text", std::string("a\0b \xC3\xA9", 6));
  const GgufFile file = written();
  const Metadata& metadata = file.metadata();
  EXPECT_EQ(metadata.get_unsigned("small"), 7U);
  EXPECT_EQ(metadata.get_unsigned("large"), std::uint64_t{1} << 40);
  EXPECT_EQ(std::get<std::int64_t>(*metadata.find("negative")), -5);
  EXPECT_EQ(std::get<std::int64_t>(*metadata.find("very negative")),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(metadata.get_float("real"), 0.25);
  EXPECT_EQ(metadata.get_bool("yes"), true);
  EXPECT_EQ(metadata.get_string("text"), std::string("a\0b \xC3\xA9", 6));
}

TEST_F(WriterTest, KeepsArrays) {
  writer_.set("strings", Array{std::vector<std::string>{"", "x", "yz"}});
  writer_.set("floats", Array{std::vector<float>{1.5F, -2}});
  writer_.set("integers", Array{std::vector<std::int64_t>{-1, 0, 3}});
  writer_.set("wide", Array{std::vector<std::uint64_t>{1, std::uint64_t{1} << 50}});
  writer_.set("flags", Array{std::vector<bool>{true, false, true}});
  writer_.set("empty", Array{std::vector<std::string>{}});
  writer_.set("nested", Array{std::vector<Array>{Array{std::vector<float>{1}},
                                                 Array{std::vector<float>{2, 3}}}});
  const GgufFile file = written();
  const Metadata& metadata = file.metadata();
  EXPECT_THAT(*metadata.get_strings("strings"), testing::ElementsAre("", "x", "yz"));
  EXPECT_THAT(*metadata.get_floats("floats"), testing::ElementsAre(1.5F, -2));
  EXPECT_THAT(*metadata.get_integers("integers"), testing::ElementsAre(-1, 0, 3));
  EXPECT_THAT(*metadata.get_integers("wide"), testing::ElementsAre(1, std::int64_t{1} << 50));
  EXPECT_TRUE(metadata.get_strings("empty")->empty());
  const auto& flags = std::get<Array>(*metadata.find("flags"));
  EXPECT_THAT(std::get<std::vector<bool>>(flags.items), testing::ElementsAre(true, false, true));
  const auto& nested = std::get<Array>(*metadata.find("nested"));
  EXPECT_EQ(std::get<std::vector<Array>>(nested.items).at(1).size(), 2U);
}

TEST_F(WriterTest, SettingAKeyAgainReplacesIt) {
  writer_.set("key", std::uint64_t{1});
  writer_.set("key", std::uint64_t{2});
  EXPECT_EQ(written().metadata().get_unsigned("key"), 2U);
}

TEST_F(WriterTest, KeepsTensorsOfUnevenSizesAligned) {
  const std::vector<float> odd = {1, 2, 3};
  const std::vector<float> matrix = {1, 2, 3, 4, 5, 6};
  writer_.add_tensor("odd", DType::f32, {3}, bytes_of(odd));
  writer_.add_tensor("matrix", DType::f32, {2, 3}, bytes_of(matrix));
  const GgufFile file = written();
  ASSERT_EQ(file.tensors().size(), 2U);
  const TensorInfo& tensor = file.require("matrix");
  EXPECT_THAT(tensor.shape, testing::ElementsAre(2, 3));
  ASSERT_EQ(tensor.data.size(), 24U);
  EXPECT_EQ(std::memcmp(tensor.data.data(), matrix.data(), 24), 0);
  EXPECT_EQ(std::memcmp(file.require("odd").data.data(), odd.data(), 12), 0);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor.data.data()) % 32, 0U);
}

TEST_F(WriterTest, RefusesTensorsThatCannotBe) {
  const auto refuses = [this](DType type, std::vector<std::size_t> shape, std::size_t bytes) {
    try {
      writer_.add_tensor("bad", type, std::move(shape), std::vector<std::byte>(bytes));
      return false;
    } catch (const Error& error) {
      return error.code() == ErrorCode::invalid_argument &&
             std::string(error.what()).find("bad") != std::string::npos;
    }
  };
  EXPECT_TRUE(refuses(DType::f32, {3}, 11));
  EXPECT_TRUE(refuses(DType::f32, {}, 4));
  EXPECT_TRUE(refuses(DType::f32, {1, 1, 1, 1, 1}, 4));
  EXPECT_TRUE(refuses(DType::q8_0, {33}, 34));  // no whole blocks
  writer_.add_tensor("bad", DType::f32, {1}, std::vector<std::byte>(4));
  EXPECT_TRUE(refuses(DType::f32, {1}, 4));  // the same name again
}

TEST_F(WriterTest, RefusesAnotherAlignment) {
  EXPECT_THROW(writer_.set("general.alignment", std::uint64_t{64}), Error);
}

TEST_F(WriterTest, LeavesTheOldFileWhereWritingFails) {
  const auto inside = folder_.path() / "missing" / "model.gguf";
  EXPECT_THROW(writer_.write(inside), Error);
  folder_.write("model.gguf", "old");
  std::filesystem::create_directory(folder_.path() / "taken");
  EXPECT_THROW(writer_.write(folder_.path() / "taken"), Error);  // a folder is in the way
  std::size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    ++entries;
  }
  EXPECT_EQ(entries, 2U);  // no temporary file is left
  EXPECT_EQ(read_file(folder_.path() / "model.gguf"), "old");
}

}  // namespace
}  // namespace lore::engine::gguf
