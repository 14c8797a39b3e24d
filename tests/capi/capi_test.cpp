// lore.h, on a tiny model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "lore.h"
#include "tests/engine/model/tiny_model.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::test {
namespace {

using testing::HasSubstr;

/// What a failed call has left.
std::string taken(char*& error) {
  const std::string text = error == nullptr ? "" : error;
  lore_free(error);
  error = nullptr;
  return text;
}

class CInterface : public testing::Test {
 protected:
  CInterface() {
    TinyModel tiny;
    tiny.architecture = "bert";
    model_ = folder_.path() / "tiny.gguf";
    write_tiny_model(tiny, model_);
    library_ = lore_open(nullptr, &error_);
  }
  ~CInterface() override {
    lore_close(library_);
    lore_free(error_);
  }
  std::string options(const std::string& more = "") const {
    return "{\"model\": \"" + model_.string() + "\"" + more + "}";
  }

  TemporaryFolder folder_;
  std::filesystem::path model_;
  char* error_ = nullptr;
  lore_library* library_ = nullptr;
};

TEST_F(CInterface, EmbedsTheSameBitsInAnyGrouping) {
  ASSERT_NE(library_, nullptr) << error_;
  lore_embedder* embedder = lore_embedder_open(library_, options().c_str(), &error_);
  ASSERT_NE(embedder, nullptr) << error_;
  const std::size_t width = lore_embedder_dimension(embedder);
  const std::vector<const char*> texts = {"a b", "c d e", "f"};
  std::vector<float> together(texts.size() * width);
  EXPECT_EQ(lore_embed(embedder, texts.data(), texts.size(), together.data(), &error_), 12);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::vector<float> alone(width);
    EXPECT_GT(lore_embed(embedder, &texts[i], 1, alone.data(), nullptr), 0);
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(),
                           together.begin() + static_cast<std::ptrdiff_t>(i * width)));
  }
  EXPECT_EQ(lore_embed(embedder, nullptr, 0, nullptr, &error_), 0);
  lore_embedder_close(embedder);
}

TEST_F(CInterface, WhatIsWrongIsSaidAndNothingIsThrown) {
  ASSERT_NE(library_, nullptr);
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"[]", "no JSON object"},
      {"{\"modle\": \"a\"}", "no option \"modle\""},
      {"{\"model\": 3}", "another kind"},
      {"{\"model\": \"/nowhere.gguf\"}", "/nowhere.gguf"},
      {options(", \"pooling\": \"none\""), "pooling none"},
      {options(", \"pooling\": \"max\""), "max"},
      {options(", \"dimensions\": -1"), "another kind"},
      {options(", \"dimensions\": 100000"), "dimensions"},
  };
  for (const auto& [given, expected] : wrong) {
    EXPECT_EQ(lore_embedder_open(library_, given.c_str(), &error_), nullptr) << given;
    EXPECT_THAT(taken(error_), HasSubstr(expected)) << given;
    EXPECT_EQ(lore_embedder_open(library_, given.c_str(), nullptr), nullptr);
  }
  lore_library* other = lore_open("{\"kernels\": \"abacus\"}", &error_);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(lore_embedder_open(other, options().c_str(), &error_), nullptr);  // said when used
  EXPECT_THAT(taken(error_), HasSubstr("abacus"));
  lore_close(other);
  EXPECT_EQ(lore_embedder_open(nullptr, nullptr, &error_), nullptr);
  EXPECT_THAT(taken(error_), HasSubstr("NULL"));
  EXPECT_EQ(lore_index_open(library_, folder_.path().c_str(), &error_), nullptr);
  EXPECT_NE(taken(error_), "");
  EXPECT_EQ(lore_search(nullptr, "a", nullptr, &error_), nullptr);
  EXPECT_THAT(taken(error_), HasSubstr("NULL"));
  EXPECT_EQ(lore_ask(nullptr, "a", nullptr, nullptr, nullptr, &error_), nullptr);
  EXPECT_THAT(taken(error_), HasSubstr("NULL"));
  lore_close(nullptr);
  lore_embedder_close(nullptr);
  lore_index_close(nullptr);
  lore_free(nullptr);
  EXPECT_EQ(lore_embedder_dimension(nullptr), 0U);
}

TEST_F(CInterface, AProgramInCRunsAndLeavesNothingBehind) {
#ifdef LORE_SANITIZED
  GTEST_SKIP() << "valgrind does not run programs with sanitizers";
#endif
  if (std::system("valgrind --version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "valgrind is not on this machine";
  }
  const std::string log = (folder_.path() / "valgrind.log").string();
  // Not for values that were never set: an optimized build may look at an empty optional's value
  // before it looks whether there is one, to no effect.
  const std::string command =
      "valgrind --quiet --error-exitcode=99 --undef-value-errors=no --leak-check=full "
      "--errors-for-leak-kinds=definite --log-file='" +
      log + "' '" CAPI_PROGRAM "' '" + model_.string() + "' >/dev/null";
  const int status = std::system(command.c_str());
  std::string lines;
  for (const std::string& line : read_lines(log)) lines += line + "\n";
  EXPECT_EQ(WEXITSTATUS(status), 0) << lines;
}

}  // namespace
}  // namespace lore::test
