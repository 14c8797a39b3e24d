#include "ingest/text/encoding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/utf8.hpp"

namespace lore::ingest {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string utf16(std::u16string_view text, bool big) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char high = static_cast<char>(unit >> 8);
    const char low = static_cast<char>(unit & 0xFF);
    bytes += big ? high : low;
    bytes += big ? low : high;
  }
  return bytes;
}

TEST(Decode, Utf8WithAndWithoutAMark) {
  EXPECT_EQ(decode("grüß 泵").text, "grüß 泵");
  EXPECT_EQ(decode("\xEF\xBB\xBFgrüß").text, "grüß");
  EXPECT_THAT(decode("grüß").problems, IsEmpty());
}

TEST(Decode, Utf16OfBothByteOrders) {
  const std::u16string text = u"grüß 泵 \U0001F600";
  for (const bool big : {false, true}) {
    const Decoded decoded = decode((big ? "\xFE\xFF" : "\xFF\xFE") + utf16(text, big));
    EXPECT_EQ(decoded.text, "grüß 泵 😀");
    EXPECT_THAT(decoded.problems, IsEmpty());
    EXPECT_EQ(decode(utf16(u"without a mark", big)).text, "without a mark");
  }
}

TEST(Decode, Utf32OfBothByteOrders) {
  EXPECT_EQ(decode(std::string("\xFF\xFE\0\0\xFC\0\0\0", 8)).text, "ü");
  EXPECT_EQ(decode(std::string("\0\0\xFE\xFF\0\1\xF6\0", 8)).text, "😀");
}

TEST(Decode, DamagedUtf16IsReplacedAndCounted) {
  const Decoded decoded =
      decode("\xFF\xFE" + utf16(std::u16string(u"a\xD800") + u"b", false) + "c");
  EXPECT_EQ(decoded.text, "a\uFFFDb\uFFFD");
  EXPECT_THAT(decoded.problems, ElementsAre(HasSubstr("2 characters")));
}

TEST(Decode, Windows1252IsNoted) {
  const Decoded decoded = decode(
      "Gr\xFC\xDF"
      "e \x84so\x93 \x80");
  EXPECT_EQ(decoded.text, "Grüße „so“ €");
  EXPECT_THAT(decoded.problems, ElementsAre(HasSubstr("Windows-1252")));
}

TEST(Decode, DamageInUtf8IsReplacedAndCounted) {
  const Decoded decoded = decode("grüß\xFF und \xC3 größer");
  EXPECT_EQ(decoded.text, "grüß\uFFFD und \uFFFD größer");
  EXPECT_THAT(decoded.problems, ElementsAre(HasSubstr("2 characters")));
}

TEST(Decode, AReplacementCharacterOfTheFileIsNoLoss) {
  EXPECT_THAT(decode("a\uFFFDb").problems, IsEmpty());
}

TEST(Decode, DeclaredCharsets) {
  EXPECT_EQ(decode("\xB1\xC3", "gb2312").text, "泵");
  EXPECT_EQ(decode("\xCF\xF0\xE8", "windows-1251").text, "При");
  EXPECT_EQ(decode("\x93x\x94", "ISO-8859-1").text, "“x”");
  EXPECT_EQ(decode("grüß", "no-such-charset").text, "grüß");
  EXPECT_EQ(decode("\xEF\xBB\xBFgrüß", "iso-8859-1").text, "grüß") << "the mark wins";
  EXPECT_EQ(decode("grüß", "utf-16").text, "grüß");
  const Decoded damaged = decode("\xB1", "gb2312");
  EXPECT_EQ(damaged.text, "\uFFFD");
  EXPECT_THAT(damaged.problems, ElementsAre(HasSubstr("1 character ")));
}

TEST(Decode, LineEndsFormFeedsAndZeros) {
  EXPECT_EQ(decode("a\r\nb\rc\n\rd").text, "a\nb\nc\n\nd");
  EXPECT_EQ(decode("a\fb").text, "a\nb");
  const Decoded decoded = decode(std::string("a longer text with \0 in it", 26));
  EXPECT_EQ(decoded.text, "a longer text with \uFFFD in it");
  EXPECT_THAT(decoded.problems, ElementsAre(HasSubstr("1 character ")));
}

TEST(Decode, AnythingBecomesValidText) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 40, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    for (const char* charset : {"", "utf-8", "gb18030", "shift_jis", "iso-2022-jp", "utf-7"}) {
      const Decoded decoded = decode(bytes, charset);
      ASSERT_TRUE(utf8::is_valid(decoded.text));
      ASSERT_EQ(decoded.text.find_first_of(std::string("\f\r\0", 3)), std::string::npos);
    }
  }
}

TEST(LooksLikeText, TellsTextFromBinary) {
  EXPECT_TRUE(looks_like_text("plain\twith\ntabs \x1B[1mcolour\x1B[0m"));
  EXPECT_TRUE(looks_like_text("gr\xFC\xDF"));
  EXPECT_FALSE(looks_like_text(std::string("a\0b", 3)));
  EXPECT_FALSE(looks_like_text("\x01\x02\x03 abc"));
}

}  // namespace
}  // namespace lore::ingest
