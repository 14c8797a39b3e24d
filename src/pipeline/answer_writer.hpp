// Writes an answer from passages by a language model.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/engine.hpp"
#include "lore/options.hpp"
#include "lore/types.hpp"
#include "pipeline/citation_filter.hpp"
#include "pipeline/shared_generator.hpp"

namespace lore::pipeline {

struct Draft {
  std::string text;
  bool refused = false;            ///< the model says that no passage answers
  bool doubtful = false;           ///< the model leant towards saying so
  std::vector<std::size_t> given;  ///< the numbers, from 1 and ascending, of the passages it read
  std::size_t prompt_tokens = 0;
  std::size_t generated_tokens = 0;
  double prefill_ms = 0;
  double decode_ms = 0;
};

/// Thread safety: one thread at a time.
class AnswerWriter {
 public:
  virtual ~AnswerWriter() = default;
  virtual std::string name() const = 0;
  /// Throws Error{limit_exceeded} where the question does not fit, Error{interrupted} when stopped.
  virtual Draft write(std::string_view question, std::span<const Passage> passages,
                      const AskOptions& options, const AskCallbacks& callbacks) = 0;
};

/// Uses the engine; only numbers of given passages can be sampled inside brackets. The generator
/// must outlive it.
class GeneratedAnswerWriter : public AnswerWriter {
 public:
  GeneratedAnswerWriter(std::string name, std::shared_ptr<const engine::Model> model,
                        SharedGenerator& generator);
  std::string name() const override { return name_; }
  Draft write(std::string_view question, std::span<const Passage> passages,
              const AskOptions& options, const AskCallbacks& callbacks) override;

 private:
  std::string name_;
  std::shared_ptr<const engine::Model> model_;
  SharedGenerator& generator_;
  CitationFilter filter_;
};

engine::SamplingOptions engine_sampling(const Sampling& sampling);

}  // namespace lore::pipeline
