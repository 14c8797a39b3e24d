#include "ingest/pdf/stream_filters.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace lore::ingest::pdf {
namespace {

constexpr std::string_view kOverLimit = "decodes to more than the limit of one stream";

bool is_space(unsigned char byte) {
  return byte == 0 || byte == '\t' || byte == '\n' || byte == '\f' || byte == '\r' || byte == ' ';
}

/// One run of zlib over `input`. `window` as inflateInit2 takes it.
DecodedStream inflate_all(std::string_view input, int window, std::size_t limit) {
  DecodedStream out;
  z_stream stream{};
  if (inflateInit2(&stream, window) != Z_OK) return {{}, "zlib could not start"};
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(input.data()));
  stream.avail_in = static_cast<uInt>(std::min<std::size_t>(input.size(), UINT32_MAX));
  std::array<char, 65536> buffer;
  for (;;) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    const std::size_t made = buffer.size() - stream.avail_out;
    const std::size_t room = limit - out.bytes.size();
    out.bytes.append(buffer.data(), std::min(made, room));
    if (made > room) {
      out.problem = kOverLimit;
      break;
    }
    if (status == Z_STREAM_END) break;
    if (status != Z_OK) {
      out.problem =
          stream.avail_in == 0 ? "compressed data ends early" : "compressed data is damaged";
      break;
    }
  }
  inflateEnd(&stream);
  return out;
}

DecodedStream decode_flate(std::string_view input, std::size_t limit) {
  while (!input.empty() && (input.front() == '\r' || input.front() == '\n')) input.remove_prefix(1);
  DecodedStream out = inflate_all(input, MAX_WBITS, limit);
  if (out.bytes.empty() && !out.problem.empty() && input.size() > 2) {
    // A broken two-byte header in front of sound data.
    DecodedStream bare = inflate_all(input.substr(2), -MAX_WBITS, limit);
    if (!bare.bytes.empty()) return bare;
  }
  return out;
}

DecodedStream decode_ascii_hex(std::string_view input) {
  DecodedStream out;
  int high = -1;
  for (const char c : input) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == '>') break;
    if (is_space(byte)) continue;
    int digit = 0;
    if (byte >= '0' && byte <= '9') {
      digit = byte - '0';
    } else if ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'f') {
      digit = (byte | 0x20) - 'a' + 10;
    } else {
      out.problem = "a character that is no hexadecimal digit";
      break;
    }
    if (high < 0) {
      high = digit;
    } else {
      out.bytes.push_back(static_cast<char>(high * 16 + digit));
      high = -1;
    }
  }
  if (high >= 0) out.bytes.push_back(static_cast<char>(high * 16));
  return out;
}

void append_base85_group(std::string& out, std::uint32_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>((value >> (24 - 8 * i)) & 0xFF));
}

DecodedStream decode_ascii85(std::string_view input) {
  DecodedStream out;
  if (input.substr(0, 2) == "<~") input.remove_prefix(2);
  std::uint32_t value = 0;
  int digits = 0;
  for (const char c : input) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == '~') break;
    if (is_space(byte)) continue;
    if (byte == 'z' && digits == 0) {
      out.bytes.append(4, '\0');
      continue;
    }
    if (byte < '!' || byte > 'u') {
      out.problem = "a character that base 85 does not have";
      break;
    }
    value = value * 85 + (byte - '!');  // wraps for a group over 2^32, as other readers do
    if (++digits == 5) {
      append_base85_group(out.bytes, value, 4);
      value = 0;
      digits = 0;
    }
  }
  if (digits > 1) {
    const int bytes = digits - 1;
    for (; digits < 5; ++digits) value = value * 85 + 84;
    append_base85_group(out.bytes, value, bytes);
  }
  return out;
}

DecodedStream decode_run_length(std::string_view input, std::size_t limit) {
  DecodedStream out;
  std::size_t at = 0;
  while (at < input.size()) {
    const auto length = static_cast<unsigned char>(input[at++]);
    if (length == 128) return out;
    const std::size_t count = length < 128 ? length + 1u : 257u - length;
    if (out.bytes.size() + count > limit) return {std::move(out.bytes), std::string(kOverLimit)};
    if (length < 128) {
      out.bytes.append(input.substr(at, count));
      at += std::min(count, input.size() - at);
    } else if (at < input.size()) {
      out.bytes.append(count, input[at++]);
    }
  }
  return out;
}

/// LZW of TIFF and PDF: codes of 9 to 12 bits, most significant bit first, 256 clears, 257 ends.
DecodedStream decode_lzw(std::string_view input, bool early_change, std::size_t limit) {
  constexpr unsigned kClear = 256, kEnd = 257, kFirst = 258, kTableSize = 4096;
  struct Entry {
    std::uint16_t previous;
    std::uint16_t length;
    char last;
    char first;
  };
  std::vector<Entry> table(kTableSize);
  for (unsigned i = 0; i < 256; ++i) table[i] = {0, 1, static_cast<char>(i), static_cast<char>(i)};
  DecodedStream out;
  unsigned next = kFirst, width = 9, previous = kClear;
  std::uint32_t bits = 0;
  unsigned available = 0;
  for (std::size_t at = 0; at < input.size() || available >= width;) {
    while (available < width && at < input.size()) {
      bits = (bits << 8) | static_cast<unsigned char>(input[at++]);
      available += 8;
    }
    if (available < width) break;
    const unsigned code = (bits >> (available - width)) & ((1u << width) - 1);
    available -= width;
    if (code == kEnd) return out;
    if (code == kClear) {
      next = kFirst;
      width = 9;
      previous = kClear;
      continue;
    }
    const bool known = code < 256 || (code >= kFirst && code < next);
    if (!known && !(code == next && previous != kClear)) {
      out.problem = "a code that its table does not have";
      return out;
    }
    const unsigned source = known ? code : previous;
    const std::size_t length = table[source].length + (known ? 0u : 1u);
    if (out.bytes.size() + length > limit) return {std::move(out.bytes), std::string(kOverLimit)};
    const char first = table[source].first;
    const std::size_t start = out.bytes.size();
    out.bytes.resize(start + length);
    std::size_t position = start + table[source].length;
    for (unsigned entry = source; position > start; entry = table[entry].previous) {
      out.bytes[--position] = table[entry].last;
    }
    if (!known) out.bytes.back() = first;
    if (previous != kClear && next < kTableSize) {
      table[next] = {static_cast<std::uint16_t>(previous),
                     static_cast<std::uint16_t>(table[previous].length + 1), first,
                     table[previous].first};
      ++next;
    }
    previous = code;
    const unsigned threshold = next + (early_change ? 1u : 0u);
    width = threshold >= 2048 ? 12 : threshold >= 1024 ? 11 : threshold >= 512 ? 10 : 9;
  }
  return out;
}

char paeth(int left, int up, int up_left) {
  const int estimate = left + up - up_left;
  const int distance_left = std::abs(estimate - left);
  const int distance_up = std::abs(estimate - up);
  const int distance_corner = std::abs(estimate - up_left);
  if (distance_left <= distance_up && distance_left <= distance_corner) {
    return static_cast<char>(left);
  }
  return static_cast<char>(distance_up <= distance_corner ? up : up_left);
}

/// Undoes PNG prediction: each row is led by a byte that names its filter.
std::string undo_png(std::string_view input, std::size_t row_bytes, std::size_t pixel_bytes) {
  std::string out;
  out.reserve(input.size());
  std::string above(row_bytes, '\0');
  while (!input.empty()) {
    const int kind = static_cast<unsigned char>(input.front());
    input.remove_prefix(1);
    std::string row(input.substr(0, row_bytes));
    input.remove_prefix(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      const int left = i >= pixel_bytes ? static_cast<unsigned char>(row[i - pixel_bytes]) : 0;
      const int up = static_cast<unsigned char>(above[i]);
      const int corner = i >= pixel_bytes ? static_cast<unsigned char>(above[i - pixel_bytes]) : 0;
      int add = 0;
      if (kind == 1) add = left;
      if (kind == 2) add = up;
      if (kind == 3) add = (left + up) / 2;
      if (kind == 4) add = static_cast<unsigned char>(paeth(left, up, corner));
      row[i] = static_cast<char>(static_cast<unsigned char>(row[i]) + add);
    }
    out += row;
    row.resize(row_bytes, '\0');
    above = std::move(row);
  }
  return out;
}

DecodedStream undo_prediction(DecodedStream stream, const FilterStep& step) {
  if (step.predictor < 2) return stream;
  const auto in_range = [](int value, int most) { return value >= 1 && value <= most; };
  if (!in_range(step.colors, 32) || !in_range(step.bits, 16) || !in_range(step.columns, 1 << 24)) {
    return {{}, "parameters of its prediction make no sense"};
  }
  const auto bits_per_pixel =
      static_cast<std::size_t>(step.colors) * static_cast<std::size_t>(step.bits);
  const std::size_t row_bytes = (bits_per_pixel * static_cast<std::size_t>(step.columns) + 7) / 8;
  const std::size_t pixel_bytes = std::max<std::size_t>(1, bits_per_pixel / 8);
  if (step.predictor >= 10) {
    stream.bytes = undo_png(stream.bytes, row_bytes, pixel_bytes);
    return stream;
  }
  if (step.bits != 8) return {{}, "TIFF prediction of other than 8 bits"};
  for (std::size_t row = 0; row < stream.bytes.size(); row += row_bytes) {
    const std::size_t end = std::min(row + row_bytes, stream.bytes.size());
    for (std::size_t i = row + pixel_bytes; i < end; ++i) {
      stream.bytes[i] = static_cast<char>(stream.bytes[i] + stream.bytes[i - pixel_bytes]);
    }
  }
  return stream;
}

DecodedStream apply_filter(std::string_view input, const FilterStep& step, std::size_t limit) {
  const std::string_view name = step.name;
  if (name == "FlateDecode" || name == "Fl") {
    return undo_prediction(decode_flate(input, limit), step);
  }
  if (name == "LZWDecode" || name == "LZW") {
    return undo_prediction(decode_lzw(input, step.early_change, limit), step);
  }
  if (name == "ASCIIHexDecode" || name == "AHx") return decode_ascii_hex(input);
  if (name == "ASCII85Decode" || name == "A85") return decode_ascii85(input);
  if (name == "RunLengthDecode" || name == "RL") return decode_run_length(input, limit);
  if (name == "Crypt") return {std::string(input.substr(0, limit)), {}};
  return {{}, "filter " + step.name + " is not one that carries text"};
}

}  // namespace

DecodedStream apply_filters(std::string_view raw, std::span<const FilterStep> steps,
                            std::size_t limit) {
  DecodedStream current;
  if (steps.empty()) {
    current.bytes = std::string(raw.substr(0, limit));
    if (raw.size() > limit) current.problem = kOverLimit;
    return current;
  }
  std::string problem;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string input = std::move(current.bytes);
    current = apply_filter(i == 0 ? raw : std::string_view(input), steps[i], limit);
    if (current.bytes.size() > limit) {
      current.bytes.resize(limit);
      current.problem = kOverLimit;
    }
    if (problem.empty()) problem = current.problem;
  }
  current.problem = std::move(problem);
  return current;
}

}  // namespace lore::ingest::pdf
