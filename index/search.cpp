#include "index/search.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "index/retrieve/evidence.hpp"
#include "index/retrieve/fusion.hpp"
#include "index/retrieve/glob.hpp"
#include "index/store/documents.hpp"
#include "index/store/full_text.hpp"
#include "index/store/vector_rows.hpp"
#include "lore/error.hpp"

namespace lore::index {
namespace {

// A limit of a hundred needs candidates of at least a hundred; one without sense, no more than
// this.
std::size_t candidate_count(const SearchQuery& query) {
  return std::clamp<std::size_t>(std::max(query.candidates, query.limit), 1, 1'000'000);
}

std::vector<float> unit_query(const SearchQuery& query, const ModelFingerprint& model) {
  if (query.vector.empty() || query.mode == SearchMode::text) return {};
  if (query.vector.size() != model.dimension) {
    throw Error(ErrorCode::mismatch,
                "the question's vector has " + std::to_string(query.vector.size()) +
                    " dimensions and the index, made with " + model.name + ", has " +
                    std::to_string(model.dimension) + "; ask with the model of the index",
                model.name);
  }
  std::vector<float> unit(query.vector.begin(), query.vector.end());
  if (!std::all_of(unit.begin(), unit.end(), [](float value) { return std::isfinite(value); })) {
    throw Error(ErrorCode::invalid_argument,
                "the question's vector has values that are no numbers");
  }
  if (!normalize(unit)) unit.clear();
  return unit;
}

// The evidence is that of as many passages as `lore ask` gives to a model by default, for which the
// rule about it was calibrated. Were it that of the hits, a larger limit would refuse less.
constexpr std::size_t kEvidencePassages = 5;

// The documents that a path filter lets through, and their chunks.
struct Selection {
  std::vector<std::int64_t> documents;
  std::unordered_set<std::int64_t> chunks;
};

Selection select(Database& database, const std::string& pattern) {
  Selection selection;
  Statement documents = database.prepare("SELECT id, path FROM documents ORDER BY id");
  Statement chunks = database.prepare("SELECT id FROM chunks WHERE document_id = ?");
  while (documents.step()) {
    if (!glob_matches(pattern, documents.text_view(1))) continue;
    selection.documents.push_back(documents.integer(0));
    chunks.bind(documents.integer(0));
    while (chunks.step()) selection.chunks.insert(chunks.integer(0));
  }
  return selection;
}

// The two lists that a search fuses, or the one.
struct Lists {
  std::vector<TopList::Entry> vectors;
  std::vector<TextMatch> texts;
};

std::vector<Fused> ranked(const Lists& lists) {
  std::vector<std::int64_t> by_vector;
  std::vector<std::int64_t> by_text;
  for (const TopList::Entry& entry : lists.vectors) by_vector.push_back(entry.id);
  for (const TextMatch& match : lists.texts) by_text.push_back(match.chunk_id);
  return fuse(by_vector, by_text);
}

std::size_t best_terms_met(Database& database, const QueryTerms& terms, Lists lists,
                           std::size_t candidates) {
  lists.vectors.resize(std::min(lists.vectors.size(), candidates));
  lists.texts.resize(std::min(lists.texts.size(), candidates));
  std::size_t best = 0;
  std::size_t seen = 0;
  for (const Fused& fused : ranked(lists)) {
    if (seen == kEvidencePassages) break;
    const std::optional<Hit> hit = read_hit(database, fused.id);
    if (!hit) continue;
    ++seen;
    best = std::max(best, count_terms_met(terms, hit->chunk.context, hit->chunk.body));
  }
  return best;
}

void fill_hits(Database& database, const SearchQuery& query, const std::vector<float>& unit,
               bool normalized, const Lists& lists, SearchResult& result) {
  VectorReader reader(database, unit.size());
  std::vector<float> row(unit.size());
  for (const Fused& fused : ranked(lists)) {
    if (result.hits.size() == query.limit) return;
    std::optional<Hit> hit = read_hit(database, fused.id);
    if (!hit) continue;
    hit->vector_rank = fused.vector_rank;
    hit->text_rank = fused.text_rank;
    if (!unit.empty() && reader.read(fused.id, row)) {
      hit->similarity = cosine(row, unit, normalized);
    }
    if (fused.text_rank) hit->bm25 = lists.texts[*fused.text_rank - 1].bm25;
    hit->score = fused.score;
    if (query.mode == SearchMode::vector) hit->score = double{hit->similarity.value_or(0)};
    if (query.mode == SearchMode::text) hit->score = hit->bm25.value_or(0);
    result.hits.push_back(*std::move(hit));
  }
}

}  // namespace

SearchResult search_index(Database& database, VectorSearch& vectors, const SearchQuery& query) {
  SearchResult result;
  const std::optional<ModelFingerprint> model = read_model(database);
  if (!model) return result;
  if (query.mode == SearchMode::vector && query.vector.empty()) {
    throw Error(ErrorCode::invalid_argument, "a search by vector needs a vector");
  }
  const std::vector<float> unit = unit_query(query, *model);
  const QueryTerms terms = query_terms(query.text);

  std::optional<Selection> selection;
  if (!query.path_filter.empty()) selection = select(database, query.path_filter);

  Lists lists;
  const std::size_t candidates = candidate_count(query);
  if (!unit.empty()) {
    lists.vectors = vectors.search(database, *model, unit, candidates,
                                   selection ? &selection->documents : nullptr);
    if (!lists.vectors.empty()) result.evidence.best_similarity = lists.vectors.front().score;
  }
  if (query.mode != SearchMode::vector && !terms.empty()) {
    ChunkFilter filter;
    if (selection) {
      filter = [&selection](std::int64_t id) { return selection->chunks.contains(id); };
    }
    lists.texts = search_text(database, terms, candidates, filter);
  }
  fill_hits(database, query, unit, model->normalized, lists, result);

  result.evidence.query_terms = count_terms(terms);
  result.evidence.best_terms_met =
      best_terms_met(database, terms, std::move(lists), query.candidates);
  return result;
}

}  // namespace lore::index
