// Any bytes as plain text, Markdown or HTML (the first byte chooses): a document of one page whose
// text keeps its promises. Deep nesting is cut before it reaches a parser.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/utf8.hpp"
#include "ingest/text/text_reader.hpp"

namespace {

lore::ingest::Document read(std::uint8_t kind, std::string_view bytes) {
  if (kind % 3 == 0) return lore::ingest::read_plain_text(bytes);
  if (kind % 3 == 1) return lore::ingest::read_markdown(bytes);
  return lore::ingest::read_html(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const lore::ingest::Document document =
      read(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
  if (document.pages.size() != 1) std::abort();
  const std::string text = document.text();
  if (!lore::utf8::is_valid(text)) std::abort();
  const std::size_t length = lore::utf8::length(text);
  for (const auto& heading : document.headings) {
    if (heading.start >= length) std::abort();
  }
  return 0;
}
