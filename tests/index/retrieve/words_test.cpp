// Words, stems and stop words.
#include "index/retrieve/words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "index/retrieve/stem.hpp"
#include "index/retrieve/stop_words.hpp"

namespace lore::index {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> folded(std::string_view text) {
  std::vector<std::string> words;
  for (const Word& word : split_words(text)) words.push_back(word.folded);
  return words;
}

std::vector<std::string> content(std::string_view text) {
  const std::vector<Word> words = split_words(text);
  const std::vector<bool> stops = stop_words(words);
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!stops[i]) kept.push_back(words[i].folded);
  }
  return kept;
}

TEST(Words, FoldCaseAndMarks) {
  EXPECT_THAT(folded("Über-Druck ÉTÉ naïve Größe"),
              ElementsAre("uber", "druck", "ete", "naive", "große"));
  EXPECT_THAT(folded("e\u0301t\u00e9"), ElementsAre("ete"));  // a combining mark, and composed
  EXPECT_THAT(folded("ΔΙΑ Жёлтый"), ElementsAre("δια", "желтыи"));
}

TEST(Words, PartAtWhatIsNoLetterOrDigit) {
  EXPECT_THAT(folded("a+b=c; \"d\" (e)\nf\0g"), ElementsAre("a", "b", "c", "d", "e", "f"));
  EXPECT_THAT(folded("5.2 bar/psi"), ElementsAre("5", "2", "bar", "psi"));
  EXPECT_THAT(folded("\xFF\xC0 x\xFE y"), ElementsAre("x", "y"));
  EXPECT_THAT(folded(""), IsEmpty());
  EXPECT_THAT(folded("— … !"), IsEmpty());
}

TEST(Words, KeepScriptsWithoutSpacesApart) {
  const std::vector<Word> words = split_words("更换ABC过滤器 ไทย 한국어");
  ASSERT_EQ(words.size(), 5U);
  EXPECT_TRUE(words[0].spaceless);
  EXPECT_EQ(words[0].folded, "更换");
  EXPECT_FALSE(words[1].spaceless);
  EXPECT_TRUE(words[2].spaceless);
  EXPECT_EQ(words[2].length, 3U);
  EXPECT_TRUE(words[3].spaceless);
  EXPECT_FALSE(words[4].spaceless);  // Korean writes spaces
}

TEST(Words, KnowWhereTheyStandAndWhatJoinsThem) {
  const std::string_view text = "the E-42 alarm, and more";
  const std::vector<Word> words = split_words(text);
  ASSERT_EQ(words.size(), 6U);
  EXPECT_EQ(text.substr(words[2].begin, words[2].end - words[2].begin), "42");
  EXPECT_TRUE(words[2].joined);
  EXPECT_TRUE(words[2].has_digit);
  EXPECT_FALSE(words[1].joined);
  EXPECT_FALSE(words[4].joined);
}

TEST(Stem, MakesTheFormsOfAWordEqual) {
  for (const auto& forms : std::vector<std::vector<std::string>>{
           {"alarm", "alarms", "alarmed", "alarming"},
           {"change", "changes", "changed", "changing"},
           {"stop", "stops", "stopped", "stopping"},
           {"battery", "batteries", "batterie", "batterien"},
           {"filter", "filters", "filtered", "filtering", "filtern"},
           {"pumpe", "pumpen", "pump", "pumps"},
           {"motor", "motoren", "motors"},
           {"fehler", "fehlern", "fehlers"}}) {
    for (const std::string& form : forms) EXPECT_EQ(stem(form), stem(forms[0])) << form;
  }
}

TEST(Stem, KeepsDifferentWordsApart) {
  EXPECT_NE(stem("press"), stem("pressure"));
  EXPECT_NE(stem("fill"), stem("file"));
  EXPECT_NE(stem("water"), stem("wat"));
  EXPECT_NE(stem("stopp"), stem("stoss"));
}

TEST(Stem, LeavesShortWordsAndNumbersAlone) {
  for (const char* word : {"", "a", "is", "bus", "gas", "e42", "4711", "δια", "sing", "bed"}) {
    EXPECT_EQ(stem(word), word);
  }
}

TEST(StopWords, FollowTheLanguageOfTheQuery) {
  EXPECT_THAT(content("How do I change the filter of the pump?"),
              ElementsAre("change", "filter", "pump"));
  EXPECT_THAT(content("Wie wechsle ich den Filter der Pumpe?"),
              ElementsAre("wechsle", "filter", "pumpe"));
  EXPECT_THAT(content("Was ist die Not-Aus-Taste?"), ElementsAre("not", "taste"));
  EXPECT_THAT(content("What happened in the die casting war room?"),
              ElementsAre("happened", "die", "casting", "war", "room"));
  EXPECT_THAT(content("civil war"), ElementsAre("civil", "war"));
}

}  // namespace
}  // namespace lore::index
