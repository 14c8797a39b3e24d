// How much each word of a question tells among the passages that were found.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lore/types.hpp"

namespace lore::pipeline {

/// ln(1 + sentences / sentences with the word), over the sentences of the passages: in a pump's
/// manual "pump" says little and "torque" much. Words as content_words() gives them.
///
/// Thread safety: immutable after construction.
class WordWeights {
 public:
  explicit WordWeights(std::span<const Passage> passages);
  double operator()(std::string_view word) const;

 private:
  std::size_t sentences_ = 0;
  std::unordered_map<std::string, std::size_t> sentences_with_;
};

}  // namespace lore::pipeline
