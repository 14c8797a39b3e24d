// Tokens, CMaps, glyph names and text strings.
#include <gtest/gtest.h>

#include <random>

#include "base/utf8.hpp"
#include "ingest/ingest.hpp"
#include "ingest/pdf/cmap.hpp"
#include "ingest/pdf/cmap_library.hpp"
#include "ingest/pdf/content_lexer.hpp"
#include "ingest/pdf/glyph_names.hpp"

namespace lore::ingest::pdf {
namespace {

using Token = ContentLexer::Token;

std::vector<Operand> operands(std::string_view text) {
  ContentLexer lexer(text);
  std::vector<Operand> out;
  Operand operand;
  while (lexer.next(operand) == Token::operand) out.push_back(operand);
  return out;
}

TEST(ContentLexer, Numbers) {
  const std::vector<Operand> all = operands("12 -3.5 +.25 --7 1.2.3 4. 12-34 .");
  const std::vector<double> wanted = {12, -3.5, 0.25, -7, 1.2, 4, 12, 0};
  ASSERT_EQ(all.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_DOUBLE_EQ(all[i].number, wanted[i]) << i;
}

TEST(ContentLexer, Strings) {
  const std::vector<Operand> all =
      operands("(a(b)c) (\\101\\n\\)\\\\) (line\\\nend) <48 656c6C6f> <4> ()");
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[0].text, "a(b)c");
  EXPECT_EQ(all[1].text, "A\n)\\");
  EXPECT_EQ(all[2].text, "lineend");
  EXPECT_EQ(all[3].text, "Hello");
  EXPECT_EQ(all[4].text, "@");
  EXPECT_EQ(all[5].text, "");
}

TEST(ContentLexer, CollectionsAndReferences) {
  const std::vector<Operand> all = operands("[1 /A (s)] <</K 12 0 R /L [3 0 R] /M<</N true>>>>");
  ASSERT_EQ(all.size(), 2u);
  ASSERT_EQ(all[0].items.size(), 3u);
  EXPECT_EQ(all[0].items[1].text, "A");
  ASSERT_NE(all[1].find("K"), nullptr);
  EXPECT_TRUE(all[1].find("K")->is(OperandKind::reference));
  EXPECT_EQ(all[1].find("K")->number, 12);
  EXPECT_EQ(all[1].find("L")->items.at(0).number, 3);
  EXPECT_EQ(all[1].find("M")->find("N")->number, 1);
  EXPECT_EQ(all[1].find("Z"), nullptr);
}

TEST(ContentLexer, KeywordsCommentsAndNames) {
  ContentLexer lexer("/A#20B % comment (\nTj T* '");
  Operand operand;
  ASSERT_EQ(lexer.next(operand), Token::operand);
  EXPECT_EQ(operand.text, "A B");
  for (const char* keyword : {"Tj", "T*", "'"}) {
    ASSERT_EQ(lexer.next(operand), Token::keyword);
    EXPECT_EQ(lexer.keyword(), keyword);
  }
  EXPECT_EQ(lexer.next(operand), Token::end);
}

TEST(ContentLexer, InlineImagesWithEiInTheirData) {
  const std::string image = std::string("BI /W 2 /H 2 ID \x01 EI\xFF\x02 EI \x80") + "\nEI\n(x) Tj";
  ContentLexer lexer(image);
  Operand operand;
  ASSERT_EQ(lexer.next(operand), Token::keyword);
  ASSERT_TRUE(lexer.skip_inline_image());
  ASSERT_EQ(lexer.next(operand), Token::operand);
  EXPECT_EQ(operand.text, "x");
  ContentLexer endless("BI ID abc");
  endless.next(operand);
  EXPECT_FALSE(endless.skip_inline_image());
  EXPECT_EQ(endless.next(operand), Token::end);
}

TEST(ContentLexer, DeepNestingAndNoiseComeBack) {
  operands(std::string(200'000, '['));
  operands(std::string(200'000, '('));
  std::string dictionaries;
  for (int i = 0; i < 100'000; ++i) dictionaries += "<<";
  operands(dictionaries);
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    std::string noise(200, '\0');
    for (char& c : noise) c = "()<>[]/% 12.-R\\abEI\n"[random() % 20];
    ContentLexer lexer(noise);
    Operand operand;
    while (lexer.next(operand) != Token::end) {
      if (lexer.keyword() == "EI") lexer.skip_inline_image();
    }
  }
}

CMap parse(std::string_view text) {
  return CMap::parse(text, [](std::string_view) -> const CMap* { return nullptr; });
}

std::string unicode_of(const CMap& map, std::uint32_t value, unsigned bytes) {
  std::u32string text;
  if (!map.unicode({value, bytes}, text)) return "(none)";
  return utf8::encode({text.begin(), text.end()});
}

TEST(CMap, CharactersRangesArraysAndSurrogates) {
  const CMap map = parse(
      "1 begincodespacerange <0000> <FFFF> endcodespacerange\n"
      "5 beginbfchar <0001> <00660069> <0002> <D83DDE00> <0003> <0000> <0004> <> <0005> <41>"
      " endbfchar\n"
      "3 beginbfrange <0010> <0012> <0041> <0020> <0022> [<0061> <00620063> <D840DC00>]"
      " <0030> <0031> <00580041> endbfrange");
  EXPECT_EQ(unicode_of(map, 1, 2), "fi");
  EXPECT_EQ(unicode_of(map, 2, 2), "\U0001F600");
  EXPECT_EQ(unicode_of(map, 3, 2), "(none)");  // U+0000 says nothing
  EXPECT_EQ(unicode_of(map, 4, 2), "");        // nothing is what it says
  EXPECT_EQ(unicode_of(map, 5, 2), "A");
  EXPECT_EQ(unicode_of(map, 0x12, 2), "C");
  EXPECT_EQ(unicode_of(map, 0x13, 2), "(none)");
  EXPECT_EQ(unicode_of(map, 0x21, 2), "bc");
  EXPECT_EQ(unicode_of(map, 0x22, 2), "\U00020000");
  EXPECT_EQ(unicode_of(map, 0x31, 2), "XB");
  EXPECT_EQ(unicode_of(map, 1, 1), "(none)");
}

TEST(CMap, LaterDefinitionsWin) {
  const CMap map =
      parse("beginbfrange <00> <FF> <0041> endbfrange beginbfchar <05> <007A> endbfchar");
  EXPECT_EQ(unicode_of(map, 5, 1), "z");
  EXPECT_EQ(unicode_of(map, 6, 1), "G");
}

TEST(CMap, CodesByCodespace) {
  const CMap map =
      parse("begincodespacerange <00> <80> <8140> <9FFC> <E0408080> <FFFFFFFF> endcodespacerange");
  const std::string text("\x41\x81\x40\xE0\x41\x90\x91\x42", 8);
  std::vector<unsigned> lengths;
  for (std::size_t at = 0; at < text.size();) lengths.push_back(map.next_code(text, at).bytes);
  EXPECT_EQ(lengths, (std::vector<unsigned>{1, 2, 4, 1}));
}

TEST(CMap, CidRangesAndToUnicodeThatSaysCid) {
  const CMap map = parse(
      "begincidrange <20> <7E> 1 <8140> <817E> 633 endcidrange "
      "begincidchar <A1> 9 endcidchar /WMode 1 def");
  std::uint32_t cid = 0;
  ASSERT_TRUE(map.cid({0x22, 1}, cid));
  EXPECT_EQ(cid, 3u);
  ASSERT_TRUE(map.cid({0x8141, 2}, cid));
  EXPECT_EQ(cid, 634u);
  EXPECT_FALSE(map.cid({0x22, 2}, cid));
  EXPECT_TRUE(map.vertical());
  const CMap wrong = parse("begincidrange <0001> <0002> <0041> endcidrange");
  EXPECT_EQ(unicode_of(wrong, 2, 2), "B");
}

TEST(CMap, HostileMapsStaySmallAndComeBack) {
  std::string many = "beginbfchar ";
  for (int i = 0; i < 400'000; ++i) many += "<0001> <0041> ";
  EXPECT_EQ(unicode_of(parse(many), 1, 2), "A");
  parse("beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange");
  parse("beginbfrange <FFFFFFFF> <00000000> [");
  parse("begincodespacerange <> <> <0102030405> <FFFFFFFFFF>");
  const CMap odd = parse("beginbfrange <00> <FF> <0010FFFF> endbfrange");
  unicode_of(odd, 255, 1);
}

TEST(CMap, AMapTakesInOneOtherOnce) {
  std::string many = "beginbfchar ";
  for (int i = 0; i < 200'000; ++i) many += "<0002> <0042> ";
  const CMap large = parse(many);
  int asked = 0;
  const auto find = [&](std::string_view) -> const CMap* {
    ++asked;
    return &large;
  };
  std::string uses;
  for (int i = 0; i < 10'000; ++i) uses += "/Large usecmap ";
  const CMap map = CMap::parse(uses + "beginbfchar <0001> <0041> endbfchar", find);
  EXPECT_EQ(unicode_of(map, 1, 2), "A");
  EXPECT_EQ(unicode_of(map, 2, 2), "B");
  EXPECT_EQ(asked, 10'000);
}

TEST(CMapLibrary, PredefinedMaps) {
  CMapLibrary library(WorkerFiles().character_maps);
  const CMap* identity = library.find("Identity-H");
  ASSERT_NE(identity, nullptr);
  std::uint32_t cid = 0;
  EXPECT_TRUE(identity->cid({0x1234, 2}, cid));
  EXPECT_EQ(cid, 0x1234u);
  EXPECT_EQ(library.find("../../etc/passwd"), nullptr);
  EXPECT_EQ(library.find("NoSuchMap-H"), nullptr);
  const CMap* japanese = library.find("90ms-RKSJ-V");
  if (japanese == nullptr) GTEST_SKIP() << "poppler-data is not installed";
  ASSERT_TRUE(japanese->cid({0x82A0, 2}, cid));  // HIRAGANA LETTER A, through usecmap
  const CMap* text = library.cid_to_unicode("Adobe", "Japan1");
  ASSERT_NE(text, nullptr);
  EXPECT_EQ(unicode_of(*text, cid, 2), "あ");
  EXPECT_TRUE(japanese->vertical());
}

TEST(CMapLibrary, WithoutItsFilesOnlyTheIdentityIsKnown) {
  CMapLibrary library("/nonexistent");
  EXPECT_EQ(library.find("90ms-RKSJ-H"), nullptr);
  EXPECT_NE(library.find("Identity-V"), nullptr);
  EXPECT_EQ(library.cid_to_unicode("Adobe", "Japan1"), nullptr);
}

std::string name(std::string_view glyph) {
  std::u32string text;
  for (const char32_t c : glyph_name_to_unicode(glyph)) append_readable(text, c);
  return utf8::encode({text.begin(), text.end()});
}

TEST(GlyphNames, RulesOfTheAdobeGlyphList) {
  EXPECT_EQ(name("A"), "A");
  EXPECT_EQ(name("Adieresis"), "Ä");
  EXPECT_EQ(name("Euro"), "€");
  EXPECT_EQ(name("a.sc"), "a");
  EXPECT_EQ(name("f_f_i"), "ffi");
  EXPECT_EQ(name("T_h.liga"), "Th");
  EXPECT_EQ(name("uni0041"), "A");
  EXPECT_EQ(name("uni00410042"), "AB");
  EXPECT_EQ(name("u1F600"), "\U0001F600");
  EXPECT_EQ(name("uniD800"), "");
  EXPECT_EQ(name(".notdef"), "");
  EXPECT_EQ(name("g123"), "");
  EXPECT_EQ(name("fi"), "fi");
  EXPECT_EQ(name(""), "");
}

std::string readable(char32_t c) {
  std::u32string text;
  append_readable(text, c);
  return utf8::encode({text.begin(), text.end()});
}

TEST(GlyphNames, ReadableCharacters) {
  EXPECT_EQ(readable(0xFB03), "ffi");
  EXPECT_EQ(readable(0xFB01), "fi");
  EXPECT_EQ(readable(0xFEFB), "لا");  // ARABIC LIGATURE LAM WITH ALEF
  EXPECT_EQ(readable(0x0C), "");
  EXPECT_EQ(readable(0), "");
  EXPECT_EQ(readable(0xE123), "\uFFFD");
  EXPECT_EQ(readable(0xD800), "");
  EXPECT_EQ(readable(0x4E2D), "中");
}

}  // namespace
}  // namespace lore::ingest::pdf
