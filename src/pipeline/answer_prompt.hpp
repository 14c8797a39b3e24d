// The prompt of an answer: instructions, numbered passages cut to a token budget, the question.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.hpp"
#include "lore/types.hpp"

namespace lore::pipeline {

/// What a model writes when no passage answers.
inline constexpr std::string_view kRefusal = "Not in the passages.";

/// What stands before the question. A model that writes it has begun to ask itself.
inline constexpr std::string_view kQuestionLabel = "Question: ";

struct AnswerPrompt {
  std::vector<engine::TokenId> ids;
  std::vector<std::size_t> given;  ///< the numbers, from 1 and ascending, of the passages it holds
};

/// Passages are numbered from 1 and cut to the sentences that belong to what the question asks
/// (choose_context()), so that the whole prompt has at most `budget` tokens; one of which nothing
/// does is left out. Throws Error{limit_exceeded} where the question leaves no room for a passage.
AnswerPrompt build_answer_prompt(const engine::Model& model, std::string_view question,
                                 std::span<const Passage> passages, std::size_t budget);

/// The passages of these numbers, which count from 1; none for a number that there is not.
std::vector<Passage> passages_of(std::span<const Passage> passages,
                                 std::span<const std::size_t> numbers);

/// Whether `answer` is the refusal, as a model may spell it.
bool is_refusal(std::string_view answer);

}  // namespace lore::pipeline
