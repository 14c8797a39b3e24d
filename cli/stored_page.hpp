// One page of a stored document.
#pragma once

#include <cstddef>
#include <string_view>

#include "lore/types.hpp"

namespace lore::cli {

/// The text of page `page`, from 1 to the number of pages.
std::string_view page_text(const StoredDocument& document, std::size_t page);

/// Leaves only page `page`, counted from 1; `offset` then says where it starts in the document, and
/// the positions of the page count from there. Throws Error{invalid_argument} where there is no
/// such page.
void keep_page(StoredDocument& document, std::size_t page);

}  // namespace lore::cli
