// From a question to terms, and how many of them a passage has.
#include "index/retrieve/query_terms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "index/retrieve/evidence.hpp"

namespace lore::index {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

std::vector<std::string> words(std::string_view query) {
  std::vector<std::string> words;
  for (const QueryWord& word : query_terms(query).words) words.push_back(word.text);
  return words;
}

TEST(QueryTerms, AreTheContentWordsEachOnce) {
  EXPECT_THAT(words("Which alarms does the pump raise, and what alarm is raised?"),
              ElementsAre("alarms", "pump", "raise"));
}

TEST(QueryTerms, OfStopWordsAloneAreTheStopWords) {
  EXPECT_THAT(words("to be or not to be"), ElementsAre("to", "be", "or", "not"));
  EXPECT_THAT(words("The Who"), ElementsAre("The", "Who"));
  EXPECT_THAT(words("a"), ElementsAre("a"));
  EXPECT_TRUE(query_terms("?!... \"()").empty());
  EXPECT_TRUE(query_terms("").empty());
}

TEST(QueryTerms, KeepNamesWithMarksAsPhrases) {
  EXPECT_THAT(query_terms("what is E-42 at 10.5 bar").phrases, ElementsAre("E-42", "10.5"));
  EXPECT_THAT(words("what is E-42"), ElementsAre("42"));
  EXPECT_THAT(query_terms("don't touch the pump's cover").phrases, IsEmpty());
  EXPECT_THAT(words("isn't the pump's cover"), ElementsAre("pump", "cover"));
}

TEST(QueryTerms, PartScriptsWithoutSpacesIntoWindows) {
  const QueryTerms terms = query_terms("如何更换 filter 水泵？油");
  EXPECT_THAT(terms.spaceless, ElementsAre("如何更换", "水泵", "油"));
  EXPECT_THAT(trigrams_of(terms), ElementsAre("如何更", "何更换"));
  EXPECT_THAT(short_runs_of(terms), ElementsAre("水泵", "油"));
  EXPECT_THAT(bigrams_of(terms), ElementsAre("如何", "何更", "更换", "水泵", "油"));
  EXPECT_EQ(count_terms(terms), 6U);
}

TEST(QueryTerms, AreBoundedWhateverTheQuery) {
  std::string book;
  for (int i = 0; book.size() < (1U << 20); ++i) book += "word" + std::to_string(i) + " 水" + "\n";
  EXPECT_THAT(query_terms(book).words, SizeIs(kQueryWords));
  std::string characters;
  while (characters.size() < (1U << 20)) characters += "水泵更换过滤器";
  EXPECT_LE(trigrams_of(query_terms(characters)).size(), kQueryCharacters);
}

TEST(FullTextString, LeavesNoMeaningToQuotesAndNul) {
  EXPECT_EQ(full_text_string("a\" OR \"b"), "\"a\"\" OR \"\"b\"");
  EXPECT_EQ(full_text_string(std::string_view("a\0b", 3)), "\"ab\"");
  EXPECT_EQ(full_text_string(""), "\"\"");
}

TEST(Evidence, CountsTermsByStemAndByBeginning) {
  const QueryTerms terms = query_terms("How often are the filters of the compressor changed?");
  EXPECT_EQ(count_terms(terms), 4U);  // often, filter, compressor, change
  EXPECT_EQ(count_terms_met(terms, "", "Change the FILTER monthly."), 2U);
  EXPECT_EQ(count_terms_met(terms, "Compressor", "Change the filter often."), 4U);
  EXPECT_EQ(count_terms_met(terms, "", "Filterwechsel am Kompressor"), 0U);
  EXPECT_EQ(count_terms_met(query_terms("Kompressor Ventil"), "", "Kompressorstation"), 1U);
  EXPECT_EQ(count_terms_met(terms, "", ""), 0U);
}

TEST(Evidence, CountsWindowsOfScriptsWithoutSpaces) {
  const QueryTerms terms = query_terms("更换过滤器");
  EXPECT_EQ(count_terms(terms), 4U);
  EXPECT_EQ(count_terms_met(terms, "", "请更换滤芯"), 1U);
  EXPECT_EQ(count_terms_met(terms, "过滤器", "请更换"), 3U);
}

}  // namespace
}  // namespace lore::index
