// Many questions, answered one by one into durable lines.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "lore/options.hpp"
#include "lore/types.hpp"
#include "pipeline/question_file.hpp"

namespace lore::pipeline {

/// Answers one question; called from one thread only. Error{invalid_argument, limit_exceeded} fails
/// the question, any other error ends the batch.
using Answerer = std::function<Answer(const std::string& question)>;

/// Answers `rows` with `options.jobs` answerers at once, writes in the order of the rows. What
/// `make_answerer` throws is thrown before anything is written.
/// Throws Error{interrupted} when stopped, after the lines that were finished in order are written.
BatchReport run_batch(const std::vector<QuestionRow>& rows,
                      const std::function<Answerer()>& make_answerer, const BatchOptions& options,
                      const BatchCallbacks& callbacks);

}  // namespace lore::pipeline
