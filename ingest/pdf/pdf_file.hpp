// One opened PDF: decrypted objects through PoDoFo, streams from the file's own bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <istream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/pdf/objects.hpp"
#include "ingest/pdf/pdf.hpp"
#include "ingest/pdf/stream_filters.hpp"

namespace lore::ingest::pdf {

/// Bytes that streams may decode to.
inline constexpr std::size_t kStreamLimit = std::size_t{64} << 20;
inline constexpr std::size_t kDocumentLimit = std::size_t{512} << 20;

/// Thread safety: one thread.
class PdfFile {
 public:
  /// Opens a document that lies in memory and must stay there. Tries the empty password, then
  /// `passwords`; a damaged cross-reference is rebuilt. `cipher_modules`: of OpenSSL, "" for
  /// its own place. Throws OpenError.
  PdfFile(std::string_view bytes, std::span<const std::string> passwords,
          const std::filesystem::path& cipher_modules);
  ~PdfFile();
  PdfFile(const PdfFile&) = delete;
  PdfFile& operator=(const PdfFile&) = delete;

  const Objects& objects() const noexcept { return *objects_; }
  const Object* catalog() const noexcept;
  const Object* trailer() const noexcept;
  /// Whether the cross-reference had to be rebuilt.
  bool repaired() const noexcept { return !repaired_bytes_.empty(); }

  /// Whether `object` is a stream.
  bool is_stream(const Object* object) const;

  /// A stream's decoded bytes, as far as they could be decoded, within the budgets. Nothing but a
  /// problem where `object` is no stream.
  DecodedStream stream(const Object* object);

  /// What /Filter and /DecodeParms say.
  std::vector<FilterStep> filters(const Object* object) const;

 private:
  struct RawStream {
    std::string_view bytes;
    std::string owned;  ///< what `bytes` points to where they had to be decrypted
    std::string problem;
  };

  class Ciphers;

  bool try_load(std::string_view bytes, std::span<const std::string> passwords);
  RawStream raw_stream(const Object* object) const;
  void decrypt(const Object* object, RawStream& raw) const;
  bool has_pages() const;

  std::unique_ptr<Ciphers> ciphers_;  ///< must outlive the document
  std::string_view bytes_;            ///< what the loaded document's offsets refer to
  std::string load_problem_;          ///< why the last attempt failed
  std::string repaired_bytes_;
  std::unique_ptr<std::istream> stream_;  ///< what the document reads; must outlive it
  std::unique_ptr<PoDoFo::PdfMemDocument> document_;
  std::unique_ptr<Objects> objects_;
  std::unique_ptr<PoDoFo::PdfEncrypt> encryption_;
  std::size_t budget_ = kDocumentLimit;
};

}  // namespace lore::ingest::pdf
