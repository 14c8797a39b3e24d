// What a quantized embedding model loses against its float32 twin, over a collection in the layout
// of BEIR (corpus.jsonl, queries.jsonl, qrels/test.tsv), texts cut at 256 tokens.
//
//   retrieval_accuracy MODEL.gguf REFERENCE.gguf FOLDER [--kernels auto] [--documents 1000]
//
// Prints one JSON object: least and mean cosine over all queries and the first `documents`
// documents; nDCG@10 and recall@10 of exact search over the whole collection, for both models.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "engine/engine.hpp"

namespace {

using Json = nlohmann::json;
using Judgements = std::map<std::string, std::set<std::string>>;  // of a query, all of one grade

constexpr std::size_t kTokens = 256;
constexpr std::size_t kDepth = 10;

struct Texts {
  std::vector<std::string> ids;
  std::vector<std::string> texts;
};

Texts read_texts(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + " cannot be read");
  Texts all;
  for (std::string line; std::getline(file, line);) {
    const Json entry = Json::parse(line);
    const std::string title = entry.value("title", "");
    const std::string text = entry.at("text").get<std::string>();
    all.ids.push_back(entry.at("_id").get<std::string>());
    all.texts.push_back(title.empty() ? text : title + " " + text);
  }
  return all;
}

Judgements read_judgements(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + " cannot be read");
  Judgements judgements;
  std::string line;
  std::getline(file, line);  // the head of the table
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string query;
    std::string document;
    int grade = 0;
    if (fields >> query >> document >> grade && grade > 0) judgements[query].insert(document);
  }
  return judgements;
}

struct Vectors {
  std::size_t dimension = 0;
  std::vector<float> values;  // [texts, dimension]

  const float* row(std::size_t i) const { return values.data() + i * dimension; }
};

Vectors embed(lore::engine::Embedder& embedder, const std::vector<std::string>& texts) {
  std::vector<std::vector<lore::engine::TokenId>> sequences;
  for (const std::string& text : texts) {
    sequences.push_back(
        embedder.truncate(embedder.encode(text, lore::engine::InputType::none), kTokens));
  }
  Vectors vectors{embedder.dimension(), {}};
  vectors.values.resize(texts.size() * vectors.dimension);
  embedder.embed(sequences, vectors.values);
  return vectors;
}

double cosine(const float* a, const float* b, std::size_t n) {
  return std::inner_product(a, a + n, b, 0.0);  // of unit vectors
}

struct Quality {
  double ndcg = 0;
  double recall = 0;
};

/// Mean over the judged queries.
Quality search_quality(const Texts& queries, const Vectors& query_vectors, const Texts& documents,
                       const Vectors& document_vectors, const Judgements& judgements) {
  Quality sum;
  std::size_t judged = 0;
  for (std::size_t q = 0; q < queries.ids.size(); ++q) {
    const auto found = judgements.find(queries.ids[q]);
    if (found == judgements.end()) continue;
    ++judged;
    std::vector<std::pair<double, std::size_t>> scores(documents.ids.size());
    for (std::size_t d = 0; d < scores.size(); ++d) {
      scores[d] = {-cosine(query_vectors.row(q), document_vectors.row(d), query_vectors.dimension),
                   d};
    }
    const std::size_t depth = std::min(kDepth, scores.size());
    std::partial_sort(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(depth),
                      scores.end());
    double gain = 0;
    double best = 0;
    std::size_t hits = 0;
    for (std::size_t rank = 0; rank < depth; ++rank) {
      const double discount = 1 / std::log2(static_cast<double>(rank) + 2);
      if (rank < found->second.size()) best += discount;
      if (!found->second.contains(documents.ids[scores[rank].second])) continue;
      gain += discount;
      ++hits;
    }
    sum.ndcg += gain / best;
    sum.recall += static_cast<double>(hits) / static_cast<double>(found->second.size());
  }
  return {sum.ndcg / static_cast<double>(judged), sum.recall / static_cast<double>(judged)};
}

int run(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: retrieval_accuracy MODEL REFERENCE FOLDER [--flag value]...\n");
    return 2;
  }
  std::map<std::string, std::string> flags;
  for (int i = 4; i + 1 < argc; i += 2) flags[std::string(argv[i]).substr(2)] = argv[i + 1];
  const std::string folder = argv[3];
  const Texts queries = read_texts(folder + "/queries.jsonl");
  const Texts documents = read_texts(folder + "/corpus.jsonl");
  const Judgements judgements = read_judgements(folder + "/qrels/test.tsv");
  lore::ThreadPool pool;
  lore::engine::ModelOptions options;
  if (flags.count("kernels") != 0) options.kernels = flags["kernels"];
  std::vector<Vectors> query_vectors;
  std::vector<Vectors> document_vectors;
  std::vector<Quality> qualities;
  for (const char* path : {argv[1], argv[2]}) {
    const auto embedder =
        lore::engine::Embedder::create(lore::engine::Model::load(path, pool, options), pool);
    query_vectors.push_back(embed(*embedder, queries.texts));
    document_vectors.push_back(embed(*embedder, documents.texts));
    qualities.push_back(search_quality(queries, query_vectors.back(), documents,
                                       document_vectors.back(), judgements));
  }
  const std::size_t compared = std::min(
      flags.count("documents") != 0 ? std::stoul(flags["documents"]) : 1000, documents.ids.size());
  double least = 1;
  double sum = 0;
  std::size_t below = 0;
  const auto compare = [&](const std::vector<Vectors>& both, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const double c = cosine(both[0].row(i), both[1].row(i), both[0].dimension);
      least = std::min(least, c);
      sum += c;
      if (c < 0.999) ++below;
    }
  };
  compare(query_vectors, queries.ids.size());
  compare(document_vectors, compared);
  std::printf(
      "{\"least_cosine\": %.6f, \"mean_cosine\": %.6f, \"below_0.999\": %zu, \"texts\": %zu, "
      "\"ndcg_at_10\": %.4f, \"reference_ndcg_at_10\": %.4f, \"recall_at_10\": %.4f, "
      "\"reference_recall_at_10\": %.4f}\n",
      least, sum / static_cast<double>(queries.ids.size() + compared), below,
      queries.ids.size() + compared, qualities[0].ndcg, qualities[1].ndcg, qualities[0].recall,
      qualities[1].recall);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
