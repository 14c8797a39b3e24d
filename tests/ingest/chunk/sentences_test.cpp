#include "ingest/chunk/sentences.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lore::ingest {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> result;
  std::size_t begin = 0;
  for (const std::size_t start : sentence_starts(text)) {
    result.push_back(text.substr(begin, start - begin));
    begin = start;
  }
  result.push_back(text.substr(begin));
  return result;
}

TEST(Sentences, EndAtFullStopsQuestionsAndExclamations) {
  EXPECT_THAT(split("It stops. Does it? Yes!  Good."),
              ElementsAre("It stops. ", "Does it? ", "Yes!  ", "Good."));
}

TEST(Sentences, KeepClosingQuotesAndBrackets) {
  EXPECT_THAT(split("He said “stop.” Then (it stopped.) And went."),
              ElementsAre("He said “stop.” ", "Then (it stopped.) ", "And went."));
}

TEST(Sentences, DoNotEndAtAbbreviations) {
  for (const char* text : {
           "See Fig. 3 for details.",
           "Use oil, e.g. ISO VG 46, only.",
           "Dr. Weber and Mr. Stone met.",
           "Order No. 4711 came.",
           "Acme Inc. Germany pays.",
           "It holds approx. 20 litres.",
           "Siehe Abb. 4 und Kap. 7 bzw. Tab. 2.",
           "Das gilt z.B. Mittwochs.",
           "J. R. Smith wrote it.",
           "Am 3. Mai beginnt es.",
           "The year (cf. Smith) was 1990.",
       }) {
    EXPECT_THAT(split(text), SizeIs(1)) << text;
  }
}

TEST(Sentences, DoNotEndInsideNumbersAndNames) {
  for (const char* text : {"It is 3.5 bar.", "Run lore.exe now", "Version 2.0.1 is out",
                           "See www.example.org for it"}) {
    EXPECT_THAT(split(text), SizeIs(1)) << text;
  }
}

TEST(Sentences, DoNotEndBeforeALowerCaseWord) {
  EXPECT_THAT(split("The approval of the works mgr. is needed."), SizeIs(1));
}

TEST(Sentences, EndAfterNumbers) {
  EXPECT_THAT(split("Set it to 12. Then wait. In 1990. Next"),
              ElementsAre("Set it to 12. ", "Then wait. ", "In 1990. ", "Next"));
}

TEST(Sentences, ListNumbersBelongToTheirItem) {
  EXPECT_THAT(split("1. Close the tap."), SizeIs(1));
}

TEST(Sentences, CjkFullStopsNeedNoSpace) {
  EXPECT_THAT(split("泵停止。阀门打开！压力是多少？好。"),
              ElementsAre("泵停止。", "阀门打开！", "压力是多少？", "好。"));
  EXPECT_THAT(split("「止まる。」それから動く。"), ElementsAre("「止まる。」", "それから動く。"));
}

TEST(Sentences, HindiAndArabic) {
  EXPECT_THAT(split("पंप रुकता है। वाल्व खुलता है।"), SizeIs(2));
  EXPECT_THAT(split("هل توقفت المضخة؟ نعم."), SizeIs(2));
}

TEST(Sentences, LineEndsAreWhiteSpace) {
  EXPECT_THAT(split("It stops.\nIt starts\nagain."),
              ElementsAre("It stops.\n", "It starts\nagain."));
}

}  // namespace
}  // namespace lore::ingest
