#include "cli/stored_page.hpp"

#include <string>
#include <utility>

#include "base/utf8.hpp"
#include "cli/render/style.hpp"
#include "lore/error.hpp"

namespace lore::cli {

std::string_view page_text(const StoredDocument& document, std::size_t page) {
  const StoredPage& stored = document.pages[page - 1];
  return utf8::slice(document.text, stored.start, stored.end);
}

void keep_page(StoredDocument& document, std::size_t page) {
  if (page == 0 || page > document.pages.size()) {
    throw Error(ErrorCode::invalid_argument,
                "--page " + std::to_string(page) + ": " + document.document + " has " +
                    counted(document.pages.size(), "page", "pages") + ", counted from 1",
                "--page");
  }
  StoredPage kept = document.pages[page - 1];
  document.text = std::string(page_text(document, page));
  document.offset = kept.start;
  kept.end -= std::exchange(kept.start, 0);
  document.pages = {std::move(kept)};
}

}  // namespace lore::cli
