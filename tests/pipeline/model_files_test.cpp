#include "pipeline/model_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lore/error.hpp"
#include "lore/library.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::pipeline {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(std::string_view name, const std::filesystem::path& folder) {
  try {
    require_model(name, folder, "get-them");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    return error.what();
  }
  return {};
}

TEST(ModelFilesTest, NamesStandForFilesOfTheFolder) {
  const test::TemporaryFolder folder;
  folder.write("small.gguf", "x");
  folder.write("big-00001-of-00002.gguf", "x");
  folder.write("big-00002-of-00002.gguf", "x");
  folder.write("notes.txt", "x");
  EXPECT_THAT(model_names(folder.path()), ElementsAre("big", "small"));
  EXPECT_EQ(require_model("small", folder.path(), ""), folder.path() / "small.gguf");
  EXPECT_EQ(require_model("big", folder.path(), ""), folder.path() / "big-00001-of-00002.gguf");
}

TEST(ModelFilesTest, PathsAreTakenAsTheyAre) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("elsewhere/m.gguf", "x");
  EXPECT_EQ(require_model(path.string(), "/nowhere", ""), path);
  EXPECT_THAT(refusal((folder.path() / "none.gguf").string(), "/nowhere"), HasSubstr("none.gguf"));
  EXPECT_THAT(refusal(folder.path().string() + "/elsewhere", "/nowhere"),
              HasSubstr("lore model convert"));
}

TEST(ModelFilesTest, AMissingModelIsToldWithTheWayToGetIt) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(refusal("qwen-1.5b", folder.path()),
              AllOf(HasSubstr("'qwen-1.5b'"), HasSubstr("get-them qwen-1.5b")));
  folder.write("minilm.gguf", "x");
  EXPECT_THAT(refusal("qwen-1.5b", folder.path()), HasSubstr("minilm"));
  EXPECT_THAT(refusal("", folder.path()), HasSubstr("''"));
  EXPECT_THAT(refusal("x", folder.path() / "none"), HasSubstr("get-them"));
}

TEST(FindIndexTest, LooksUpward) {
  const test::TemporaryFolder folder;
  folder.write("docs/.lore/x", "");
  folder.write("docs/a/b/c.txt", "");
  const auto expected = std::filesystem::canonical(folder.path() / "docs/.lore");
  EXPECT_EQ(find_index(folder.path() / "docs"), expected);
  EXPECT_EQ(find_index(folder.path() / "docs/a/b"), expected);
}

}  // namespace
}  // namespace lore::pipeline
