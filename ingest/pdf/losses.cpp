// What was lost of a document's pages, told once for all pages that share it.
#include <map>
#include <string>
#include <vector>

#include "base/number_ranges.hpp"
#include "base/utf8.hpp"
#include "ingest/pdf/assemble.hpp"

namespace lore::ingest::pdf {
namespace {

constexpr std::size_t kMaxTold = 20;        // kinds of loss
constexpr std::size_t kUnmappedOneIn = 10;  // characters, from which on a page is told

std::size_t characters_of(const PageRecord& page) {
  std::size_t count = 0;
  for (const TextBlock& block : page.blocks) {
    for (const TextLine& line : block.lines) count += utf8::length(line.text);
  }
  return count;
}

std::string on_pages(const std::vector<std::size_t>& numbers) {
  return (numbers.size() == 1 ? "page " : "pages ") + number_ranges(numbers) + ": ";
}

}  // namespace

std::vector<std::string> describe_losses(const std::vector<PageRecord>& pages) {
  std::map<std::string, std::vector<std::size_t>> pages_of;  // by what was lost
  std::vector<std::size_t> unmapped;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const PageRecord& page = pages[i];
    if (page.state == PageState::failed) continue;
    if (!page.note.empty()) pages_of[page.note].push_back(i + 1);
    const std::size_t lost = page.unmapped_glyphs;
    if (lost > 0 && lost * kUnmappedOneIn > characters_of(page)) unmapped.push_back(i + 1);
  }
  std::vector<std::string> losses;
  if (!unmapped.empty()) {
    losses.push_back(on_pages(unmapped) +
                     "the file does not tell what many characters mean (they read as U+FFFD); "
                     "text recognition on the pages' pictures would help");
  }
  for (const auto& [note, numbers] : pages_of) {
    if (losses.size() == kMaxTold) {
      losses.emplace_back("and more of the kind on other pages");
      break;
    }
    losses.push_back(on_pages(numbers) + note);
  }
  return losses;
}

}  // namespace lore::ingest::pdf
