#include "ingest/walk/ignore_file.hpp"

#include <gtest/gtest.h>

namespace lore::ingest {
namespace {

TEST(IgnoreRules, LastRuleThatFitsDecides) {
  const IgnoreRules rules("*.log\n!keep.log\n/secret.txt\nbuild/\n");
  EXPECT_EQ(rules.judge("a.log", false), Verdict::ignored);
  EXPECT_EQ(rules.judge("x/a.log", false), Verdict::ignored);
  EXPECT_EQ(rules.judge("x/keep.log", false), Verdict::kept);
  EXPECT_EQ(rules.judge("secret.txt", false), Verdict::ignored);
  EXPECT_EQ(rules.judge("x/secret.txt", false), Verdict::none);
  EXPECT_EQ(rules.judge("x/build", true), Verdict::ignored);
  EXPECT_EQ(rules.judge("x/build", false), Verdict::none);
}

TEST(IgnoreRules, CommentsBlankLinesAndEscapes) {
  const IgnoreRules rules("# note\r\n\n   \n\\#real\n\\!bang\nspace\\ \ntrailing   \n/\n!\n");
  EXPECT_EQ(rules.judge("# note", false), Verdict::none);
  EXPECT_EQ(rules.judge("#real", false), Verdict::ignored);
  EXPECT_EQ(rules.judge("!bang", false), Verdict::ignored);
  EXPECT_EQ(rules.judge("space ", false), Verdict::ignored);
  EXPECT_EQ(rules.judge("trailing", false), Verdict::ignored);
}

}  // namespace
}  // namespace lore::ingest
