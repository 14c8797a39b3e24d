#include "ingest/pdf/pdf_file.hpp"

#include <openssl/provider.h>

#include <algorithm>
#include <istream>
#include <streambuf>
#include <utility>

#include "ingest/pdf/content_lexer.hpp"
#include "ingest/pdf/repair.hpp"

namespace lore::ingest::pdf {
namespace {

constexpr long kMaxObjects = 1'000'000;
constexpr std::size_t kMaxFilters = 8;
constexpr int kMaxNesting = 200;

void quiet_podofo() {
  PoDoFo::PdfError::EnableDebug(false);
  PoDoFo::PdfError::EnableLogging(false);
  PoDoFo::PdfParser::SetMaxObjectCount(kMaxObjects);
  PoDoFo::PdfTokenizer::RecursionGuard::SetMaxRecursionDepth(kMaxNesting);
}

/// A stream over bytes that lie in memory, without a copy of them.
class MemoryBuffer : public std::streambuf {
 public:
  explicit MemoryBuffer(std::string_view bytes) {
    char* begin = const_cast<char*>(bytes.data());  // streambuf wants it so; nothing is written
    setg(begin, begin, begin + bytes.size());
  }

 protected:
  pos_type seekoff(off_type offset, std::ios_base::seekdir direction,
                   std::ios_base::openmode) override {
    const off_type size = egptr() - eback();
    const off_type base = direction == std::ios_base::beg   ? 0
                          : direction == std::ios_base::cur ? gptr() - eback()
                                                            : size;
    const off_type target = base + offset;
    if (target < 0 || target > size) return pos_type(off_type(-1));
    setg(eback(), eback() + target, egptr());
    return pos_type(target);
  }
  pos_type seekpos(pos_type position, std::ios_base::openmode mode) override {
    return seekoff(off_type(position), std::ios_base::beg, mode);
  }
};

class MemoryStream : private MemoryBuffer, public std::istream {
 public:
  explicit MemoryStream(std::string_view bytes) : MemoryBuffer(bytes), std::istream(this) {}
};

std::string error_name(const PoDoFo::PdfError& error) {
  const char* name = PoDoFo::PdfError::ErrorName(error.GetError());
  return name != nullptr ? name : "unknown";
}

std::string_view without_line_end(std::string_view data) {
  if (!data.empty() && data.back() == '\n') data.remove_suffix(1);
  if (!data.empty() && data.back() == '\r') data.remove_suffix(1);
  return data;
}

/// Whether `endstream` follows at `at`, apart from white space.
bool ends_at(std::string_view bytes, std::size_t at) {
  for (int i = 0; i < 4 && at < bytes.size() &&
                  (bytes[at] == '\r' || bytes[at] == '\n' || bytes[at] == ' ' || bytes[at] == '\t');
       ++i) {
    ++at;
  }
  return bytes.substr(std::min(at, bytes.size()), 9) == "endstream";
}

}  // namespace

/// OpenSSL 3 keeps RC4 in its legacy provider, and PoDoFo asks for RC4 even with AES-128.
class PdfFile::Ciphers {
 public:
  explicit Ciphers(const std::filesystem::path& modules) {
    if (!modules.empty()) OSSL_PROVIDER_set_default_search_path(nullptr, modules.c_str());
    default_ = OSSL_PROVIDER_load(nullptr, "default");
    legacy_ = OSSL_PROVIDER_load(nullptr, "legacy");
  }
  ~Ciphers() {
    if (legacy_ != nullptr) OSSL_PROVIDER_unload(legacy_);
    if (default_ != nullptr) OSSL_PROVIDER_unload(default_);
  }
  Ciphers(const Ciphers&) = delete;
  Ciphers& operator=(const Ciphers&) = delete;

  bool complete() const { return default_ != nullptr && legacy_ != nullptr; }

 private:
  OSSL_PROVIDER* default_ = nullptr;
  OSSL_PROVIDER* legacy_ = nullptr;
};

PdfFile::PdfFile(std::string_view bytes, std::span<const std::string> passwords,
                 const std::filesystem::path& cipher_modules)
    : ciphers_(std::make_unique<Ciphers>(cipher_modules)) {
  if (bytes.empty()) throw OpenError{"empty", "the file is empty (0 bytes)"};
  quiet_podofo();
  if (try_load(bytes, passwords) && has_pages()) return;
  const std::string first_problem = load_problem_;
  repaired_bytes_ = rebuild_cross_reference(bytes);
  if (!repaired_bytes_.empty() && try_load(repaired_bytes_, passwords) && has_pages()) return;
  if (bytes.find("%PDF-") == std::string_view::npos && repaired_bytes_.empty()) {
    throw OpenError{"not_pdf", "the file is not a PDF: it has no PDF header and no PDF objects"};
  }
  if (!ciphers_->complete() && bytes.find("/Encrypt") != std::string_view::npos) {
    throw OpenError{"unsupported",
                    "the PDF is encrypted, and OpenSSL's legacy provider, which its old cipher "
                    "needs, is not installed"};
  }
  throw OpenError{"damaged", "the PDF is damaged and could not be repaired (" +
                                 (first_problem.empty() ? "it has no pages" : first_problem) +
                                 "); open it in a PDF viewer and save it anew"};
}

PdfFile::~PdfFile() = default;

bool PdfFile::try_load(std::string_view bytes, std::span<const std::string> passwords) {
  load_problem_.clear();
  encryption_.reset();
  objects_.reset();
  document_ = std::make_unique<PoDoFo::PdfMemDocument>();
  bytes_ = bytes;
  bool wrong_password = false;
  try {
    stream_ = std::make_unique<MemoryStream>(bytes);
    // PoDoFo takes the device over, but not the stream.
    auto device = std::make_unique<PoDoFo::PdfInputDevice>(stream_.get());
    document_->LoadFromDevice(PoDoFo::PdfRefCountedInputDevice(device.release()));
  } catch (const PoDoFo::PdfError& error) {
    wrong_password = error.GetError() == PoDoFo::ePdfError_InvalidPassword;
    load_problem_ = error_name(error);
    if (!wrong_password) return false;
  } catch (const std::exception& error) {
    load_problem_ = error.what();
    return false;
  }
  for (std::size_t i = 0; wrong_password && i < passwords.size(); ++i) {
    try {
      document_->SetPassword(passwords[i]);
      wrong_password = false;
    } catch (const PoDoFo::PdfError& error) {
      if (error.GetError() == PoDoFo::ePdfError_InvalidPassword) continue;
      load_problem_ = error_name(error);
      return false;
    }
  }
  if (wrong_password) {
    throw OpenError{"password", passwords.empty()
                                    ? "the PDF is protected by a password; give it with --password"
                                    : "the PDF is protected by a password, and none of those given "
                                      "with --password opens it"};
  }
  objects_ = std::make_unique<Objects>(document_->GetObjects());
  if (document_->GetEncrypt() != nullptr) {
    encryption_.reset(PoDoFo::PdfEncrypt::CreatePdfEncrypt(*document_->GetEncrypt()));
  }
  return true;
}

bool PdfFile::has_pages() const {
  const Object* pages = objects_->dictionary(catalog(), "Pages");
  if (pages == nullptr) return false;
  const std::size_t kids = objects_->array_size(objects_->get(pages, "Kids"));
  if (kids == 0) return objects_->name(pages, "Type") == "Page";
  for (std::size_t i = 0; i < std::min<std::size_t>(kids, 100); ++i) {
    if (Objects::is_dictionary(objects_->item(objects_->get(pages, "Kids"), i))) return true;
  }
  return false;
}

const Object* PdfFile::catalog() const noexcept {
  return objects_->dictionary(document_->GetTrailer(), "Root");
}

const Object* PdfFile::trailer() const noexcept { return document_->GetTrailer(); }

PdfFile::RawStream PdfFile::raw_stream(const Object* object) const {
  RawStream raw;
  const auto* parsed = dynamic_cast<const PoDoFo::PdfParserObject*>(object);
  if (parsed == nullptr || !Objects::is_dictionary(object)) return {{}, {}, "is no stream"};
  const PoDoFo::pdf_int64 offset = parsed->GetOffset();
  if (offset < 0 || static_cast<std::uint64_t>(offset) >= bytes_.size()) {
    return {{}, {}, "lies outside the file"};
  }
  const auto start = static_cast<std::size_t>(offset);
  ContentLexer lexer(bytes_.substr(start));
  Operand operand;
  bool found = false;
  // "12 0 obj", the dictionary, "stream": nothing else may come between.
  for (int i = 0; i < 6 && !found; ++i) {
    const ContentLexer::Token token = lexer.next(operand);
    if (token == ContentLexer::Token::end) break;
    found = token == ContentLexer::Token::keyword && lexer.keyword() == "stream";
    if (token == ContentLexer::Token::keyword && !found && lexer.keyword() != "obj") break;
  }
  if (!found) return {{}, {}, "is no stream"};
  std::size_t data = start + lexer.position();
  if (bytes_.substr(data, 2) == "\r\n") {
    data += 2;
  } else if (data < bytes_.size() && (bytes_[data] == '\n' || bytes_[data] == '\r')) {
    ++data;
  }
  const double length = objects_->number(object, "Length").value_or(-1);
  const auto left = static_cast<double>(bytes_.size() - data);
  if (length >= 0 && length <= left && ends_at(bytes_, data + static_cast<std::size_t>(length))) {
    raw.bytes = bytes_.substr(data, static_cast<std::size_t>(length));
  } else {
    // The length is wrong: the data goes to the word that ends it.
    std::size_t end = bytes_.find("endstream", data);
    if (end == std::string_view::npos) end = bytes_.find("endobj", data);
    raw.bytes = bytes_.substr(data, end == std::string_view::npos ? end : end - data);
    raw.bytes = without_line_end(raw.bytes);
  }
  if (encryption_ != nullptr) decrypt(object, raw);
  return raw;
}

void PdfFile::decrypt(const Object* object, RawStream& raw) const {
  for (const FilterStep& step : filters(object)) {
    if (step.name == "Crypt") return;  // its only named filter in use is Identity
  }
  if (objects_->name(object, "Type") == "XRef") return;
  try {
    std::string out(raw.bytes.size() + 64, '\0');
    // RC4 wants exactly the input's length there; AES overwrites it.
    auto length = static_cast<PoDoFo::pdf_long>(raw.bytes.size());
    encryption_->SetCurrentReference(object->Reference());
    encryption_->Decrypt(reinterpret_cast<const unsigned char*>(raw.bytes.data()),
                         static_cast<PoDoFo::pdf_long>(raw.bytes.size()),
                         reinterpret_cast<unsigned char*>(out.data()), length);
    out.resize(
        std::min(out.size(), static_cast<std::size_t>(std::max<PoDoFo::pdf_long>(0, length))));
    raw.owned = std::move(out);
    raw.bytes = raw.owned;
  } catch (const PoDoFo::PdfError&) {
    raw.bytes = {};
    raw.problem = "could not be decrypted";
  }
}

bool PdfFile::is_stream(const Object* object) const {
  const auto* parsed = dynamic_cast<const PoDoFo::PdfParserObject*>(object);
  return parsed != nullptr && Objects::is_dictionary(object) &&
         objects_->get_unresolved(object, "Length") != nullptr;
}

std::vector<FilterStep> PdfFile::filters(const Object* object) const {
  const auto first_of = [&](const char* key, const char* short_key) {
    const Object* found = objects_->get(object, key);
    return found != nullptr ? found : objects_->get(object, short_key);
  };
  const Object* filter = first_of("Filter", "F");
  const Object* parameters = first_of("DecodeParms", "DP");
  std::vector<FilterStep> steps;
  const bool many = Objects::is_array(filter);
  const std::size_t count = many ? std::min(objects_->array_size(filter), kMaxFilters)
                            : Objects::is_name(filter) ? 1
                                                       : 0;
  for (std::size_t i = 0; i < count; ++i) {
    FilterStep step;
    step.name = many ? objects_->name(objects_->item(filter, i)) : objects_->name(filter);
    const Object* own = Objects::is_array(parameters) ? objects_->item(parameters, i)
                        : i == 0                      ? parameters
                                                      : nullptr;
    const auto integer = [&](const char* key, int fallback) {
      const double value = objects_->number(own, key).value_or(fallback);
      return value >= 0 && value < 1e9 ? static_cast<int>(value) : -1;
    };
    step.predictor = integer("Predictor", 1);
    step.colors = integer("Colors", 1);
    step.bits = integer("BitsPerComponent", 8);
    step.columns = integer("Columns", 1);
    step.early_change = integer("EarlyChange", 1) != 0;
    steps.push_back(std::move(step));
  }
  return steps;
}

DecodedStream PdfFile::stream(const Object* object) {
  const Object* resolved = objects_->resolve(object);
  if (resolved == nullptr) return {{}, "is missing"};
  RawStream raw = raw_stream(resolved);
  if (!raw.problem.empty()) return {{}, raw.problem};
  if (budget_ == 0)
    return {{}, "the document's streams decode to more than lore reads of one file"};
  const std::string_view bytes = raw.owned.empty() ? raw.bytes : std::string_view(raw.owned);
  DecodedStream decoded = apply_filters(bytes, filters(resolved), std::min(kStreamLimit, budget_));
  budget_ -= std::min(budget_, decoded.bytes.size());
  return decoded;
}

}  // namespace lore::ingest::pdf
