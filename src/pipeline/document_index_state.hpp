// The inside of DocumentIndex.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "index/index.hpp"
#include "lore/library.hpp"
#include "pipeline/answer_writer.hpp"
#include "pipeline/runtime.hpp"

namespace lore {

struct DocumentIndex::State {
  std::shared_ptr<pipeline::Runtime> runtime;
  std::unique_ptr<index::Reader> reader;
  std::string embed_model;  ///< where the embedding model is; empty: by its recorded name

  engine::Embedder& embedder();
  pipeline::AnswerWriter* writer(const AskOptions& options);
  /// Loads what answers need and checks what all questions have in common, so that these errors
  /// come before the first question.
  void prepare(const AskOptions& options);

 private:
  std::unique_ptr<engine::Embedder> embedder_;
  std::unique_ptr<pipeline::AnswerWriter> writer_;
};

namespace pipeline {

inline CheckOutcome public_report(index::CheckReport report) {
  return {std::move(report.problems), std::move(report.repaired), report.documents, report.chunks,
          report.vectors};
}

}  // namespace pipeline
}  // namespace lore
