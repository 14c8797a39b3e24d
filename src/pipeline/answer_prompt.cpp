#include "pipeline/answer_prompt.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"
#include "lore/error.hpp"
#include "pipeline/chat_prompt.hpp"
#include "pipeline/citations/citations.hpp"
#include "pipeline/word_weights.hpp"

namespace lore::pipeline {
namespace {

constexpr std::string_view kSystem =
    "You answer questions from numbered passages of the user's documents and from nothing else.";
constexpr std::string_view kInstruction =
    "Give a short answer in one sentence, copying the words of the passage that answers, and end "
    "it "
    "with the number of that passage in brackets, like [1]. Only when no passage answers the "
    "question, write: ";

/// Fewer tokens than this of a passage say too little to answer from.
constexpr std::size_t kLeastPassageTokens = 24;

struct Excerpt {
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

std::string head_of(std::size_t index, const std::string& source) {
  return "[" + std::to_string(index + 1) + "] " + source + "\n";
}

std::string user_message(std::string_view question, std::span<const Excerpt> excerpts) {
  std::string text;
  for (std::size_t i = 0; i < excerpts.size(); ++i) {
    text += head_of(i, excerpts[i].source) + excerpts[i].text + "\n\n";
  }
  text += "Question: ";
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

/// How many of the first passages `room` holds with something said of each; at least one.
template <typename Count>
std::size_t fitting(std::span<const Passage> passages, std::size_t room, const Count& count) {
  std::size_t number = 0;
  for (std::size_t used = 0; number < passages.size(); ++number) {
    used += count(head_of(number, source_of(passages[number])) + "\n\n") + kLeastPassageTokens;
    if (used > room && number > 0) break;
  }
  return number;
}

/// Cuts each of the first passages to its share of `room`; what one does not need is left to those
/// after it. Where there are too many for their shares to say anything, the last ones are left out.
std::vector<Excerpt> cut(const engine::Model& model, std::string_view question,
                         std::span<const Passage> passages, std::size_t room) {
  const auto count = [&](std::string_view text) {
    return model.tokenizer().count(text, {.add_special = false, .parse_special = false});
  };
  passages = passages.first(fitting(passages, room, count));
  const WordWeights weights(passages);
  std::vector<Excerpt> excerpts;
  for (std::size_t i = 0; i < passages.size(); ++i) {
    const std::size_t share = room / (passages.size() - i);
    Excerpt excerpt{source_of(passages[i]), {}};
    const std::size_t head = count(head_of(i, excerpt.source) + "\n\n");
    if (share <= head) break;
    const TextSpan span =
        context_sentences(passages[i].text, question, share - head, count, weights);
    excerpt.text = utf8::slice(passages[i].text, span.start, span.end);
    if (excerpt.text.empty()) break;
    const std::size_t used = head + count(excerpt.text);
    room -= std::min(room, used);
    excerpts.push_back(std::move(excerpt));
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
    AnswerPrompt prompt{encode(model, question, excerpts), excerpts.size()};
    if (prompt.ids.size() <= budget) return prompt;
    room -= std::min(room, prompt.ids.size() - budget);
  }
}

bool is_refusal(std::string_view answer) {
  const std::string text = folded(answer);
  return text.starts_with(folded(kRefusal));
}

}  // namespace lore::pipeline
