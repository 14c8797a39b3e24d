#include <algorithm>
#include <string>
#include <utility>

#include "base/utf8.hpp"
#include "pipeline/citations/citations.hpp"
#include "pipeline/citations/fold.hpp"
#include "pipeline/citations/marks.hpp"
#include "pipeline/citations/sentences.hpp"

namespace lore::pipeline {
namespace citations {
namespace {

constexpr int kLargestNumber = 9999;
constexpr int kLongestRange = 20;

bool is_blank(char32_t c) { return c == U' ' || c == U'\t' || c == U'\u00A0'; }

}  // namespace

Mark read_mark(const std::vector<char32_t>& text, std::size_t position) {
  const auto at = [&text](std::size_t i) { return i < text.size() ? text[i] : U'\0'; };
  if (at(position) != U'[') return {};
  Mark mark;
  bool range = false;
  for (std::size_t i = position + 1; i < text.size(); ++i) {
    const char32_t c = text[i];
    if (is_digit(c)) {
      int number = 0;
      for (; is_digit(at(i)); ++i) {
        number = std::min(number * 10 + static_cast<int>(at(i) - U'0'), kLargestNumber + 1);
      }
      --i;
      if (number > kLargestNumber) return {};
      const int from = range && !mark.numbers.empty() ? mark.numbers.back() + 1 : number;
      for (int n = std::max(from, number - kLongestRange); n < number; ++n) {
        mark.numbers.push_back(n);
      }
      mark.numbers.push_back(number);
      range = false;
    } else if (c == U'-' || c == U'\u2013') {
      range = true;
    } else if (c == U']') {
      mark.end = i + 1;
      return mark;
    } else if (c != U',' && c != U';' && !is_blank(c)) {
      return {};
    }
  }
  return {};
}

}  // namespace citations

namespace {

using Text = std::vector<char32_t>;

bool is_space(char32_t c) {
  return c == U' ' || c == U'\t' || c == U'\n' || c == U'\r' || c == U'\u00A0' || c == U'\u3000';
}

/// Past the marks (and the white space before them) at `position`.
std::size_t after_marks(const Text& text, std::size_t position) {
  for (;;) {
    std::size_t start = position;
    while (start < text.size() && is_space(text[start]) && text[start] != U'\n') ++start;
    const citations::Mark mark = citations::read_mark(text, start);
    if (mark.numbers.empty()) return position;
    position = mark.end;
  }
}

/// Past "- ", "* ", "• ", "3. " and "3) " at a line's start.
std::size_t after_list_sign(const Text& text, std::size_t begin, std::size_t end) {
  std::size_t i = begin;
  if (i < end && (text[i] == U'-' || text[i] == U'*' || text[i] == U'\u2022')) {
    ++i;
  } else {
    while (i < end && i < begin + 3 && citations::is_digit(text[i])) ++i;
    if (i == begin || i >= end || (text[i] != U'.' && text[i] != U')')) return begin;
    ++i;
  }
  if (i < end && !is_space(text[i])) return begin;
  while (i < end && is_space(text[i])) ++i;
  return i;
}

AnswerSentence make_sentence(const Text& text, std::size_t begin, std::size_t end) {
  AnswerSentence sentence;
  sentence.span = {begin, end};
  for (std::size_t i = after_list_sign(text, begin, end); i < end;) {
    const citations::Mark mark = citations::read_mark(text, i);
    if (mark.numbers.empty()) {
      utf8::append(sentence.text, text[i++]);
      continue;
    }
    for (const int number : mark.numbers) {
      auto& known = sentence.citations;
      if (std::find(known.begin(), known.end(), number) == known.end()) known.push_back(number);
    }
    while (!sentence.text.empty() && sentence.text.back() == ' ') sentence.text.pop_back();
    i = mark.end;
  }
  const std::size_t first = sentence.text.find_first_not_of(" \t\r\n");
  sentence.text.erase(0, std::min(first, sentence.text.size()));
  return sentence;
}

bool has_words(std::string_view text) {
  const Text characters = utf8::decode(text);
  return std::any_of(characters.begin(), characters.end(),
                     [](char32_t c) { return citations::is_letter(c) || citations::is_digit(c); });
}

}  // namespace

std::vector<AnswerSentence> split_answer(std::string_view answer) {
  const Text text = utf8::decode(answer);
  std::vector<AnswerSentence> sentences;
  std::size_t done = 0;  // marks behind a full stop were given to the sentence before
  for (const TextSpan& span : citations::find_sentences(text, citations::LineEnds::hard)) {
    std::size_t begin = std::max(span.start, done);
    while (begin < span.end && is_space(text[begin])) ++begin;
    done = after_marks(text, span.end);
    if (begin >= span.end) continue;
    AnswerSentence sentence = make_sentence(text, begin, std::max(span.end, done));
    if (has_words(sentence.text)) {
      sentences.push_back(std::move(sentence));
    } else if (!sentences.empty()) {  // marks on a line of their own
      for (const int n : sentence.citations) sentences.back().citations.push_back(n);
    }
  }
  return sentences;
}

}  // namespace lore::pipeline
