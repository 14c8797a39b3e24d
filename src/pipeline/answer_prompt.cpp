#include "pipeline/answer_prompt.hpp"

#include <algorithm>
#include <utility>

#include "lore/error.hpp"
#include "pipeline/chat_prompt.hpp"
#include "pipeline/citations/citations.hpp"
#include "pipeline/word_weights.hpp"

namespace lore::pipeline {
namespace {

constexpr std::string_view kSystem =
    "You answer questions from numbered passages of the user's documents and from nothing else.";
constexpr std::string_view kInstruction =
    "Give a short answer in one sentence, in the language of the question, copying the words of "
    "the passage that answers, and end it with the number of that passage in brackets, like [1]. "
    "Only when no passage answers the question, write: ";

/// Fewer tokens than this of a passage say too little to answer from.
constexpr std::size_t kLeastPassageTokens = 24;

struct Excerpt {
  std::size_t number;  // of the passage, from 1
  std::string source;
  std::string text;
};

std::string source_of(const Passage& passage) {
  std::string source = passage.title;
  if (source.empty()) source = std::filesystem::path(passage.document).filename().string();
  if (!passage.heading.empty() && passage.heading.back() != source) {
    source += ", " + passage.heading.back();
  }
  return source;
}

std::string head_of(const Excerpt& excerpt) {
  return "[" + std::to_string(excerpt.number) + "] " + excerpt.source + "\n";
}

std::string user_message(std::string_view question, std::span<const Excerpt> excerpts) {
  std::string text;
  for (const Excerpt& excerpt : excerpts) text += head_of(excerpt) + excerpt.text + "\n\n";
  text += kQuestionLabel;
  text += question;
  text += "\n\n";
  text += kInstruction;
  text += kRefusal;
  return text;
}

std::vector<engine::TokenId> encode(const engine::Model& model, std::string_view question,
                                    std::span<const Excerpt> excerpts) {
  return encode_chat(
      model, {{"system", std::string(kSystem)}, {"user", user_message(question, excerpts)}});
}

/// What the model gets to read of the passages, in their order.
std::vector<Excerpt> cut(const engine::Model& model, std::string_view question,
                         std::span<const Passage> passages, std::size_t room) {
  const auto count = [&](std::string_view text) {
    return model.tokenizer().count(text, {.add_special = false, .parse_special = false});
  };
  std::vector<ContextPassage> texts;
  for (std::size_t i = 0; i < passages.size(); ++i) {
    const std::string head = head_of({i + 1, source_of(passages[i]), {}});
    texts.push_back({passages[i].text, static_cast<double>(passages[i].similarity.value_or(0)),
                     count(head + "\n\n")});
  }
  const WordWeights weights(passages);
  std::vector<std::string> chosen = choose_context(question, texts, room, count, weights);
  std::vector<Excerpt> excerpts;
  for (std::size_t i = 0; i < passages.size(); ++i) {
    if (chosen[i].empty()) continue;
    excerpts.push_back({i + 1, source_of(passages[i]), std::move(chosen[i])});
  }
  return excerpts;
}

std::string folded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') {
      result += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (static_cast<unsigned char>(c) >= 0x80)) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

}  // namespace

AnswerPrompt build_answer_prompt(const engine::Model& model, std::string_view question,
                                 std::span<const Passage> passages, std::size_t budget) {
  const std::size_t fixed = encode(model, question, {}).size();
  const Error no_room(ErrorCode::limit_exceeded,
                      "the question and the instructions have " + std::to_string(fixed) +
                          " tokens, which leaves no room for passages within --context-tokens " +
                          std::to_string(budget) +
                          "; shorten the question or raise --context-tokens",
                      "--context-tokens");
  if (fixed + kLeastPassageTokens > budget) throw no_room;
  // Tokens can merge across the joints, or fail to, so what was cut is counted as a whole.
  std::size_t room = budget - fixed;
  while (true) {
    const std::vector<Excerpt> excerpts = cut(model, question, passages, room);
    if (excerpts.empty()) throw no_room;
    AnswerPrompt prompt{encode(model, question, excerpts), {}};
    for (const Excerpt& excerpt : excerpts) prompt.given.push_back(excerpt.number);
    if (prompt.ids.size() <= budget) return prompt;
    room -= std::min(room, prompt.ids.size() - budget);
  }
}

std::vector<Passage> passages_of(std::span<const Passage> passages,
                                 std::span<const std::size_t> numbers) {
  std::vector<Passage> given;
  for (const std::size_t number : numbers) {
    if (number - 1 < passages.size()) given.push_back(passages[number - 1]);
  }
  return given;
}

bool is_refusal(std::string_view answer) {
  const std::string text = folded(answer);
  return text.starts_with(folded(kRefusal));
}

}  // namespace lore::pipeline
