#include "cli/render/style.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "base/utf8.hpp"

namespace lore::cli {
namespace {

constexpr std::string_view kLinkStart = "\x1b]8;;";
constexpr std::string_view kLinkEnd = "\x1b\\";

bool is_unreserved(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~' || c == '/';
}

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

bool is_blank_or_control(char32_t c) {
  return is_control(c) || c == U' ' || c == 0xA0 || c == 0x2028 || c == 0x2029;
}

}  // namespace

std::string Style::wrap(std::string_view code, std::string_view text) const {
  if (!enabled_) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

std::string file_address(const std::filesystem::path& file, std::optional<std::size_t> page) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string address = "file://";
  for (const char c : file.string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_unreserved(byte)) {
      address += c;
    } else {
      address += '%';
      address += kDigits[byte >> 4];
      address += kDigits[byte & 15];
    }
  }
  if (page) address += "#page=" + std::to_string(*page);
  return address;
}

std::string Style::link(std::string_view text, const std::filesystem::path& file,
                        std::optional<std::size_t> page) const {
  if (!enabled_) return std::string(text);
  std::string linked(kLinkStart);
  linked += file_address(file, page);
  linked += kLinkEnd;
  linked += text;
  linked += kLinkStart;
  linked += kLinkEnd;
  return linked;
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t offset = 0; offset < text.size();) {
    const char32_t c = utf8::next(text, offset);
    if (c == U'\f') {
      result += '\n';
    } else {
      utf8::append(result, is_control(c) && c != U'\n' && c != U'\t' ? U' ' : c);
    }
  }
  return result;
}

std::string one_line(std::string_view text, std::size_t limit) {
  std::string line;
  std::size_t length = 0;
  bool pending_space = false;
  std::size_t offset = 0;
  while (offset < text.size()) {
    const char32_t c = utf8::next(text, offset);
    if (is_blank_or_control(c)) {
      pending_space = !line.empty();
      continue;
    }
    if (length + (pending_space ? 2 : 1) > limit) return line + "…";
    if (pending_space) {
      line += ' ';
      ++length;
    }
    pending_space = false;
    utf8::append(line, c);
    ++length;
  }
  return line;
}

std::string fixed(double value, int digits) {
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::fixed, digits);
  return std::string(buffer.data(), result.ptr);
}

std::string human_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string human_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 4> kUnits = {"kB", "MB", "GB", "TB"};
  if (bytes < 1000) return std::to_string(bytes) + " bytes";
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (value /= 1000; value >= 999.95 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  return fixed(value, 1) + " " + kUnits.at(unit);
}

std::string human_seconds(double seconds) {
  if (seconds < 60) return fixed(seconds, 1) + " s";
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return human_count(count) + " " + std::string(count == 1 ? one : many);
}

}  // namespace lore::cli
