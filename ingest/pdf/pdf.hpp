// Door of the PDF reader: pages of text out of a document in memory. Runs in the worker process;
// nothing here may be trusted to come back on hostile input.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "ingest/pdf/page_record.hpp"

namespace lore::ingest::pdf {

/// Why a document could not be opened.
struct OpenError {
  std::string code;    ///< as in ingest::Failure: "password", "damaged", "not_pdf", "empty", …
  std::string reason;  ///< one sentence with the way out
};

/// An opened document. Thread safety: one thread, and one document at a time in a process.
class PdfReader {
 public:
  /// `bytes` must outlive the reader. Throws OpenError.
  PdfReader(std::string_view bytes, std::span<const std::string> passwords,
            const WorkerFiles& files = {});
  ~PdfReader();
  PdfReader(const PdfReader&) = delete;
  PdfReader& operator=(const PdfReader&) = delete;

  const DocumentInfo& info() const noexcept;

  /// The page with this index, below info().page_count. A page that cannot be read comes back
  /// with its state and a note; only std::bad_alloc is thrown.
  PageRecord page(std::size_t index);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace lore::ingest::pdf
