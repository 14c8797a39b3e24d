#include "pipeline/citations/citations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/utf8.hpp"

namespace lore::pipeline {
namespace {

using testing::ElementsAre;

CitationCheck check(std::string_view sentence, std::string_view page) {
  const std::string_view pages[] = {page};
  return verify(sentence, pages);
}

std::vector<std::string> sentences(std::string_view text) {
  std::vector<std::string> result;
  for (const TextSpan& span : split_sentences(text)) {
    result.emplace_back(utf8::slice(text, span.start, span.end));
  }
  return result;
}

// verify

TEST(Verify, QuotesTheStretchInCodePoints) {
  const std::string page = "Überdruck: Größe unbekannt. Die Pumpe stoppt bei 1,2 bar. Ende.";
  const CitationCheck result = check("Die Pumpe stoppt bei 1.2 bar [1].", page);
  EXPECT_EQ(result.status, CitationStatus::verified);
  EXPECT_EQ(utf8::slice(page, result.quote.start, result.quote.end),
            "Die Pumpe stoppt bei 1,2 bar.");
  EXPECT_EQ(result.share, 1.0);
}

TEST(Verify, NamesThePageThatHasIt) {
  const std::string_view pages[] = {"Nothing of the kind stands here.",
                                    "The valve opens at a pressure of 3 bar."};
  const CitationCheck result = verify("The valve opens at 3 bar.", pages);
  EXPECT_EQ(result.status, CitationStatus::verified);
  EXPECT_EQ(result.page, 1U);
}

TEST(Verify, HasThreeGrades) {
  const std::string_view page =
      "The blower pump of the boiler house stops at a pressure of 1.2 bar.";
  EXPECT_EQ(check("The blower pump stops at a pressure of 1.2 bar.", page).status,
            CitationStatus::verified);
  EXPECT_EQ(check("At 1.2 bar a controller quickly stops every blower pump.", page).status,
            CitationStatus::weak);
  EXPECT_EQ(check("The blower pump stops at a pressure of 1.3 bar.", page).status,
            CitationStatus::unsupported);
}

TEST(Verify, CodesOfTheSubjectNeedNotStandInEverySentence) {
  const std::string_view pages[] = {"Tighten the four anchor bolts to 85 Nm, crosswise."};
  const std::string_view subject = "Hydrona HX-200 Operating Manual\n3.1 Anchors";
  const auto status = [&](std::string_view sentence, std::string_view about) {
    return verify(sentence, pages, about).status;
  };
  const std::string_view right = "The anchor bolts of the HX-200 are tightened to 85 Nm.";
  EXPECT_EQ(status(right, subject), CitationStatus::weak);
  EXPECT_EQ(status(right, ""), CitationStatus::unsupported);
  for (const char* wrong : {"The anchor bolts of the HX-300 are tightened to 85 Nm.",
                            "The anchor bolts of the HX-200 are tightened to 75 Nm.",
                            "The 3.1 anchor bolts are tightened to 85 Nm."}) {
    EXPECT_EQ(status(wrong, subject), CitationStatus::unsupported) << wrong;
  }
}

TEST(Verify, ARowsLastFigureDoesNotCountWhatTheNextRowBeginsWith) {
  const std::string_view page =
      "Work\tYear\tCost in pounds\nReplacement of bearings on pier 2\t2025\t146,000\n"
      "East expansion joint\t2025\t58,000\n";
  EXPECT_NE(check("The replacement of the bearings on pier 2 will cost £146,000.", page).status,
            CitationStatus::unsupported);
  EXPECT_NE(check("The replacement of the bearings on pier 2 will cost £58,000.", page).status,
            CitationStatus::verified);
  EXPECT_EQ(check("The works employ 40 bar.", "The works employ 40\nworkers.").status,
            CitationStatus::unsupported);
}

TEST(Verify, FoldsWhatReadersTakeAsTheSame) {
  const std::string_view said = "The office files differ by 10 %.";
  EXPECT_EQ(check(said, "THE OFFICE FILES DIFFER BY 10%.").status, CitationStatus::verified);
  EXPECT_EQ(check(said,
                  "The o\xEF\xAC\x83"  // ligature ffi
                  "ce \xEF\xAC\x81les differ by 10\xC2\xA0%.")
                .status,
            CitationStatus::verified);
  EXPECT_EQ(check(said,
                  "The of\xC2\xAD"  // soft hyphen
                  "fice files dif-\nfer\nby   10 percent.")
                .status,
            CitationStatus::verified);
}

TEST(Verify, ALineHyphenMayBelongToTheWord) {
  EXPECT_EQ(check("Use the oil filled radiator.", "Use the oil-\nfilled radiator.").status,
            CitationStatus::verified);
  EXPECT_EQ(check("Watch the pressure carefully.", "Watch the pres-\nsure carefully.").status,
            CitationStatus::verified);
}

TEST(Verify, ReadsFiguresInAllTheirSpellings) {
  const auto confirmed = [](const std::string& claim, const std::string& page) {
    return check("The tank volume reads " + claim + " today.",
                 "The tank volume reads " + page + " today.")
               .status == CitationStatus::verified;
  };
  EXPECT_TRUE(confirmed("1000", "1,000"));
  EXPECT_TRUE(confirmed("1,000", "1.000"));
  EXPECT_TRUE(confirmed("12 500", "12,500"));
  EXPECT_TRUE(confirmed("1,5 m", "1.5m"));
  EXPECT_TRUE(confirmed("1.50", "1.5"));
  EXPECT_TRUE(confirmed("5 million", "5,000,000"));
  EXPECT_TRUE(confirmed("twelve litres", "12 l"));
  EXPECT_TRUE(confirmed("5 bar", "5bar"));
  EXPECT_TRUE(
      confirmed("\xE2\x88\x92"
                "5 °C",
                "-5°C"));
  EXPECT_TRUE(confirmed("£10", "10 pounds sterling, £10"));
  EXPECT_FALSE(confirmed("1000", "100"));
  EXPECT_FALSE(confirmed("1,5", "15"));
  EXPECT_FALSE(confirmed("5 °C", "-5 °C"));
  EXPECT_FALSE(confirmed("5 bar", "5 psi"));
  EXPECT_FALSE(confirmed("5 mPa", "5 MPa"));
  EXPECT_FALSE(confirmed("5 million", "5 billion"));
  EXPECT_FALSE(confirmed("E14", "E15"));
  EXPECT_FALSE(confirmed("11:30", "11:45"));
}

TEST(Verify, ARangeIsNoNegativeNumber) {
  EXPECT_EQ(check("The range is 10 to 15 bar.", "The range is 10-15 bar.").status,
            CitationStatus::verified);
}

TEST(Verify, WordsBeyondTwoSentencesDoNotCount) {
  const std::string_view page =
      "The red valve leaks. Nothing else is known. The tank was repaired by Monday evening.";
  EXPECT_NE(check("The red valve was repaired by Monday evening.", page).status,
            CitationStatus::verified);
}

TEST(Verify, NegationsMustStandAtTheSameWord) {
  const std::string_view page = "The valve must not be opened while the pump runs.";
  EXPECT_EQ(check("The valve must not be opened while the pump runs.", page).status,
            CitationStatus::verified);
  EXPECT_EQ(check("The valve must be opened while the pump runs.", page).status,
            CitationStatus::weak);
  EXPECT_EQ(check("The valve must be opened while the pump does not run.", page).status,
            CitationStatus::weak);
}

TEST(Verify, ASentenceWordForWordIsVerifiedInANarrowColumn) {
  const std::string page =
      "Garantie\n\nDer Hersteller gibt auf die\nPumpe und den Motor eine\nGarantie von 24 Mona-\n"
      "ten ab Lieferung. Der\nMotor läuft bei -5 °C und\nBedarf auch mit 5 MW.";
  const CitationCheck whole = check(
      "Der Hersteller gibt auf die Pumpe und den Motor eine Garantie von 24 Monaten ab "
      "Lieferung [1].",
      page);
  EXPECT_EQ(whole.status, CitationStatus::verified);
  EXPECT_EQ(whole.share, 1.0);
  EXPECT_EQ(utf8::slice(page, whole.quote.start, whole.quote.end),
            "Der Hersteller gibt auf die\nPumpe und den Motor eine\nGarantie von 24 Mona-\n"
            "ten ab Lieferung.");
  EXPECT_EQ(check("Der Motor läuft bei -5 °C und Bedarf auch mit 5 MW.", page).status,
            CitationStatus::verified);
  for (const char* wrong : {"Der Motor läuft bei 5 °C und Bedarf auch mit 5 MW.",
                            "Der Motor läuft bei -5 °C und Bedarf auch mit 5 mW."}) {
    EXPECT_NE(check(wrong, page).status, CitationStatus::verified) << wrong;
  }
}

TEST(Verify, AnAmbiguousPointIsReadAsItsLanguageDoes) {
  const auto status = [](const std::string& claim, const std::string& page) {
    return check("The pipe was " + claim + " m long in the plan.",
                 "The pipe was " + page + " m long in the plan.")
        .status;
  };
  EXPECT_EQ(status("1.5", "1.500"), CitationStatus::verified);
  EXPECT_EQ(status("1500", "1.500"), CitationStatus::weak);
  EXPECT_EQ(status("1500", "1,500"), CitationStatus::verified);
  EXPECT_EQ(status("1.5", "1,500"), CitationStatus::weak);
  EXPECT_EQ(status("1,500", "1.5"), CitationStatus::weak);
}

TEST(Verify, UnitsArePrefixAndBase) {
  const auto confirmed = [](const std::string& claim, const std::string& page) {
    return check("The probe reads " + claim, "The probe reads " + page).status ==
           CitationStatus::verified;
  };
  EXPECT_TRUE(confirmed("5 micrograms", "5 µg"));
  EXPECT_TRUE(confirmed("5 mcg/l", "5 µg/l"));
  EXPECT_TRUE(confirmed("3 kilowatt hours", "3 kWh"));
  EXPECT_TRUE(confirmed("4 Mikroliter", "4 µl"));
  EXPECT_FALSE(confirmed("5 µg/l", "5 µg/kg"));
  EXPECT_FALSE(confirmed("5 nm", "5 Nm"));
  EXPECT_FALSE(confirmed("5 mJ", "5 MJ"));
  EXPECT_FALSE(confirmed("5 pF", "5 nF"));
  EXPECT_FALSE(confirmed("7 am", "7 pm"));
}

TEST(Verify, ALoneWordOrNothingProvesNothing) {
  const std::string_view page = "Pumps run at 5 bar.";
  EXPECT_EQ(check("Pumps.", page).status, CitationStatus::unsupported);
  EXPECT_EQ(check("It is so.", page).status, CitationStatus::unsupported);
  EXPECT_EQ(check("", page).status, CitationStatus::unsupported);
  EXPECT_EQ(check("The pumps run.", "").status, CitationStatus::unsupported);
  EXPECT_EQ(check("5 bar [1].", page).status, CitationStatus::verified);
}

TEST(Verify, SurvivesAnyBytes) {
  std::string noise;
  for (int i = 0; i < 4000; ++i) noise += static_cast<char>((i * 37 + i / 7) & 0xFF);
  EXPECT_NO_THROW(check(noise, noise));
  EXPECT_NO_THROW(check("[1][", "-.5 5- ,5 1,2,3. E-"));
  EXPECT_NO_THROW(check(std::string(3000, '9') + " bar", std::string(3000, '9') + " bar"));
}

TEST(StatusName, IsTheOneOfTheInterface) {
  EXPECT_EQ(status_name(CitationStatus::verified), "verified");
  EXPECT_EQ(status_name(CitationStatus::weak), "weak");
  EXPECT_EQ(status_name(CitationStatus::unsupported), "unsupported");
}

// split_sentences

TEST(SplitSentences, AtFullStopsButNotAfterAbbreviationsNumbersAndInitials) {
  EXPECT_THAT(
      sentences("It is approx. 5 bar, i.e. much. See J. Smith. Stop! Why? Yes."),
      ElementsAre("It is approx. 5 bar, i.e. much.", "See J. Smith.", "Stop!", "Why?", "Yes."));
  EXPECT_THAT(sentences("Am 3. Januar lag der Druck bei 1.2 bar. Er stieg."),
              ElementsAre("Am 3. Januar lag der Druck bei 1.2 bar.", "Er stieg."));
  EXPECT_THAT(sentences("水泵停止。压力为5巴！"), ElementsAre("水泵停止。", "压力为5巴！"));
}

TEST(SplitSentences, TakesClosingQuotesAndBracketsAlong) {
  EXPECT_THAT(sentences("He said \"stop.\" (It did.) Then"),
              ElementsAre("He said \"stop.\"", "(It did.)", "Then"));
}

TEST(SplitSentences, KeepsLinesOfAParagraphTogetherAndRowsApart) {
  EXPECT_THAT(sentences("The pump stops when the pressure at the inlet\nfalls below the limit "
                        "that was set before.\n\nHeading\nE14  Low oil\nE15  High heat\n"),
              ElementsAre("The pump stops when the pressure at the inlet\nfalls below the limit "
                          "that was set before.",
                          "Heading", "E14  Low oil", "E15  High heat"));
  EXPECT_THAT(sentences("- first\n- second\n1. third\n2. fourth"),
              ElementsAre("- first", "- second", "1. third", "2. fourth"));
}

TEST(SplitSentences, EmptyAndBlankTextsHaveNone) {
  EXPECT_TRUE(split_sentences("").empty());
  EXPECT_TRUE(split_sentences(" \n\f\n ").empty());
}

// split_answer

TEST(SplitAnswer, GivesMarksToTheirSentence) {
  const auto parts = split_answer("The pump stops [1]. It restarts later. [2][3] Nobody knows.");
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].text, "The pump stops.");
  EXPECT_THAT(parts[0].citations, ElementsAre(1));
  EXPECT_EQ(parts[1].text, "It restarts later.");
  EXPECT_THAT(parts[1].citations, ElementsAre(2, 3));
  EXPECT_EQ(parts[2].text, "Nobody knows.");
  EXPECT_TRUE(parts[2].citations.empty());
}

TEST(SplitAnswer, ReadsListsAndRangesOfNumbersOnce) {
  const auto parts = split_answer("Both agree [1, 2; 2] and so do all [4-6].");
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_THAT(parts[0].citations, ElementsAre(1, 2, 4, 5, 6));
  EXPECT_EQ(parts[0].text, "Both agree and so do all.");
}

TEST(SplitAnswer, LeavesOtherBracketsAlone) {
  const auto parts = split_answer("Press [OK] and array[0x] [99999999].");
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_TRUE(parts[0].citations.empty());
  EXPECT_EQ(parts[0].text, "Press [OK] and array[0x] [99999999].");
}

TEST(SplitAnswer, TakesListSignsOffTheirLines) {
  const std::string answer = "Steps:\n1. Open valve V2 [1]\n- Wait [2]\n\n[3]";
  const auto parts = split_answer(answer);
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[1].text, "Open valve V2");
  EXPECT_EQ(parts[2].text, "Wait");
  EXPECT_THAT(parts[2].citations, ElementsAre(2, 3));
  EXPECT_EQ(utf8::slice(answer, parts[1].span.start, parts[1].span.end), "1. Open valve V2 [1]");
}

// content_words, best_sentences, choose_context

TEST(ContentWords, AreStemmedFoldedAndWithoutFunctionWords) {
  EXPECT_THAT(content_words("The Pumps were stopping at 1,000 bar, E-14!"),
              ElementsAre("pump", "stop", "1000", "e14"));
  EXPECT_THAT(content_words("水泵的压力"), ElementsAre("水泵", "压力"));
}

TEST(BestSentences, PreferWhatTheQueryAsks) {
  const PassageText passages[] = {
      {"The manual has ten chapters. The pump stops at a pressure of 1.2 bar. Call us.", 0.2},
      {"The colour of the housing is blue. Does the pump stop?", 0.9}};
  const auto best = best_sentences("At which pressure does the pump stop?", passages, 2);
  ASSERT_FALSE(best.empty());
  EXPECT_EQ(best[0].passage, 0U);
  EXPECT_EQ(utf8::slice(passages[0].text, best[0].span.start, best[0].span.end),
            "The pump stops at a pressure of 1.2 bar.");
  for (const auto& sentence : best) {
    EXPECT_EQ(utf8::slice(passages[sentence.passage].text, sentence.span.start, sentence.span.end)
                  .find('?'),
              std::string_view::npos);
  }
}

TEST(BestSentences, WeighWordsAndPassages) {
  const PassageText same[] = {{"The red lamp glows brightly. The rare gasket wears quickly.", 0}};
  const auto best = best_sentences(
      "red gasket", same, 1, [](std::string_view word) { return word == "gasket" ? 5.0 : 1.0; });
  ASSERT_EQ(best.size(), 1U);
  EXPECT_EQ(best[0].span.start, 29U);
  const PassageText two[] = {{"The seal wears out fast.", 0.1}, {"Every seal wears out.", 0.9}};
  EXPECT_EQ(best_sentences("seal wears", two, 1).at(0).passage, 1U);
}

TEST(BestSentences, LeaveOutRepetitionsAndFragments) {
  const PassageText passages[] = {{"Seal wear. The seal wears fast. More.", 0.5},
                                  {"The seal wears fast.", 0.4}};
  EXPECT_EQ(best_sentences("seal wears", passages, 5).size(), 1U);
  EXPECT_TRUE(best_sentences("seal", {}, 5).empty());
}

std::size_t count_words(std::string_view text) {
  std::size_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n';
    if (!blank && !inside) ++words;
    inside = !blank;
  }
  return words;
}

std::vector<std::string> context(const std::vector<ContextPassage>& passages,
                                 std::string_view query, std::size_t budget) {
  return choose_context(query, passages, budget,
                        [](std::string_view text) { return count_words(text); });
}

TEST(ChooseContext, TakesTheBestSentencesAndTheirNeighboursFirst) {
  const std::vector<ContextPassage> passages = {
      {"Alpha comes first here. The gasket of the pump wears. Gaskets cost ten euros. Omega "
       "ends."}};
  EXPECT_THAT(context(passages, "gasket wear", 7), ElementsAre("The gasket of the pump wears."));
  EXPECT_THAT(context(passages, "gasket wear", 100),
              ElementsAre("The gasket of the pump wears. Gaskets cost ten euros."));
}

TEST(ChooseContext, SharesTheRoomByWhatFitsTheQuestion) {
  const std::string_view rest = "The cover is blue. The base is green. The lid is white.";
  const std::string many = std::string(rest) + " The seal wears in May. The seal wears in June.";
  const std::vector<ContextPassage> passages = {{rest, 0.1, 3}, {many, 0.1, 3}};
  EXPECT_THAT(context(passages, "When does the seal wear?", 15),
              ElementsAre("", "The seal wears in May. The seal wears in June."));
  EXPECT_THAT(context(passages, "When does the seal wear?", 10),
              ElementsAre("", "The seal wears in May."));
}

TEST(ChooseContext, TakesWhatIsSimilarWhereNoWordIsShared) {
  const std::vector<ContextPassage> passages = {{"Ten bolts hold it.", 0.2}, {"It is blue.", 0.9}};
  EXPECT_THAT(context(passages, "Which paint was used?", 100), ElementsAre("", "It is blue."));
}

TEST(ChooseContext, TellsTheColumnOfEachCellOfARow) {
  const std::vector<ContextPassage> tabbed = {
      {"Alarms\n\nCode\tMeaning\tRemedy\nE07\tNo water\tOpen the tap\nE09\tUnbalanced\tLoosen"}};
  EXPECT_THAT(context(tabbed, "What does E07 mean?", 100),
              ElementsAre("Code: E07; Meaning: No water; Remedy: Open the tap"));
  const std::vector<ContextPassage> barred = {
      {"| Dish | Weight |\n|------|-------:|\n| Rice | 7 kg |\n| Beans | 4 kg |"}};
  EXPECT_THAT(context(barred, "How much rice?", 100), ElementsAre("Dish: Rice; Weight: 7 kg"));
}

TEST(ChooseContext, CutsWordsWhereNoSentenceFits) {
  EXPECT_THAT(context({{"One two three four five six seven."}}, "five", 3),
              ElementsAre("One two three"));
  EXPECT_THAT(context({{"One two three."}}, "one", 0), ElementsAre(""));
  EXPECT_THAT(context({{""}}, "one", 5), ElementsAre(""));
}

// Tables

CitationStatus status_of(std::string_view sentence, std::string_view page,
                         std::string_view subject = {}) {
  const std::string_view pages[] = {page};
  return verify(sentence, pages, subject).status;
}

constexpr std::string_view kRanges =
    "Ranges\n\nRange\tOverload\tBurst pressure\tOrder code\n"
    "0 to 6 bar\t15 bar\t30 bar\tPX31-006\n0 to 100 bar\t200 bar\t500 bar\tPX31-100\n";

TEST(VerifyTables, ARowIsReadWithTheHeadsOfItsColumns) {
  EXPECT_EQ(status_of("The burst pressure of the range 0 to 100 bar is 500 bar.", kRanges),
            CitationStatus::verified);
  EXPECT_EQ(status_of("The order code of the range 0 to 6 bar is PX31-006.", kRanges),
            CitationStatus::verified);
  EXPECT_EQ(
      status_of("In Norway the full day is 28.50.",
                "| Country | Full day | Half day |\n|---|---|---|\n| Norway | 28.50 | 14.25 |"),
      CitationStatus::verified);
  EXPECT_EQ(status_of("Revenue in 2020 was 15 million.",
                      "Item\t2019\t2020\nRevenue\t12 million\t15 million\n"),
            CitationStatus::verified);
}

TEST(VerifyTables, AHeadDoesNotStandInTheWayOfARow) {
  const std::string_view page =
      "4 Alarms\n\nCode\tMeaning\tRemedy\nA03\tMotor too hot\tLet it cool\n"
      "A12\tSeal leakage above 20 ml/h\tReplace the shaft seal with kit SK-4410\n";
  EXPECT_EQ(status_of("Alarm A12 means seal leakage above 20 ml/h.", page),
            CitationStatus::verified);
  EXPECT_NE(status_of("Alarm A12 means motor too hot.", page), CitationStatus::verified);
  EXPECT_NE(status_of("Alarm A03 means seal leakage above 20 ml/h.", page),
            CitationStatus::verified);
}

TEST(VerifyTables, TheHeadOfAnotherColumnOrTheValueOfAnotherRowIsNoSupport) {
  for (const std::string_view wrong : {"The burst pressure of the range 0 to 100 bar is 200 bar.",
                                       "The burst pressure of the range 0 to 100 bar is 30 bar.",
                                       "The overload of the range 0 to 100 bar is 500 bar.",
                                       "The overload of the range 0 to 6 bar is 200 bar."}) {
    EXPECT_NE(status_of(wrong, kRanges), CitationStatus::verified) << wrong;
  }
  EXPECT_NE(status_of("Revenue in 2019 was 15 million.",
                      "Item\t2019\t2020\nRevenue\t12 million\t15 million\n"),
            CitationStatus::verified);
}

TEST(VerifyTables, ARowOfValuesOrOfOtherColumnsNamesNone) {
  EXPECT_NE(status_of("The weight of 5 kg has a torque of 85 Nm.",
                      "Weight\t5 kg\nLength\t3 m\nTorque\t85 Nm\n"),
            CitationStatus::verified);
  EXPECT_NE(
      status_of("The burst pressure is 9 bar.", "Model\tBurst pressure\n\nB\t3 bar\nA\t9 bar\n"),
      CitationStatus::verified);
  EXPECT_NE(
      status_of("The burst pressure is 9 bar.", "Model\tBurst pressure\nB\t3 bar\nA\t3\t9 bar\n"),
      CitationStatus::verified);
}

TEST(Verify, WordsOfTheSubjectNeedNotStandThereForAWeakCitation) {
  const std::string_view page = "Rice is the exception: it goes into the bin after one hour.";
  const std::string_view claim = "Rice goes to waste at the Larkfield kitchen after one hour.";
  EXPECT_EQ(status_of(claim, page, "Handbook of the Larkfield Kitchen"), CitationStatus::weak);
  // A subject alone proves nothing.
  EXPECT_EQ(status_of("The Larkfield kitchen has rice.", page, "Handbook of the Larkfield Kitchen"),
            CitationStatus::unsupported);
}

TEST(ChooseContext, LeavesOutTheLinesThatOnlyDrawATable) {
  const std::vector<ContextPassage> passages = {
      {"| Dish | Weight |\n|------|-------:|\n| Rice | 7 kg |", 0.9}};
  EXPECT_THAT(context(passages, "Which dish has which weight?", 100),
              ElementsAre("Dish: Rice; Weight: 7 kg"));
}

TEST(BestSentences, AreNoHeadsOfTables) {
  for (const std::string_view text :
       {"Code\tMeaning of alarm\tRemedy\nE07\tNo water\tOpen the tap",
        "| Code | Meaning of alarm | Remedy |\n|---|---|---|\n| E07 | No water | Open the tap |"}) {
    const PassageText passages[] = {{text}};
    const auto best = best_sentences("What is the meaning of alarm E07?", passages, 3);
    ASSERT_EQ(best.size(), 1U) << text;
    const std::string_view sentence = utf8::slice(text, best[0].span.start, best[0].span.end);
    EXPECT_THAT(sentence, testing::HasSubstr("E07")) << text;
  }
}

}  // namespace
}  // namespace lore::pipeline
