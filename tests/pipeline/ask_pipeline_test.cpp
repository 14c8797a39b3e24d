#include "pipeline/ask_pipeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/utf8.hpp"
#include "lore/error.hpp"
#include "pipeline/evidence.hpp"
#include "tests/pipeline/fakes.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::pipeline {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kFirstPage =
    "The pump stops at 6 bar. Do not open the valve under load.";
constexpr std::string_view kSecondPage = "Alarm E14 means that the inlet pressure is too low.";

/// One document of two pages; every search finds both as passages.
class FakeReader : public index::Reader {
 public:
  explicit FakeReader(std::filesystem::path folder) : folder_(std::move(folder)) {
    record.path = "pump.txt";
    record.paged = true;
    record.text = std::string(kFirstPage) + "\f" + std::string(kSecondPage);
    const std::size_t first = kFirstPage.size();
    record.pages = {{"i", "text", "", 0, first},
                    {"1", "text", "", first + 1, first + 1 + kSecondPage.size()}};
  }

  const std::filesystem::path& folder() const override { return folder_; }
  bool is_replaced() const override { return false; }
  std::optional<index::ModelFingerprint> model() const override { return std::nullopt; }
  std::optional<std::string> setting(std::string_view) const override { return std::nullopt; }
  index::Counts counts() const override { return {}; }
  std::vector<index::DocumentSummary> documents() const override { return {}; }
  std::vector<index::FailureRecord> failures() const override { return {}; }
  index::DocumentRecord document(std::string_view) const override { return record; }
  index::SearchResult search(const index::SearchQuery& query) const override {
    last_limit = query.limit;
    last_vector.assign(query.vector.begin(), query.vector.end());
    index::SearchResult result;
    result.evidence = evidence;
    for (std::size_t page = 0; page < 2 && hits; ++page) {
      index::Hit hit;
      hit.path = record.path;
      hit.paged = true;
      hit.similarity = 0.7F;
      hit.page_label = hit.page_end_label = record.pages[page].label;
      hit.chunk.page = hit.chunk.page_end = page;
      hit.chunk.start = record.pages[page].start;
      hit.chunk.end = record.pages[page].end;
      hit.chunk.body = utf8::slice(record.text, hit.chunk.start, hit.chunk.end);
      result.hits.push_back(hit);
    }
    return result;
  }
  std::filesystem::path resolve(std::string_view path) const override {
    return folder_ / std::string(path);
  }
  index::CheckReport check() const override { return {}; }

  index::DocumentRecord record;
  index::SearchEvidence evidence{3, 3, 0.7F};
  bool hits = true;
  mutable std::size_t last_limit = 0;
  mutable std::vector<float> last_vector;

 private:
  std::filesystem::path folder_;
};

/// Writes what the test wants to be written.
class FakeWriter : public AnswerWriter {
 public:
  Draft draft{"The pump stops at 6 bar [1].", false, false, {1, 2}, 40, 8, 1, 2};
  std::size_t calls = 0;

  std::string name() const override { return "fake"; }
  Draft write(std::string_view, std::span<const Passage> passages, const AskOptions&,
              const AskCallbacks& callbacks) override {
    ++calls;
    EXPECT_EQ(passages.size(), 2U);
    if (callbacks.text && !draft.doubtful) callbacks.text(draft.text);
    return draft;
  }
};

class AskPipelineTest : public testing::Test {
 protected:
  AskPipelineTest() {
    file = folder.write("pump.txt", "file bytes");
    reader.record.size = 10;
    reader.record.sha256 = sha256_hex("file bytes");
  }

  Answer ask(std::string_view question = "At what pressure does the pump stop?") {
    return pipeline::ask(pieces(), question, options, callbacks);
  }
  AskPieces pieces() {
    return {reader, [this]() -> engine::Embedder& { return embedder; },
            [this]() -> AnswerWriter* { return has_writer ? &writer : nullptr; }, sha256_of_file};
  }

  test::TemporaryFolder folder;
  std::filesystem::path file;
  FakeReader reader{folder.path()};
  test::FakeEmbedder embedder;
  FakeWriter writer;
  bool has_writer = true;
  AskOptions options;
  AskCallbacks callbacks;
};

TEST_F(AskPipelineTest, AnAnswerCitesAQuoteThatStandsThere) {
  const Answer answer = ask();
  EXPECT_EQ(answer.status, AnswerStatus::answered);
  EXPECT_EQ(answer.generator, "fake");
  ASSERT_EQ(answer.citations.size(), 1U);
  const Citation& citation = answer.citations[0];
  EXPECT_EQ(citation.status, CitationStatus::verified);
  EXPECT_EQ(citation.n, 1U);
  EXPECT_EQ(citation.page, 1U);
  EXPECT_EQ(citation.page_label, "i");
  EXPECT_EQ(citation.quote, "The pump stops at 6 bar.");
  EXPECT_EQ(utf8::slice(reader.record.text, citation.start, citation.end), citation.quote);
  EXPECT_FALSE(citation.stale);
  EXPECT_EQ(answer.passages.size(), 2U);
  EXPECT_EQ(answer.prompt_tokens, 40U);
  EXPECT_EQ(reader.last_limit, 5U);
}

TEST_F(AskPipelineTest, ASecondPageIsCitedAtItsPlaceInTheDocument) {
  writer.draft.text = "Alarm E14 means that the inlet pressure is too low [2].";
  const Answer answer = ask();
  ASSERT_EQ(answer.citations.size(), 1U);
  EXPECT_EQ(answer.citations[0].page, 2U);
  EXPECT_EQ(answer.citations[0].page_label, "1");
  EXPECT_EQ(utf8::slice(reader.record.text, answer.citations[0].start, answer.citations[0].end),
            kSecondPage);
}

TEST_F(AskPipelineTest, ANumberThatTheModelWasNotGivenIsNoCitation) {
  writer.draft.text = "The pump stops at 6 bar [1]. Alarm E14 means low inlet pressure [2].";
  writer.draft.given = {1};
  const Answer answer = ask();
  ASSERT_EQ(answer.citations.size(), 1U);
  EXPECT_EQ(answer.citations[0].n, 1U);
  EXPECT_EQ(answer.uncited.size(), 1U);
  EXPECT_EQ(answer.passages.size(), 1U);
}

TEST_F(AskPipelineTest, APassageBetweenThatTheModelWasNotGivenIsNoCitationEither) {
  writer.draft.text = "The pump stops at 6 bar [1]. Alarm E14 means low inlet pressure [2].";
  writer.draft.given = {2};
  const Answer answer = ask();
  ASSERT_EQ(answer.citations.size(), 1U);
  EXPECT_EQ(answer.citations[0].n, 2U);
  EXPECT_EQ(answer.passages.size(), 2U);
}

TEST_F(AskPipelineTest, AWrongFigureAndAWrongPageAreUnsupported) {
  writer.draft.text =
      "The pump stops at 6 bar [1]. The pump stops at 9 bar [1]. "
      "Alarm E14 means low inlet pressure [1].";
  const Answer answer = ask();
  ASSERT_EQ(answer.citations.size(), 3U);
  for (std::size_t i = 1; i < 3; ++i) {
    const Citation& citation = answer.citations[i];
    EXPECT_EQ(citation.status, CitationStatus::unsupported) << citation.sentence;
    EXPECT_EQ(citation.quote, "");
    EXPECT_EQ(citation.start, citation.end);
  }
}

TEST_F(AskPipelineTest, AnAnswerThatNothingSupportsGivesWayToThePagesOwnWords) {
  writer.draft.text = "The pump stops at 9 bar [1].";
  const Answer answer = ask();
  EXPECT_EQ(answer.status, AnswerStatus::answered);
  EXPECT_EQ(answer.withdrawn, "The pump stops at 9 bar [1].");
  EXPECT_THAT(answer.answer, testing::StartsWith("The pump stops at 6 bar. [1]"));
  ASSERT_GE(answer.citations.size(), 1U);
  EXPECT_EQ(answer.citations[0].status, CitationStatus::verified);
}

TEST_F(AskPipelineTest, TheQuestionsOwnWordsDoNotCarryWhatTheModelAddsToThem) {
  writer.draft.text = "The pump is stopped by a pressure of poetry [1].";
  const Answer answer = ask();
  EXPECT_EQ(answer.withdrawn, writer.draft.text);
  EXPECT_THAT(answer.answer, testing::StartsWith("The pump stops at 6 bar. [1]"));
  options.strict = true;
  EXPECT_EQ(ask().status, AnswerStatus::not_in_documents);
}

TEST_F(AskPipelineTest, OneSupportedSentenceDoesNotCarryThreeOthers) {
  writer.draft.text =
      "The pump stops at 6 bar [1]. The pump stops at 7 bar [1]. The pump stops at 8 bar [1]. "
      "The pump stops at 9 bar [1].";
  EXPECT_EQ(ask().withdrawn, writer.draft.text);
  options.strict = true;
  EXPECT_EQ(ask().answer, "The pump stops at 6 bar [1].");
}

TEST_F(AskPipelineTest, ADoubtfulModelIsBelievedOnlyWhereItsAnswerIsSupported) {
  std::string streamed;
  callbacks.text = [&](std::string_view text) { streamed += text; };
  writer.draft.doubtful = true;
  EXPECT_EQ(ask().status, AnswerStatus::answered);
  EXPECT_EQ(streamed, "The pump stops at 6 bar [1].") << "shown once it is checked";
  streamed.clear();
  writer.draft.text = "The pump stops at 9 bar [1].";
  const Answer answer = ask();
  EXPECT_EQ(answer.status, AnswerStatus::not_in_documents);
  EXPECT_EQ(answer.withdrawn, "The pump stops at 9 bar [1].");
  EXPECT_EQ(answer.answer, "");
  EXPECT_EQ(streamed, "");
  writer.draft.text = "The strong pump stops at 6 bar every evening [1].";
  EXPECT_EQ(ask().status, AnswerStatus::not_in_documents) << "weak support is not enough";
  writer.draft.doubtful = false;
  EXPECT_EQ(ask().status, AnswerStatus::answered);
}

TEST_F(AskPipelineTest, StrictLeavesOutWhatIsNotSupported) {
  options.strict = true;
  writer.draft.text = "The pump stops at 6 bar [1]. It weighs 40 kg [2]. It is blue.";
  const Answer answer = ask();
  EXPECT_EQ(answer.status, AnswerStatus::answered);
  EXPECT_EQ(answer.answer, "The pump stops at 6 bar [1].");
  EXPECT_EQ(answer.citations.size(), 1U);
  EXPECT_EQ(answer.dropped.size(), 2U);
}

TEST_F(AskPipelineTest, StrictRefusesWhenNothingRemains) {
  options.strict = true;
  writer.draft.text = "It weighs 40 kg [2].";
  const Answer answer = ask();
  EXPECT_EQ(answer.status, AnswerStatus::not_in_documents);
  EXPECT_EQ(answer.answer, "");
  EXPECT_THAT(answer.citations, IsEmpty());
  EXPECT_EQ(answer.passages.size(), 2U) << "the nearest passages are told";
}

TEST_F(AskPipelineTest, StatementsWithoutANumberAreToldApart) {
  writer.draft.text = "The pump stops at 6 bar [1]. It is blue.";
  const Answer answer = ask();
  EXPECT_EQ(answer.citations.size(), 1U);
  EXPECT_THAT(answer.uncited, testing::ElementsAre("It is blue."));
}

TEST_F(AskPipelineTest, WeakRetrievalRefusesBeforeAnyModelIsUsed) {
  reader.evidence = {4, 1, 0.1F};
  const Answer answer = ask();
  EXPECT_EQ(answer.status, AnswerStatus::not_in_documents);
  EXPECT_EQ(writer.calls, 0U);
  EXPECT_FALSE(answer.generator);
  EXPECT_EQ(answer.passages.size(), 2U);
}

TEST_F(AskPipelineTest, NoHitsRefuse) {
  reader.hits = false;
  EXPECT_EQ(ask().status, AnswerStatus::not_in_documents);
}

TEST_F(AskPipelineTest, AModelThatRefusesIsBelieved) {
  writer.draft.refused = true;
  EXPECT_EQ(ask().status, AnswerStatus::not_in_documents);
}

TEST_F(AskPipelineTest, WithoutAModelTheBestSentencesAnswer) {
  for (const bool generate : {true, false}) {
    has_writer = generate ? false : true;  // none there, or none wanted
    options.generate = generate;
    const Answer answer = ask("What does alarm E14 mean?");
    EXPECT_EQ(answer.status, AnswerStatus::answered);
    EXPECT_FALSE(answer.generator);
    EXPECT_THAT(answer.answer,
                HasSubstr("Alarm E14 means that the inlet pressure is too low. [2]"));
    ASSERT_FALSE(answer.citations.empty());
    EXPECT_EQ(answer.citations[0].quote, kSecondPage);
    EXPECT_EQ(answer.citations[0].page, 2U);
  }
  EXPECT_EQ(writer.calls, 0U);
}

TEST_F(AskPipelineTest, AFileThatHasChangedMakesItsCitationsStale) {
  EXPECT_FALSE(ask().citations[0].stale) << "another time, the same content";
  folder.write("pump.txt", "FILE BYTES");
  EXPECT_TRUE(ask().citations[0].stale) << "the same size, other content";
  folder.write("pump.txt", "longer than before");
  EXPECT_TRUE(ask().citations[0].stale);
  std::filesystem::remove(file);
  EXPECT_TRUE(ask().citations[0].stale);
}

TEST_F(AskPipelineTest, PassagesAreToldBeforeTheAnswer) {
  std::vector<std::string> events;
  callbacks.passages = [&](const std::vector<Passage>& passages) {
    events.push_back("passages " + std::to_string(passages.size()));
  };
  callbacks.text = [&](std::string_view text) { events.emplace_back(text); };
  ask();
  EXPECT_THAT(events, testing::ElementsAre("passages 2", "The pump stops at 6 bar [1]."));
}

TEST_F(AskPipelineTest, QuestionsThatCannotBeAskedAreRefusedWithAReason) {
  const auto refusal = [&](std::string_view question, ErrorCode code) -> std::string {
    try {
      ask(question);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), code);
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(refusal(" \n", ErrorCode::invalid_argument), HasSubstr("empty"));
  EXPECT_THAT(refusal("wh\xFFy", ErrorCode::invalid_argument), HasSubstr("UTF-8"));
  std::string question;
  for (int i = 0; i < 40; ++i) question += "word ";
  EXPECT_THAT(refusal(question, ErrorCode::limit_exceeded),
              testing::AllOf(HasSubstr("42 tokens"), HasSubstr("32")));
}

TEST_F(AskPipelineTest, TextSearchNeedsNoEmbedder) {
  const Retrieval found = retrieve(pieces(), "pump", {.k = 3, .mode = SearchKind::text});
  EXPECT_EQ(embedder.calls, 0U);
  EXPECT_THAT(reader.last_vector, IsEmpty());
  EXPECT_EQ(found.response.passages.size(), 2U);
  EXPECT_THROW(retrieve(pieces(), "pump", {.k = 0}), Error);
}

TEST(EvidenceTest, WordsAndNearnessAddUp) {
  const EvidenceRule rule;
  const auto evidence = [](std::size_t terms, std::size_t met, float similarity) {
    Evidence e;
    e.query_terms = terms;
    e.terms_met = met;
    e.similarity = similarity;
    return e;
  };
  const auto enough = static_cast<float>(rule.enough);
  EXPECT_TRUE(is_sufficient(evidence(4, 0, enough + 0.01F))) << "near, in other words";
  EXPECT_TRUE(is_sufficient(evidence(4, 4, 0.2F))) << "all words, not near";
  EXPECT_FALSE(is_sufficient(evidence(4, 1, 0.2F)));
  EXPECT_FALSE(is_sufficient(evidence(4, 4, 0.0F)));
  EXPECT_FALSE(is_sufficient(evidence(0, 0, enough - 0.01F)));
  EXPECT_TRUE(is_sufficient(evidence(0, 0, enough + 0.01F)));
}

}  // namespace
}  // namespace lore::pipeline
