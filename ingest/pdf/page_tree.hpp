// The pages of a document, found by walking /Kids ourselves.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ingest/pdf/objects.hpp"

namespace lore::ingest::pdf {

inline constexpr std::size_t kMaxPages = 200'000;

/// One page, with what it inherits.
struct PageNode {
  const Object* page = nullptr;  ///< nullptr: the tree names a page that is not there
  const Object* resources = nullptr;
  const Object* crop_box = nullptr;  ///< its own or inherited CropBox, else MediaBox
  int rotate = 0;                    ///< 0, 90, 180, 270, clockwise
  std::string problem;               ///< why `page` is nullptr
};

struct PageTree {
  std::vector<PageNode> pages;
  std::vector<std::string>
      problems;  ///< lost branches, cycles, depth and page caps, a wrong /Count
};

/// Walks the tree in order. A node on its own path is a cycle and left out; a page that is listed
/// twice is two pages; kids that are inline or have no /Type are taken for what they look like;
/// missing kids stay in the list as pages that failed. /Count is never believed, but compared.
PageTree walk_pages(const Objects& objects, const Object* catalog);

/// The label of each page ("iv", "A-3"), from /PageLabels; the number from 1 where there is none.
std::vector<std::string> page_labels(const Objects& objects, const Object* catalog,
                                     std::size_t page_count);

}  // namespace lore::ingest::pdf
