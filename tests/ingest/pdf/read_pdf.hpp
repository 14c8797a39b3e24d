// Reads a PDF in this process, as the worker does it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ingest/pdf/assemble.hpp"
#include "ingest/pdf/pdf.hpp"

namespace lore::ingest::pdf::test {

/// The document of these bytes. Throws OpenError.
inline Document read_pdf(std::string_view bytes, const std::vector<std::string>& passwords = {}) {
  PdfReader reader(bytes, passwords);
  std::vector<PageRecord> pages;
  for (std::size_t i = 0; i < reader.info().page_count; ++i) pages.push_back(reader.page(i));
  return assemble(reader.info(), pages);
}

}  // namespace lore::ingest::pdf::test
