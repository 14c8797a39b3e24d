#include "base/utf8.hpp"

#include <gtest/gtest.h>

namespace lore {
namespace {

TEST(Utf8, DecodesEveryLengthOfSequence) {
  const std::string text = "aé€😀";
  EXPECT_EQ(utf8::decode(text), (std::vector<char32_t>{U'a', U'é', U'€', U'😀'}));
  EXPECT_EQ(utf8::encode(utf8::decode(text)), text);
  EXPECT_EQ(utf8::length(text), 4U);
}

TEST(Utf8, RefusesOverlongSurrogateAndOutOfRangeForms) {
  for (const char* bad : {"\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80",
                          "\xFF", "\xE2\x82", "\xF0\x9F\x98"}) {
    EXPECT_FALSE(utf8::is_valid(bad)) << bad;
    EXPECT_TRUE(utf8::is_valid(utf8::sanitized(bad)));
  }
  EXPECT_TRUE(utf8::is_valid("\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF"));
}

TEST(Utf8, EachInvalidByteIsOneReplacement) {
  EXPECT_EQ(utf8::sanitized("a\xFF\xFE"
                            "b"),
            "a\uFFFD\uFFFDb");
  EXPECT_EQ(utf8::sanitized("\xE2\x82x"), "\uFFFD\uFFFDx");
}

TEST(Utf8, SlicesByCodePoints) {
  const std::string text = "aé€😀z";
  EXPECT_EQ(utf8::slice(text, 1, 4), "é€😀");
  EXPECT_EQ(utf8::slice(text, 4, 99), "z");
  EXPECT_EQ(utf8::slice(text, 3, 3), "");
  EXPECT_EQ(utf8::byte_offset(text, 5), text.size());
}

TEST(Utf8, AppendReplacesWhatIsNoCodePoint) {
  std::string text;
  utf8::append(text, 0xD800);
  utf8::append(text, 0x110000);
  EXPECT_EQ(text, "\uFFFD\uFFFD");
}

}  // namespace
}  // namespace lore
