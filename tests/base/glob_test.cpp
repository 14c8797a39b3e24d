#include "base/glob.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace lore {
namespace {

bool matches(std::string_view pattern, std::string_view path, bool is_folder = false) {
  return Glob(pattern).matches(path, is_folder);
}

TEST(Glob, WithoutSlashFitsNamesAtAnyDepth) {
  EXPECT_TRUE(matches("*.pdf", "a.pdf"));
  EXPECT_TRUE(matches("*.pdf", "x/y/a.pdf"));
  EXPECT_FALSE(matches("*.pdf", "a.pdf.txt"));
  EXPECT_FALSE(matches("a", "a/b"));
  EXPECT_TRUE(matches("b", "a/b"));
}

TEST(Glob, WithSlashFitsFromTheTop) {
  EXPECT_TRUE(matches("/a.pdf", "a.pdf"));
  EXPECT_FALSE(matches("/a.pdf", "x/a.pdf"));
  EXPECT_TRUE(matches("x/*.pdf", "x/a.pdf"));
  EXPECT_FALSE(matches("x/*.pdf", "y/x/a.pdf"));
  EXPECT_FALSE(matches("x/*.pdf", "x/y/a.pdf")) << "a star stays in its part";
}

TEST(Glob, TwoStarsSpanFolders) {
  EXPECT_TRUE(matches("**/a.pdf", "a.pdf"));
  EXPECT_TRUE(matches("**/a.pdf", "x/y/a.pdf"));
  EXPECT_TRUE(matches("x/**/a.pdf", "x/a.pdf"));
  EXPECT_TRUE(matches("x/**/a.pdf", "x/y/z/a.pdf"));
  EXPECT_FALSE(matches("x/**/a.pdf", "y/a.pdf"));
  EXPECT_TRUE(matches("x/**", "x/y/z"));
  EXPECT_FALSE(matches("x/**", "x", true)) << "what lies below, not the folder";
  EXPECT_TRUE(matches("**", "anything/at/all"));
}

TEST(Glob, QuestionMarksTakeOneCharacterNotOneByte) {
  EXPECT_TRUE(matches("?.txt", "ü.txt"));
  EXPECT_TRUE(matches("??.txt", "泵a.txt"));
  EXPECT_FALSE(matches("?.txt", "ab.txt"));
}

TEST(Glob, Sets) {
  EXPECT_TRUE(matches("[a-c]1", "b1"));
  EXPECT_FALSE(matches("[a-c]1", "d1"));
  EXPECT_TRUE(matches("[!a-c]1", "d1"));
  EXPECT_FALSE(matches("[^a-c]1", "b1"));
  EXPECT_TRUE(matches("[]x]", "]"));
  EXPECT_TRUE(matches("[ä-ö]", "ö"));
  EXPECT_TRUE(matches("a[b", "a[b")) << "without its end the bracket stands for itself";
  EXPECT_TRUE(matches("[a-]", "-"));
}

TEST(Glob, BackslashTakesTheNextCharacterAsItIs) {
  EXPECT_TRUE(matches("\\*.pdf", "*.pdf"));
  EXPECT_FALSE(matches("\\*.pdf", "a.pdf"));
  EXPECT_TRUE(matches("\\[a]", "[a]"));
}

TEST(Glob, ASlashAtTheEndFitsFoldersOnly) {
  EXPECT_TRUE(matches("build/", "x/build", true));
  EXPECT_FALSE(matches("build/", "x/build", false));
}

TEST(Glob, CaseCanBeIgnored) {
  EXPECT_FALSE(Glob("*.pdf").matches("A.PDF", false));
  EXPECT_TRUE(Glob("*.pdf", Glob::Case::ignore).matches("A.PDF", false));
  EXPECT_TRUE(Glob("[a-c].PDF", Glob::Case::ignore).matches("B.pdf", false));
}

TEST(Glob, StaysFastOnHostilePatterns) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  std::string parts;
  for (int i = 0; i < 200; ++i) parts += "**/a/";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(matches(pattern + "b", std::string(2000, 'a')));
  EXPECT_FALSE(matches(parts + "b", std::string("a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/c")));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

}  // namespace
}  // namespace lore
