#include "index/retrieve/stem.hpp"

#include <algorithm>
#include <array>

namespace lore::index {
namespace {

bool strip(std::string& word, std::string_view ending, std::size_t keep) {
  if (!word.ends_with(ending) || word.size() - ending.size() < keep) return false;
  word.resize(word.size() - ending.size());
  return true;
}

// "stopp" → "stop", but not "fill" or "press".
void undouble(std::string& word) {
  if (word.size() < 4 || word.back() != word[word.size() - 2]) return;
  constexpr std::string_view kStays = "lszaeiou";
  if (kStays.find(word.back()) == std::string_view::npos) word.pop_back();
}

}  // namespace

std::string stem(std::string_view word) {
  std::string result(word);
  const bool plain =
      std::all_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (!plain) return result;
  const bool stays = result.ends_with("ss") || result.ends_with("us") || result.ends_with("is");
  if (!stays) strip(result, "s", 3);
  if (strip(result, "ing", 4) || strip(result, "ed", 4)) undouble(result);
  constexpr std::array<std::string_view, 7> kEndings = {"ern", "en", "er", "em", "es", "e", "n"};
  for (const std::string_view ending : kEndings) {
    if (strip(result, ending, 4)) break;
  }
  if (result.size() >= 4 && result.back() == 'y') result.back() = 'i';
  return result;
}

}  // namespace lore::index
