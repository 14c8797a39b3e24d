// Pooling, prefixes, and text that streams.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "engine/family_defaults.hpp"
#include "engine/pooling.hpp"
#include "engine/text_stream.hpp"
#include "lore/error.hpp"

namespace lore::engine {
namespace {

TEST(Pooling, PicksAndAverages) {
  const std::vector<float> rows = {1, 2, 3, 4, 5, 6, 7, 8, 12};  // three tokens of three
  std::vector<float> out(3);
  pool_rows(rows, 3, Pooling::cls, out);
  EXPECT_THAT(out, testing::ElementsAre(1, 2, 3));
  pool_rows(rows, 3, Pooling::last, out);
  EXPECT_THAT(out, testing::ElementsAre(7, 8, 12));
  pool_rows(rows, 3, Pooling::mean, out);
  EXPECT_THAT(out, testing::ElementsAre(4, 5, 7));
  out.resize(2);
  pool_rows(rows, 3, Pooling::mean, out);
  EXPECT_THAT(out, testing::ElementsAre(4, 5));
}

TEST(Pooling, NormalizesAndLeavesZeroAlone) {
  std::vector<float> vector = {3, 0, -4};
  normalize(vector);
  EXPECT_THAT(vector, testing::ElementsAre(0.6F, 0, -0.8F));
  std::vector<float> zero(4);
  normalize(zero);
  EXPECT_THAT(zero, testing::Each(0.0F));
}

TEST(Pooling, NamesGoThereAndBack) {
  for (const char* name : {"none", "mean", "cls", "last"}) {
    EXPECT_EQ(pooling_name(parse_pooling(name)), name);
  }
  try {
    parse_pooling("max");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_NE(std::string(error.what()).find("mean"), std::string::npos);
  }
}

FamilyDefaults defaults_of(const std::string& name, std::optional<std::uint64_t> pooling = {}) {
  gguf::Metadata metadata("file.gguf");
  if (pooling) metadata.set("bert.pooling_type", *pooling);
  ModelInfo info;
  info.architecture = "bert";
  info.name = name;
  return family_defaults(metadata, info);
}

TEST(FamilyDefaults, ByName) {
  EXPECT_EQ(defaults_of("Multilingual E5 Small").query_prefix, "query: ");
  EXPECT_EQ(defaults_of("e5_base_v2").passage_prefix, "passage: ");
  EXPECT_EQ(defaults_of("nomic-embed-text-v1.5").passage_prefix, "search_document: ");
  EXPECT_EQ(defaults_of("Bge Small En v1.5").query_prefix,
            "Represent this sentence for searching relevant passages: ");
  EXPECT_EQ(defaults_of("bge-m3").query_prefix, "");
  EXPECT_EQ(defaults_of("all-MiniLM-L6-v2").query_prefix, "");
  EXPECT_EQ(defaults_of("all-MiniLM-L6-v2").passage_prefix, "");
}

TEST(FamilyDefaults, PoolingFromTheFile) {
  EXPECT_EQ(defaults_of("x").pooling, Pooling::mean);
  EXPECT_EQ(defaults_of("x", 2).pooling, Pooling::cls);
  EXPECT_EQ(defaults_of("x", 3).pooling, Pooling::last);
  EXPECT_THROW(defaults_of("x", 4), Error);
}

std::vector<std::string> pushed(TextStream& stream, const std::vector<std::string>& pieces) {
  std::vector<std::string> shown;
  for (const std::string& piece : pieces) shown.push_back(stream.push(piece));
  shown.push_back(stream.finish());
  return shown;
}

TEST(TextStream, HoldsBackUnfinishedCharacters) {
  TextStream stream({});
  EXPECT_THAT(pushed(stream, {"a\xC3", "\xA9z", "\xF0\x9F", "\x98", "\x80"}),
              testing::ElementsAre("a", "\xC3\xA9z", "", "", "\xF0\x9F\x98\x80", ""));
}

TEST(TextStream, BrokenCharactersBecomeReplacements) {
  TextStream stream({});
  EXPECT_THAT(pushed(stream, {"a\xFF", "b\xE2\x82", "c", "\xE2"}),
              testing::ElementsAre("a\xEF\xBF\xBD", "b",
                                   "\xEF\xBF\xBD\xEF\xBF\xBD"
                                   "c",
                                   "", "\xEF\xBF\xBD"));
}

TEST(TextStream, StopsBeforeAStopStringAcrossPieces) {
  TextStream stream({"\nUser:", ""});
  EXPECT_THAT(pushed(stream, {"Hello", "\n", "Us", "e", "ful\nU", "ser: more"}),
              testing::ElementsAre("Hello", "", "", "", "\nUseful", "", ""));
  EXPECT_TRUE(stream.stopped());
  EXPECT_EQ(stream.text(), "Hello\nUseful");
  EXPECT_EQ(stream.push("x"), "");
}

TEST(TextStream, TheFirstStopInTheTextCounts) {
  TextStream stream({"zz", "b"});
  EXPECT_EQ(stream.push("a b zz"), "a ");
  EXPECT_TRUE(stream.stopped());
}

TEST(TextStream, AStopThatNeverCompletesIsShownAtTheEnd) {
  TextStream stream({"END"});
  EXPECT_THAT(pushed(stream, {"x E", "N"}), testing::ElementsAre("x ", "", "EN"));
  EXPECT_FALSE(stream.stopped());
}

}  // namespace
}  // namespace lore::engine
