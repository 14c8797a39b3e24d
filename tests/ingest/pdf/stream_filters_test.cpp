#include "ingest/pdf/stream_filters.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/ingest/pdf/pdf_builder.hpp"

namespace lore::ingest::pdf {
namespace {

constexpr std::size_t kLimit = 1 << 20;

FilterStep step(std::string name) {
  FilterStep out;
  out.name = std::move(name);
  return out;
}

DecodedStream decode(std::string_view raw, FilterStep one, std::size_t limit = kLimit) {
  return apply_filters(raw, std::vector<FilterStep>{std::move(one)}, limit);
}

std::string noise(std::size_t size, unsigned seed, int values = 256) {
  std::mt19937 random(seed);
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>(random() % static_cast<unsigned>(values));
  return out;
}

std::string hex_encoded(const std::string& data) {
  std::string out;
  for (const char c : data) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return out + ">";
}

std::string ascii85_encoded(const std::string& data) {
  std::string out;
  for (std::size_t at = 0; at < data.size(); at += 4) {
    const std::size_t size = std::min<std::size_t>(4, data.size() - at);
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      value = value * 256 + (i < size ? static_cast<unsigned char>(data[at + i]) : 0u);
    }
    std::string group(5, ' ');
    for (std::size_t i = 5; i-- > 0; value /= 85) group[i] = static_cast<char>('!' + value % 85);
    out += size == 4 && group == "!!!!!" ? "z" : group.substr(0, size + 1);
  }
  return out + "~>";
}

/// An LZW encoder written from the description of the format (variable codes of 9 to 12 bits).
std::string lzw_encoded(const std::string& data, bool early_change) {
  std::string out;
  std::uint32_t bits = 0;
  unsigned filled = 0, width = 9;
  const auto put = [&](unsigned code) {
    bits = (bits << width) | code;
    filled += width;
    while (filled >= 8) {
      out += static_cast<char>((bits >> (filled - 8)) & 0xFF);
      filled -= 8;
    }
  };
  std::vector<std::string> table;
  const auto find = [&](const std::string& text) -> int {
    if (text.size() == 1) return static_cast<unsigned char>(text[0]);
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (table[i] == text) return static_cast<int>(258 + i);
    }
    return -1;
  };
  put(256);
  std::string word;
  for (const char c : data) {
    if (find(word + c) >= 0) {
      word += c;
      continue;
    }
    put(static_cast<unsigned>(find(word)));
    table.push_back(word + c);
    const std::size_t next = 258 + table.size() - (early_change ? 0 : 1);
    width = next >= 2048 ? 12 : next >= 1024 ? 11 : next >= 512 ? 10 : 9;
    if (table.size() + 258 >= 4094) {
      put(256);
      table.clear();
      width = 9;
    }
    word = c;
  }
  if (!word.empty()) put(static_cast<unsigned>(find(word)));
  put(257);
  if (filled > 0) out += static_cast<char>((bits << (8 - filled)) & 0xFF);
  return out;
}

TEST(StreamFilters, FlateRoundTrip) {
  for (const std::size_t size : {0u, 1u, 1000u, 300'000u}) {
    const std::string data = noise(size, 1, 7);
    const DecodedStream out = decode(test::deflated(data), step("FlateDecode"));
    EXPECT_EQ(out.bytes, data);
    EXPECT_EQ(out.problem, "");
  }
}

TEST(StreamFilters, FlateKeepsWhatCameBeforeAnError) {
  const std::string data = noise(50'000, 2, 9);
  std::string raw = test::deflated(data);
  std::string wrong_checksum = raw;
  wrong_checksum.back() = static_cast<char>(wrong_checksum.back() ^ 1);
  const DecodedStream checked = decode(wrong_checksum, step("Fl"));
  EXPECT_EQ(checked.bytes, data);
  EXPECT_NE(checked.problem, "");
  const DecodedStream cut = decode(raw.substr(0, raw.size() / 2), step("Fl"));
  EXPECT_GT(cut.bytes.size(), data.size() / 4);
  EXPECT_EQ(cut.bytes, data.substr(0, cut.bytes.size()));
  EXPECT_NE(cut.problem, "");
}

TEST(StreamFilters, FlateWithABrokenHeader) {
  const std::string data = noise(5'000, 3, 9);
  std::string raw = test::deflated(data);
  raw[0] = 'x';
  raw[1] = 'y';
  EXPECT_EQ(decode(raw, step("FlateDecode")).bytes, data);
}

TEST(StreamFilters, NoStepGoesOverItsLimit) {
  const std::string bomb = test::deflated_run(' ', 200);
  const DecodedStream out = decode(bomb, step("FlateDecode"), 12'345);
  EXPECT_EQ(out.bytes.size(), 12'345u);
  EXPECT_NE(out.problem, "");
  const std::vector<FilterStep> nested(3, step("FlateDecode"));
  const std::string twice = test::deflated(test::deflated(bomb));
  const DecodedStream inner = apply_filters(twice, nested, 1 << 20);
  EXPECT_LE(inner.bytes.size(), std::size_t{1} << 20);
  EXPECT_NE(inner.problem, "");
}

TEST(StreamFilters, AsciiHex) {
  EXPECT_EQ(decode("48 65\n6C6c 6F>", step("ASCIIHexDecode")).bytes, "Hello");
  EXPECT_EQ(decode("4>", step("AHx")).bytes, "@");
  EXPECT_EQ(decode("48g5>", step("AHx")).bytes, "H");
  EXPECT_NE(decode("48g5>", step("AHx")).problem, "");
}

TEST(StreamFilters, Ascii85RoundTrip) {
  for (std::size_t size = 0; size < 40; ++size) {
    std::string data = noise(size, static_cast<unsigned>(size));
    if (size > 8) data.replace(4, 4, 4, '\0');
    EXPECT_EQ(decode(ascii85_encoded(data), step("ASCII85Decode")).bytes, data) << size;
  }
}

TEST(StreamFilters, RunLength) {
  EXPECT_EQ(decode(std::string("\x02"
                               "abc"
                               "\xFE"
                               "x"
                               "\x80"
                               "rest",
                               10),
                   step("RL"))
                .bytes,
            "abcxxx");
  EXPECT_EQ(decode(std::string("\x05"
                               "ab",
                               3),
                   step("RunLengthDecode"))
                .bytes,
            "ab");
}

TEST(StreamFilters, LzwRoundTripWithBothCodeChanges) {
  for (const bool early : {true, false}) {
    for (const std::size_t size : {1u, 10u, 3'000u, 30'000u}) {
      const std::string data = noise(size, 5, 6);
      FilterStep lzw = step("LZWDecode");
      lzw.early_change = early;
      EXPECT_EQ(decode(lzw_encoded(data, early), lzw).bytes, data) << size << early;
    }
  }
  // The example of ISO 32000-1, section 7.4.4.2.
  EXPECT_EQ(decode("\x80\x0B\x60\x50\x22\x0C\x0C\x85\x01", step("LZW")).bytes, "-----A---B");
}

TEST(StreamFilters, LzwNeverReadsOutsideItsTable) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    decode(noise(400, seed), step("LZW"), 100'000);  // must come back; sanitizers watch
  }
}

TEST(StreamFilters, PngPrediction) {
  // Two rows of four bytes: Sub, then Up.
  FilterStep flate = step("FlateDecode");
  flate.predictor = 12;
  flate.columns = 4;
  const std::string raw =
      test::deflated(std::string("\x01\x01\x01\x01\x01\x02\x01\x01\x01\x01", 10));
  EXPECT_EQ(decode(raw, flate).bytes, std::string("\x01\x02\x03\x04\x02\x03\x04\x05", 8));
  // Average and Paeth over pixels of two bytes.
  flate.colors = 2;
  flate.columns = 2;
  const std::string more =
      test::deflated(std::string("\x03\x10\x20\x08\x10\x04\x01\x01\x01\x01", 10));
  EXPECT_EQ(decode(more, flate).bytes, std::string("\x10\x20\x10\x20\x11\x21\x12\x22", 8));
}

TEST(StreamFilters, TiffPrediction) {
  FilterStep flate = step("FlateDecode");
  flate.predictor = 2;
  flate.columns = 3;
  const std::string raw = test::deflated(std::string("\x01\x01\x01\x05\x01\x01", 6));
  EXPECT_EQ(decode(raw, flate).bytes, std::string("\x01\x02\x03\x05\x06\x07", 6));
}

TEST(StreamFilters, SenselessPredictionIsNamed) {
  FilterStep flate = step("FlateDecode");
  flate.predictor = 12;
  for (const int columns : {0, -1, 2'000'000'000}) {
    flate.columns = columns;
    const DecodedStream out = decode(test::deflated("abc"), flate);
    EXPECT_NE(out.problem, "");
  }
}

TEST(StreamFilters, ChainsRunInOrderWithTheirOwnParameters) {
  FilterStep flate = step("FlateDecode");
  flate.predictor = 12;
  flate.columns = 5;
  const std::string raw =
      hex_encoded(test::deflated(std::string("\x00"
                                             "abcde"
                                             "\x00"
                                             "fghij",
                                             12)));
  const std::vector<FilterStep> chain{step("ASCIIHexDecode"), flate};
  EXPECT_EQ(apply_filters(raw, chain, kLimit).bytes, "abcdefghij");
}

TEST(StreamFilters, PicturesAndUnknownFiltersYieldNothing) {
  for (const char* name : {"DCTDecode", "JPXDecode", "JBIG2Decode", "CCITTFaxDecode", "Brotli"}) {
    const DecodedStream out = decode("data", step(name));
    EXPECT_EQ(out.bytes, "");
    EXPECT_NE(out.problem, "");
  }
}

}  // namespace
}  // namespace lore::ingest::pdf
