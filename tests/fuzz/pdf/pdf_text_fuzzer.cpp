// Any bytes as a PDF: a document whose texts keep their promises, or an OpenError.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/utf8.hpp"
#include "ingest/pdf/assemble.hpp"
#include "ingest/pdf/pdf.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace pdf = lore::ingest::pdf;
  try {
    pdf::PdfReader reader({reinterpret_cast<const char*>(data), size}, {});
    std::vector<pdf::PageRecord> pages;
    for (std::size_t i = 0; i < reader.info().page_count; ++i) pages.push_back(reader.page(i));
    const lore::ingest::Document document = pdf::assemble(reader.info(), pages);
    if (document.pages.size() != reader.info().page_count) std::abort();
    for (const auto& page : document.pages) {
      if (!lore::utf8::is_valid(page.text)) std::abort();
      if (page.text.find('\f') != std::string::npos) std::abort();
      if (page.text.find('\0') != std::string::npos) std::abort();
    }
    const std::size_t length = lore::utf8::length(document.text());
    for (const auto& heading : document.headings) {
      if (heading.start >= length) std::abort();
    }
  } catch (const pdf::OpenError&) {
  }
  return 0;
}
