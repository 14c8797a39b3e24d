#include "engine/tokenizer/pre_tokenizers.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lore::test {
namespace {

using engine::PreTokenizer;
using Words = std::vector<std::string>;

Words split(const char* name, const std::string& text) {
  const auto pre_tokenizer = PreTokenizer::find(name);
  if (!pre_tokenizer) return {"no such pre-tokenizer"};
  Words words;
  std::size_t at = 0;
  pre_tokenizer->split(text, 0, text.size(), [&](std::size_t begin, std::size_t end) {
    EXPECT_EQ(begin, at);
    EXPECT_LT(begin, end);
    at = end;
    words.push_back(text.substr(begin, end - begin));
  });
  EXPECT_EQ(at, text.size());
  return words;
}

TEST(PreTokenizers, Gpt2) {
  EXPECT_EQ(split("gpt-2", "Hello  world it's 123!?"),
            (Words{"Hello", " ", " world", " it", "'s", " 123", "!?"}));
  EXPECT_EQ(split("gpt-2", "I'LL 'll"), (Words{"I", "'", "LL", " '", "ll"}));
  EXPECT_EQ(split("gpt-2", "a \n\t b  "), (Words{"a", " \n\t", " b", "  "}));
  EXPECT_EQ(split("gpt-2", "\u00e9t\u00e9\u3000\u65e5\u672c"),
            (Words{"\u00e9t\u00e9", "\u3000", "\u65e5\u672c"}));
  EXPECT_EQ(split("gpt-2", ""), Words{});
  EXPECT_EQ(split("gpt-2",
                  "a\xFF"
                  "b"),
            (Words{"a", "\xFF", "b"}));
}

TEST(PreTokenizers, SmolLmCutsDigits) {
  EXPECT_EQ(split("smollm", "in 2024,ok"), (Words{"in", " ", "2", "0", "2", "4", ",", "ok"}));
}

TEST(PreTokenizers, Llama3) {
  EXPECT_EQ(split("llama-bpe", "It'S 12345 (ok)\n\n x"),
            (Words{"It", "'S", " ", "123", "45", " (", "ok", ")\n\n", " x"}));
  EXPECT_EQ(split("llama-bpe", "a\r\n\r\n  b"), (Words{"a", "\r\n\r\n", " ", " b"}));
  EXPECT_EQ(split("llama-bpe", "\tx"), (Words{"\tx"}));
  EXPECT_EQ(split("llama-bpe", "!\n x"), (Words{"!\n", " x"}));
  EXPECT_EQ(split("llama-bpe", " \n \n  "), (Words{" \n \n", "  "}));
}

TEST(PreTokenizers, Qwen2CutsDigits) {
  EXPECT_EQ(split("qwen2", "v123 4"), (Words{"v", "1", "2", "3", " ", "4"}));
}

TEST(PreTokenizers, DefaultGroupsDigitsByThree) {
  EXPECT_EQ(split("default", "a+b 12345"), (Words{"a", "+", "b", " ", "123", "45"}));
}

TEST(PreTokenizers, UnknownNames) {
  EXPECT_FALSE(PreTokenizer::find("no-such").has_value());
  EXPECT_FALSE(PreTokenizer::find("").has_value());
}

}  // namespace
}  // namespace lore::test
