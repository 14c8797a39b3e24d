// Question to passages, passages to a checked answer.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.hpp"
#include "index/index.hpp"
#include "lore/options.hpp"
#include "lore/types.hpp"
#include "pipeline/answer_writer.hpp"

namespace lore::pipeline {

/// What the pipeline joins; tests put other things here.
struct AskPieces {
  const index::Reader& reader;
  /// Called only where a vector is needed.
  std::function<engine::Embedder&()> embedder;
  /// Called only where passages are worth an answer; null: answer with the best sentences.
  std::function<AnswerWriter*()> writer;
  std::function<std::string(const std::filesystem::path&)> hash;
};

struct Retrieval {
  SearchResponse response;
  double embed_ms = 0;
  double retrieve_ms = 0;
};

/// Throws Error{invalid_argument} for a number of passages that makes no sense.
void check_passages(std::size_t k);

/// Throws Error{invalid_argument} for an empty query or invalid UTF-8, Error{limit_exceeded} for
/// one over the embedding model's limit.
Retrieval retrieve(const AskPieces& pieces, std::string_view query, const SearchOptions& options);

Answer ask(const AskPieces& pieces, std::string_view question, const AskOptions& options,
           const AskCallbacks& callbacks);

}  // namespace lore::pipeline
