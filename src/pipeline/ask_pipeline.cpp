#include "pipeline/ask_pipeline.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "base/utf8.hpp"
#include "lore/error.hpp"
#include "pipeline/answer_prompt.hpp"
#include "pipeline/check_answer.hpp"
#include "pipeline/evidence.hpp"

namespace lore::pipeline {
namespace {

using Clock = std::chrono::steady_clock;

/// One sentence of so many has to be supported, or the answer is withdrawn.
constexpr std::size_t kSentencesPerSupported = 3;

double since_ms(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void check_query(std::string_view query) {
  if (query.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw Error(ErrorCode::invalid_argument, "the question is empty; write what you want to know");
  }
  if (!utf8::is_valid(query)) {
    throw Error(ErrorCode::invalid_argument,
                "the question is not valid UTF-8; set the terminal to UTF-8");
  }
}

std::vector<float> embed_query(engine::Embedder& embedder, std::string_view query) {
  const std::vector<std::vector<engine::TokenId>> sequence{
      embedder.encode(query, engine::InputType::query)};
  if (sequence.front().size() > embedder.max_tokens()) {
    throw Error(ErrorCode::limit_exceeded,
                "the question has " + std::to_string(sequence.front().size()) +
                    " tokens, over the embedding model's limit of " +
                    std::to_string(embedder.max_tokens()) + "; shorten it");
  }
  std::vector<float> vector(embedder.dimension());
  embedder.embed(sequence, vector);
  return vector;
}

index::SearchMode mode_of(SearchKind kind) {
  switch (kind) {
    case SearchKind::vector:
      return index::SearchMode::vector;
    case SearchKind::text:
      return index::SearchMode::text;
    case SearchKind::hybrid:
      break;
  }
  return index::SearchMode::hybrid;
}

Passage passage_of(index::Hit&& hit, std::size_t rank, const index::Reader& reader) {
  Passage passage;
  passage.rank = rank;
  passage.score = hit.score;
  passage.path = reader.resolve(hit.path);
  passage.document = std::move(hit.path);
  passage.title = std::move(hit.title);
  passage.paged = hit.paged;
  passage.page = hit.chunk.page + 1;
  passage.page_end = hit.chunk.page_end + 1;
  passage.page_label = std::move(hit.page_label);
  passage.page_end_label = std::move(hit.page_end_label);
  passage.heading = std::move(hit.chunk.heading);
  passage.start = hit.chunk.start;
  passage.end = hit.chunk.end;
  passage.text = std::move(hit.chunk.body);
  passage.vector_rank = hit.vector_rank;
  passage.similarity = hit.similarity;
  passage.lexical_rank = hit.text_rank;
  passage.bm25 = hit.bm25;
  return passage;
}

/// The first `passages` stay with the answer.
void take_answer(Answer& answer, CheckedAnswer checked, std::size_t passages) {
  answer.answer = std::move(checked.text);
  answer.citations = std::move(checked.citations);
  answer.uncited = std::move(checked.uncited);
  answer.passages.resize(std::min(answer.passages.size(), passages));
  answer.status = AnswerStatus::answered;
}

void refuse(Answer& answer) {
  answer.status = AnswerStatus::not_in_documents;
  answer.answer.clear();
  answer.citations.clear();
  answer.uncited.clear();
}

void answer_by_extract(Answer& answer, CitedDocuments& documents) {
  CheckedAnswer checked = extract_answer(answer.question, answer.passages, documents);
  const bool found_any = checked.supported > 0;
  take_answer(answer, std::move(checked), answer.passages.size());
  if (!found_any) refuse(answer);
}

void write_answer(Answer& answer, AnswerWriter& writer, const AskOptions& options,
                  const AskCallbacks& callbacks, CitedDocuments& documents) {
  answer.generator = writer.name();
  const Draft draft = writer.write(answer.question, answer.passages, options, callbacks);
  answer.timings.prefill = draft.prefill_ms;
  answer.timings.decode = draft.decode_ms;
  answer.prompt_tokens = draft.prompt_tokens;
  answer.generated_tokens = draft.generated_tokens;
  if (draft.refused || draft.text.empty()) {
    refuse(answer);
    return;
  }
  // A number that the model was not given says nothing, though there is a passage behind it.
  const std::vector<Passage> given = passages_of(answer.passages, draft.given);
  CheckedAnswer checked =
      check_answer(draft.text, answer.question, given, options.strict, documents);
  // Of a strict answer the unsupported sentences are gone already.
  const std::size_t shown = options.strict ? checked.supported : checked.sentences;
  const bool holds = checked.supported > 0 && checked.supported * kSentencesPerSupported >= shown;
  if (draft.doubtful ? checked.any_verified : holds) {
    answer.dropped = std::move(checked.dropped);
    take_answer(answer, std::move(checked), draft.given.empty() ? 0 : draft.given.back());
    if (draft.doubtful && callbacks.text) callbacks.text(answer.answer);
    return;
  }
  // Most of what the model says does not stand in what it cites. What the documents say themselves
  // is the better answer, unless the model had its doubts whether they say anything.
  answer.withdrawn = draft.text;
  answer.dropped = std::move(checked.dropped);
  if (draft.doubtful || options.strict) {
    refuse(answer);
  } else {
    answer_by_extract(answer, documents);
  }
}

}  // namespace

void check_passages(std::size_t k) {
  if (k == 0) throw Error(ErrorCode::invalid_argument, "-k must be at least 1", "-k");
}

Retrieval retrieve(const AskPieces& pieces, std::string_view query, const SearchOptions& options) {
  check_query(query);
  check_passages(options.k);
  Retrieval found;
  Clock::time_point start = Clock::now();
  std::vector<float> vector;
  if (options.mode != SearchKind::text) vector = embed_query(pieces.embedder(), query);
  found.embed_ms = since_ms(start);

  start = Clock::now();
  index::SearchQuery search;
  search.text = query;
  search.vector = vector;
  search.mode = mode_of(options.mode);
  search.limit = options.k;
  search.path_filter = options.filter;
  index::SearchResult result = pieces.reader.search(search);
  for (index::Hit& hit : result.hits) {
    const std::size_t rank = found.response.passages.size() + 1;
    found.response.passages.push_back(passage_of(std::move(hit), rank, pieces.reader));
  }
  Evidence& evidence = found.response.evidence;
  evidence.query_terms = result.evidence.query_terms;
  evidence.terms_met = result.evidence.best_terms_met;
  evidence.similarity = result.evidence.best_similarity;
  evidence.sufficient = !found.response.passages.empty() && is_sufficient(evidence);
  found.retrieve_ms = since_ms(start);
  return found;
}

Answer ask(const AskPieces& pieces, std::string_view question, const AskOptions& options,
           const AskCallbacks& callbacks) {
  const Clock::time_point start = Clock::now();
  Retrieval found = retrieve(pieces, question, {.k = options.k, .filter = options.filter});
  Answer answer;
  answer.question = question;
  answer.passages = std::move(found.response.passages);
  answer.evidence = found.response.evidence;
  answer.timings.embed = found.embed_ms;
  answer.timings.retrieve = found.retrieve_ms;
  if (callbacks.passages) callbacks.passages(answer.passages);
  if (!answer.evidence.sufficient) {
    refuse(answer);
  } else {
    CitedDocuments documents(pieces.reader, pieces.hash);
    AnswerWriter* writer = options.generate ? pieces.writer() : nullptr;
    if (writer != nullptr) {
      write_answer(answer, *writer, options, callbacks, documents);
    } else {
      answer_by_extract(answer, documents);
      if (callbacks.text && !answer.answer.empty()) callbacks.text(answer.answer);
    }
  }
  answer.timings.total = since_ms(start);
  return answer;
}

}  // namespace lore::pipeline
