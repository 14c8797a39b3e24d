#include "ingest/text/encoding.hpp"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

#include "base/utf8.hpp"

namespace lore::ingest {
namespace {

enum class Encoding { utf8, utf16_little, utf16_big, utf32_little, utf32_big, unknown };

struct Mark {
  std::string_view bytes;
  Encoding encoding;
};

// The longer marks first: that of UTF-32 starts like that of UTF-16.
constexpr std::array<Mark, 5> kMarks = {{{{"\xFF\xFE\0\0", 4}, Encoding::utf32_little},
                                         {{"\0\0\xFE\xFF", 4}, Encoding::utf32_big},
                                         {{"\xEF\xBB\xBF", 3}, Encoding::utf8},
                                         {{"\xFF\xFE", 2}, Encoding::utf16_little},
                                         {{"\xFE\xFF", 2}, Encoding::utf16_big}}};

unsigned byte_at(std::string_view bytes, std::size_t i) {
  return static_cast<unsigned char>(bytes[i]);
}

// UTF-16 without a mark shows by zeros at every other byte, where most of it is ASCII.
Encoding guess_utf16(std::string_view bytes) {
  std::size_t zeros[2] = {0, 0};
  const std::size_t size = std::min<std::size_t>(bytes.size(), 4096) & ~std::size_t{1};
  for (std::size_t i = 0; i < size; ++i) {
    if (bytes[i] == 0) ++zeros[i % 2];
  }
  const std::size_t pairs = size / 2;
  if (pairs < 2) return Encoding::unknown;
  if (zeros[1] * 10 >= pairs * 6 && zeros[0] * 20 <= pairs) return Encoding::utf16_little;
  if (zeros[0] * 10 >= pairs * 6 && zeros[1] * 20 <= pairs) return Encoding::utf16_big;
  return Encoding::unknown;
}

// The encoding that the bytes themselves tell; takes a mark off them.
Encoding told_encoding(std::string_view& bytes) {
  for (const Mark& mark : kMarks) {
    if (bytes.substr(0, mark.bytes.size()) != mark.bytes) continue;
    bytes.remove_prefix(mark.bytes.size());
    return mark.encoding;
  }
  return guess_utf16(bytes);
}

// A text that grows and counts what could not be read.
struct Output {
  std::string text;
  std::size_t lost = 0;

  void append(char32_t c) {
    if (c == utf8::kReplacement) ++lost;
    utf8::append(text, c);
  }
};

void decode_utf16(std::string_view bytes, bool big, Output& output) {
  const auto unit = [&](std::size_t i) {
    const unsigned first = byte_at(bytes, i);
    const unsigned second = byte_at(bytes, i + 1);
    return static_cast<char32_t>(big ? first << 8 | second : second << 8 | first);
  };
  std::size_t i = 0;
  for (; i + 1 < bytes.size(); i += 2) {
    char32_t c = unit(i);
    if (c >= 0xD800 && c < 0xDC00 && i + 3 < bytes.size()) {
      const char32_t low = unit(i + 2);
      if (low >= 0xDC00 && low < 0xE000) {
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
        i += 2;
      }
    }
    output.append(c >= 0xD800 && c < 0xE000 ? utf8::kReplacement : c);
  }
  if (i < bytes.size()) output.append(utf8::kReplacement);
}

void decode_utf32(std::string_view bytes, bool big, Output& output) {
  std::size_t i = 0;
  for (; i + 3 < bytes.size(); i += 4) {
    char32_t c = 0;
    for (std::size_t k = 0; k < 4; ++k) c = c << 8 | byte_at(bytes, i + (big ? k : 3 - k));
    output.append(c > 0x10FFFF || (c >= 0xD800 && c < 0xE000) ? utf8::kReplacement : c);
  }
  if (i < bytes.size()) output.append(utf8::kReplacement);
}

void decode_utf8(std::string_view bytes, Output& output) {
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t start = i;
    const char32_t c = utf8::next(bytes, i);
    // A U+FFFD that the file itself holds is no loss of ours.
    if (c == utf8::kReplacement && i - start == 1) ++output.lost;
    utf8::append(output.text, c);
  }
}

// Windows-1252, the encoding that browsers take for Latin-1. From its table of bytes 0x80 … 0x9F;
// five of them mean nothing.
void decode_windows1252(std::string_view bytes, Output& output) {
  static constexpr std::array<char32_t, 32> kHigh = {
      0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
      0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
      0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const unsigned byte = byte_at(bytes, i);
    output.append(byte >= 0x80 && byte < 0xA0 ? kHigh[byte - 0x80] : byte);
  }
}

// Whether more of the bytes beyond ASCII are UTF-8 than not: then it is UTF-8 with damage.
bool mostly_utf8(std::string_view bytes) {
  std::size_t sequences = 0;
  std::size_t invalid = 0;
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t start = i;
    const char32_t c = utf8::next(bytes, i);
    if (c == utf8::kReplacement && i - start == 1) {
      ++invalid;
    } else if (i - start > 1) {
      ++sequences;
    }
  }
  return sequences >= invalid;
}

class Converter {
 public:
  explicit Converter(const std::string& charset)
      : handle_(::iconv_open("UTF-8", charset.c_str())) {}
  ~Converter() {
    if (*this) ::iconv_close(handle_);
  }
  Converter(const Converter&) = delete;
  Converter& operator=(const Converter&) = delete;

  explicit operator bool() const { return handle_ != reinterpret_cast<iconv_t>(-1); }

  void convert(std::string_view bytes, Output& output) {
    std::array<char, 4096> buffer;
    char* input = const_cast<char*>(bytes.data());  // iconv reads it only
    std::size_t left = bytes.size();
    while (left > 0) {
      char* out = buffer.data();
      std::size_t room = buffer.size();
      const std::size_t result = ::iconv(handle_, &input, &left, &out, &room);
      output.text.append(buffer.data(), buffer.size() - room);
      if (result != static_cast<std::size_t>(-1) || errno == E2BIG) continue;
      output.append(utf8::kReplacement);
      ++input;
      --left;
    }
  }

 private:
  iconv_t handle_;
};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

// Decodes what tells its encoding by no mark. Returns a note where the encoding was guessed.
std::string decode_unmarked(std::string_view bytes, std::string_view declared, Output& output) {
  std::string charset = lower(declared);
  // As browsers do; and a declaration that the file could be read at all rules UTF-16 out.
  if (charset == "iso-8859-1" || charset == "latin1" || charset == "us-ascii" ||
      charset == "ascii") {
    charset = "windows-1252";
  }
  if (charset.rfind("utf-16", 0) == 0 || charset.rfind("utf-32", 0) == 0) charset = "utf-8";
  const bool declared_other = !charset.empty() && charset != "utf-8" && charset != "utf8";
  if (declared_other && charset != "windows-1252") {
    Converter converter(charset);
    if (converter) {
      converter.convert(bytes, output);
      return {};
    }
  }
  if (charset == "windows-1252") {
    decode_windows1252(bytes, output);
    return {};
  }
  if (mostly_utf8(bytes)) {
    decode_utf8(bytes, output);
    return {};
  }
  decode_windows1252(bytes, output);
  return "not UTF-8; read as Windows-1252 (Latin-1)";
}

// One kind of line end, no form feeds (they part pages in a stored text) and no U+0000.
std::string normalized(std::string_view text, std::size_t& lost) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\r' || c == '\f') {
      if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
      result += '\n';
    } else if (c == '\0') {
      utf8::append(result, utf8::kReplacement);
      ++lost;
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

Decoded decode(std::string_view bytes, std::string_view declared) {
  Decoded decoded;
  Output output;
  output.text.reserve(bytes.size());
  switch (told_encoding(bytes)) {
    case Encoding::utf8:
      decode_utf8(bytes, output);
      break;
    case Encoding::utf16_little:
      decode_utf16(bytes, false, output);
      break;
    case Encoding::utf16_big:
      decode_utf16(bytes, true, output);
      break;
    case Encoding::utf32_little:
      decode_utf32(bytes, false, output);
      break;
    case Encoding::utf32_big:
      decode_utf32(bytes, true, output);
      break;
    case Encoding::unknown: {
      std::string note = decode_unmarked(bytes, declared, output);
      if (!note.empty()) decoded.problems.push_back(std::move(note));
    }
  }
  decoded.text = normalized(output.text, output.lost);
  if (output.lost > 0) {
    decoded.problems.push_back(std::to_string(output.lost) +
                               (output.lost == 1 ? " character" : " characters") +
                               " could not be decoded and became U+FFFD");
  }
  return decoded;
}

bool looks_like_text(std::string_view head) {
  const Encoding encoding = told_encoding(head);
  if (encoding != Encoding::utf8 && encoding != Encoding::unknown) return true;
  std::size_t controls = 0;
  for (const char c : head) {
    const unsigned byte = static_cast<unsigned char>(c);
    if (byte == 0) return false;
    const bool usual =
        byte >= 0x20 || (byte >= 0x08 && byte <= 0x0D) || byte == 0x1A || byte == 0x1B;
    if (!usual || byte == 0x7F) ++controls;
  }
  return controls * 50 <= head.size();
}

}  // namespace lore::ingest
