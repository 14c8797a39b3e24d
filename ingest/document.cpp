#include "ingest/ingest.hpp"

namespace lore::ingest {

std::string_view format_name(Format format) noexcept {
  switch (format) {
    case Format::pdf:
      return "PDF";
    case Format::markdown:
      return "Markdown";
    case Format::html:
      return "HTML";
    case Format::text:
      return "text";
    case Format::unknown:
      break;
  }
  return "unknown";
}

std::string Document::text() const {
  std::size_t size = pages.size();
  for (const Page& page : pages) size += page.text.size();
  std::string result;
  result.reserve(size);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (i > 0) result += '\f';
    result += pages[i].text;
  }
  return result;
}

}  // namespace lore::ingest
