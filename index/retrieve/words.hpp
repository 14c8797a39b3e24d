// Text to words as the full-text tables see them: folded, without marks, and with scripts that
// write no spaces told apart.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lore::index {

/// A run of letters, digits and marks of one kind of script.
struct Word {
  std::string folded;     ///< lower case, without diacritics ("ä" is "a"; "ß" stays)
  std::size_t begin = 0;  ///< bytes of the text
  std::size_t end = 0;
  bool spaceless =
      false;  ///< of a script that writes no spaces: Han, kana, Thai, Lao, Khmer, Burmese
  bool joined =
      false;  ///< only one mark (- . _ / ' and the like) stands between it and the word before
  bool has_digit = false;
  std::size_t length = 0;  ///< code points
};

/// All words in order. Invalid bytes part words.
std::vector<Word> split_words(std::string_view text);

/// All code points of a spaceless word, each as UTF-8.
std::vector<std::string> characters(std::string_view word);

}  // namespace lore::index
