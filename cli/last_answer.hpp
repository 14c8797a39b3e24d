// The citations of the last answer, kept beside the index so that `lore open N` finds them.
#pragma once

#include <cstddef>
#include <filesystem>

#include "lore/types.hpp"

namespace lore::cli {

/// Where the index can be written; elsewhere nothing is kept.
void keep_last_answer(const std::filesystem::path& index, const Answer& answer);

struct CitedPlace {
  std::filesystem::path file;
  std::size_t page = 0;  ///< 0: the file has no pages
};
/// Of citation `n`. Throws Error{not_found} where nothing was answered yet, Error{invalid_argument}
/// where the answer has no such citation.
CitedPlace last_citation(const std::filesystem::path& index, std::size_t n);

}  // namespace lore::cli
