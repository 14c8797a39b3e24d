#include "cli/last_answer.hpp"

#include <string>
#include <system_error>

#include "base/file.hpp"
#include "cli/json_fields.hpp"
#include "lore/error.hpp"

namespace lore::cli {
namespace {

constexpr const char* kFile = "last_answer.json";

}  // namespace

void keep_last_answer(const std::filesystem::path& index, const Answer& answer) {
  Json list = Json::array();
  for (const Citation& citation : answer.citations) {
    list.push_back({{"n", citation.n},
                    {"path", citation.path.string()},
                    {"page", citation.paged ? citation.page : 0}});
  }
  try {
    write_file_atomically(index / kFile, dump({{"citations", std::move(list)}}));
  } catch (const Error&) {
    // An index that cannot be written still answers.
  }
}

CitedPlace last_citation(const std::filesystem::path& index, std::size_t n) {
  std::error_code ignored;
  if (!std::filesystem::exists(index / kFile, ignored)) {
    throw Error(ErrorCode::not_found, "nothing was asked here yet; begin with: lore ask \"…\"");
  }
  const Fields kept = Fields::parse(read_file(index / kFile));
  const Json* list = kept.find("citations");
  std::size_t count = 0;
  if (list != nullptr && list->is_array()) {
    for (const Json& one : *list) {
      if (one.value("n", std::size_t{0}) == n) {
        return {one.value("path", ""), one.value("page", std::size_t{0})};
      }
      ++count;
    }
  }
  throw Error(ErrorCode::invalid_argument,
              "the last answer has no citation " + std::to_string(n) +
                  (count == 0 ? ": it cites nothing" : ""),
              std::to_string(n));
}

}  // namespace lore::cli
