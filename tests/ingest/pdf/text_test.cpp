// What pages say: operators, encodings, words, lines, columns, tables, headings.
#include <gtest/gtest.h>

#include "base/utf8.hpp"
#include "tests/ingest/pdf/pdf_builder.hpp"
#include "tests/ingest/pdf/read_pdf.hpp"

namespace lore::ingest::pdf::test {
namespace {

/// The text of one page with these contents.
std::string page(std::string_view content, std::string_view more = "", PdfBuilder builder = {},
                 std::string_view catalog = "") {
  builder.add_page(content, more);
  const Document document = read_pdf(builder.build(catalog));
  EXPECT_TRUE(utf8::is_valid(document.pages.at(0).text));
  return document.pages.at(0).text;
}

std::string ref(int number) { return std::to_string(number) + " 0 R"; }

TEST(TextOperators, AllOfThem) {
  EXPECT_EQ(page("BT /F1 10 Tf 1 0 0 1 72 700 Tm (a) Tj 0 -20 Td (b) Tj 0 -20 TD (c) Tj T* (d) Tj "
                 "15 TL (e) ' 0 0 (f) \" ET"),
            "a\nb\nc\nd\ne\nf");
  EXPECT_EQ(page("BT /F1 10 Tf 72 700 Td [(Hel) -20 (lo) -400 (world)] TJ ET"), "Hello world");
  EXPECT_EQ(page("q 2 0 0 2 0 0 cm BT /F1 10 Tf 36 350 Td (big) Tj ET Q "
                 "BT /F1 20 Tf 104 700 Td (word) Tj ET"),
            "big word");
}

TEST(TextOperators, GapsAreSpacesWhateverMakesThem) {
  EXPECT_EQ(page("BT /F1 10 Tf 5 Tc 72 700 Td (ab) Tj ET"), "a b");
  EXPECT_EQ(page("BT /F1 10 Tf 72 700 Td 2 Tw (a b) Tj ET"), "a b");
  EXPECT_EQ(page(text_at(72, 700, "left") + text_at(96, 700, "right", 12)), "left right");
  EXPECT_EQ(page("BT /F1 10 Tf 72 700 Td (touch) Tj 24.5 0 Td (ing) Tj ET"), "touching");
}

TEST(TextOperators, FormsAreDrawnWhereTheyStand) {
  PdfBuilder builder;
  const int inner = builder.add_stream(
      text_at(0, 0, "form"), "/Type/XObject/Subtype/Form/BBox[0 0 100 100]/Matrix[1 0 0 1 10 0]" +
                                 PdfBuilder::resources());
  const std::string resources =
      "/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>/XObject<</X " +
      ref(inner) + ">>>>";
  EXPECT_EQ(
      page(text_at(72, 700, "before") + "q 1 0 0 1 72 650 cm /X Do Q " + text_at(72, 600, "after"),
           resources, builder),
      "before\n\nform\n\nafter");
}

TEST(TextOperators, WhatLiesOutsideTheCropBoxIsNotThere) {
  EXPECT_EQ(page(text_at(72, 700, "seen") + text_at(72, 20, "cut") + text_at(900, 300, "far"),
                 "/CropBox[0 100 612 792]"),
            "seen");
}

TEST(TextOperators, InvisibleTextOfOcrIsKept) {
  EXPECT_EQ(page("BT 3 Tr /F1 10 Tf 72 700 Td (scanned words) Tj ET"), "scanned words");
}

TEST(TextOperators, WhatIsDrawnTwiceOnOnePlaceCountsOnce) {
  EXPECT_EQ(page(text_at(72, 700, "shadow") + text_at(72.3, 700.2, "shadow")), "shadow");
  EXPECT_EQ(page(text_at(72, 700, "twice") + text_at(72, 650, "twice")), "twice\n\ntwice");
}

TEST(MarkedContent, ActualTextReplacesItsGlyphs) {
  EXPECT_EQ(page("BT /F1 10 Tf 72 700 Td (o) Tj /Span<</ActualText<FEFF0066006600690063>>> BDC "
                 "(xyz) Tj EMC (e) Tj ET"),
            "office");
  EXPECT_EQ(page("BT /F1 10 Tf 72 700 Td (a) Tj /Span<</ActualText()>> BDC (decoration) Tj EMC ET"),
            "a");
}

TEST(MarkedContent, LayersThatAreOffAreNotRead) {
  PdfBuilder builder;
  const int off = builder.add("<</Type/OCG/Name(off)>>");
  const int on = builder.add("<</Type/OCG/Name(on)>>");
  const std::string resources =
      "/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>/Properties<</A " +
      ref(off) + "/B " + ref(on) + "/C<</Type/OCMD/OCGs[" + ref(off) + " " + ref(on) +
      "]/P/AllOn>>/D<</Type/OCMD/VE[/Not " + ref(off) + "]>>>>>>";
  std::string content;
  double y = 700;
  for (const char* layer : {"A", "B", "C", "D"}) {
    content += std::string("/OC /") + layer + " BDC " + text_at(72, y, layer) + "EMC\n";
    y -= 14;
  }
  const std::string catalog =
      "/OCProperties<</OCGs[" + ref(off) + " " + ref(on) + "]/D<</OFF[" + ref(off) + "]>>>>";
  EXPECT_EQ(page(content, resources, builder, catalog), "B\nD");
}

TEST(Encodings, DifferencesLigaturesAndNamesOfTheGlyphList) {
  const std::string font =
      "/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences["
      "65/fi/f_f_l/uni00DF/Aacute/a.alt/g77]>>>>>>>>";
  PdfBuilder builder;
  builder.add_page("BT /F1 10 Tf 72 700 Td (ABCDEF) Tj ET", font);
  const Page out = read_pdf(builder.build()).pages.at(0);
  EXPECT_EQ(out.text, "fifflßÁa\uFFFD");
  EXPECT_EQ(out.unmapped_glyphs, 1u);
}

TEST(Encodings, WinAnsiMacRomanAndStandard) {
  const auto font = [](const std::string& encoding) {
    return "/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica" + encoding +
           ">>>>>>";
  };
  EXPECT_EQ(page("BT /F1 10 Tf 72 700 Td (\\200\\344) Tj ET", font("/Encoding/WinAnsiEncoding")),
            "€ä");
  EXPECT_EQ(page("BT /F1 10 Tf 72 700 Td (\\212) Tj ET", font("/Encoding/MacRomanEncoding")), "ä");
  EXPECT_EQ(page("BT /F1 10 Tf 72 700 Td (\\341) Tj ET", font("")), "Æ");
}

TEST(Encodings, ToUnicodeWinsOverEverything) {
  PdfBuilder builder;
  const int map = builder.add_stream(
      "begincodespacerange <00> <FF> endcodespacerange beginbfchar <41> <00480069> <42> "
      "<D83DDE00> endbfchar");
  const std::string font =
      "/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding"
      "/WinAnsiEncoding/ToUnicode " +
      ref(map) + ">>>>>>";
  EXPECT_EQ(page("BT /F1 10 Tf 72 700 Td (ABC) Tj ET", font, builder), "Hi\U0001F600C");
}

TEST(Encodings, CompositeFontsByToUnicodeAndByPredefinedMaps) {
  PdfBuilder builder;
  const int map = builder.add_stream(
      "begincodespacerange <0000> <FFFF> endcodespacerange beginbfrange <0001> <0003> <4E00> "
      "endbfrange");
  const auto font = [](const std::string& encoding, const std::string& ordering,
                       const std::string& more) {
    return "/Resources<</Font<</F1<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/" + encoding +
           "/DescendantFonts[<</Type/Font/Subtype/CIDFontType0/BaseFont/X/CIDSystemInfo<<"
           "/Registry(Adobe)/Ordering(" +
           ordering + ")/Supplement 0>>>>]" + more + ">>>>>>";
  };
  EXPECT_EQ(page("BT /F1 10 Tf 72 700 Td <000100020003> Tj ET",
                 font("Identity-H", "Identity", "/ToUnicode " + ref(map)), builder),
            "一丁丂");
  EXPECT_EQ(page("BT /F1 10 Tf 72 700 Td <4E2D6587> Tj ET", font("UniGB-UCS2-H", "GB1", "")),
            "中文");
  PdfBuilder unknown;
  unknown.add_page("BT /F1 10 Tf 72 700 Td <00010002> Tj ET", font("Identity-H", "Identity", ""));
  const Page out = read_pdf(unknown.build()).pages.at(0);
  EXPECT_EQ(out.text, "\uFFFD\uFFFD");
  EXPECT_EQ(out.unmapped_glyphs, 2u);
}

TEST(Encodings, LettersAndTheirMarksBecomeOneCharacter) {
  PdfBuilder builder;
  const int map = builder.add_stream("beginbfchar <41> <00410308> <42> <FEF5> endbfchar");
  const std::string font =
      "/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode " + ref(map) +
      ">>>>>>";
  EXPECT_EQ(page("BT /F1 10 Tf 72 700 Td (A) Tj ET", font, builder), "Ä");
  EXPECT_EQ(page("BT /F1 10 Tf 72 700 Td (B) Tj ET", font, builder), "لآ");
}

TEST(Encodings, NoControlCharactersAndNoFormFeedEver) {
  PdfBuilder builder;
  const int map = builder.add_stream(
      "beginbfchar <41> <000C> <42> <0000> <43> <0009> <44> <0007> <45> <D800> <46> <FEFF> "
      "endbfchar");
  const std::string font =
      "/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode " + ref(map) +
      ">>>>>>";
  const std::string text = page("BT /F1 10 Tf 72 700 Td (xABCDEFy) Tj ET", font, builder);
  for (const char c : text) EXPECT_TRUE(c == '\t' || static_cast<unsigned char>(c) >= 0x20) << text;
}

/// Lines of words set one below the other, as a column of text.
std::string column(double x, double top, const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) {
    out += text_at(x, top, line, 10);
    top -= 12;
  }
  return out;
}

TEST(Layout, LineEndHyphensAreJoined) {
  EXPECT_EQ(page(column(72, 700, {"The capabili-", "ties of the pump are", "well-known."})),
            "The capabilities\nof the pump are\nwell-known.");
  // A hyphen that stands in the same word elsewhere is a real one.
  EXPECT_EQ(page(column(72, 700, {"A well-known pump is a well-", "known pump indeed."})),
            "A well-known pump is a well-known\npump indeed.");
  // Numbers and names keep theirs.
  EXPECT_EQ(page(column(72, 700, {"between the years 1990-", "1995 and Baden-", "Baden too"})),
            "between the years 1990-\n1995 and Baden-\nBaden too");
}

// "Haupt-" stands for a whole word that the next one, after "und", ends.
TEST(Layout, SuspendedHyphensAreKept) {
  EXPECT_EQ(page(column(72, 700, {"die Ventile im Haupt-", "und Nebenstrom schliessen"})),
            "die Ventile im Haupt-\nund Nebenstrom schliessen");
  EXPECT_EQ(page(column(72, 700, {"both pre-", "and post-checks are made"})),
            "both pre-\nand post-checks are made");
  EXPECT_EQ(page(column(72, 700, {"the floor under-", "andesite rocks stands"})),
            "the floor underandesite\nrocks stands");
}

TEST(Layout, WordsOfOneLetterAreNoHyphenatedOnes) {
  EXPECT_EQ(page(column(72, 700, {"x y z - a -b- c", "d"})), "x y z - a -b- c\nd");
}

TEST(Layout, SoftHyphens) {
  EXPECT_EQ(page("BT /F1 10 Tf 72 700 Td (co\\255operate and co\\255) Tj 0 -12 Td (operate) Tj ET"),
            "cooperate and cooperate");
}

TEST(Layout, ParagraphsArePartedByAnEmptyLine) {
  EXPECT_EQ(
      page(column(72, 700, {"First paragraph, line one", "and line two."}) +
           column(72, 660, {"Second paragraph, line one", "and line two."})),
      "First paragraph, line one\nand line two.\n\nSecond paragraph, line one\nand line two.");
  EXPECT_EQ(page(column(72, 700, {"Text that fills its whole line here", "and ends early."}) +
                 text_at(84, 676, "An indent starts a paragraph that", 10) +
                 column(72, 664, {"goes on over the next line as well."})),
            "Text that fills its whole line here\nand ends early.\n\nAn indent starts a paragraph "
            "that\ngoes on over the next line as well.");
}

TEST(Layout, TwoColumnsAreReadOneAfterTheOther) {
  std::vector<std::string> left, right;
  for (int i = 0; i < 12; ++i) {
    left.push_back("left column line number " + std::to_string(i) + " of the text");
    right.push_back("right column line number " + std::to_string(i) + " of text");
  }
  const std::string text =
      page(text_at(150, 740, "A Title That Goes Over Both Of The Columns", 16) +
           column(72, 700, left) + column(320, 700, right) +
           text_at(72, 520,
                   "A closing line that goes over both columns of the page, too, to its end", 10));
  const std::size_t title = text.find("A Title");
  const std::size_t last_left = text.find("left column line number 11");
  const std::size_t first_right = text.find("right column line number 0");
  const std::size_t closing = text.find("A closing line");
  ASSERT_NE(closing, std::string::npos);
  EXPECT_LT(title, text.find("left column line number 0"));
  EXPECT_LT(last_left, first_right);
  EXPECT_LT(text.find("right column line number 11"), closing);
}

TEST(Layout, ColumnsDrawnLineByLineAcrossAreStillColumns) {
  std::string content;
  for (int i = 0; i < 10; ++i) {
    content += text_at(72, 700 - 12 * i, "words of the left column here " + std::to_string(i), 10);
    content +=
        text_at(320, 706 - 12 * i, "words of the right column here " + std::to_string(i), 10);
  }
  const std::string text = page(content);
  EXPECT_LT(text.find("left column here 9"), text.find("right column here 0"));
}

TEST(Layout, RowsOfATableStayRows) {
  std::string content;
  const std::vector<std::vector<std::string>> rows = {{"Code", "Alarm", "Remedy"},
                                                      {"E12", "Overheated", "Clean the fan"},
                                                      {"E13", "Low oil", "Fill up to the mark"},
                                                      {"E14", "Door open", "Close the door"}};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < 3; ++c) {
      content += text_at(72 + 120.0 * static_cast<double>(c), 700 - 14.0 * static_cast<double>(r),
                         rows[r][c], 10);
    }
  }
  EXPECT_EQ(page(content),
            "Code\tAlarm\tRemedy\nE12\tOverheated\tClean the fan\nE13\tLow oil\tFill up to the "
            "mark\nE14\tDoor open\tClose the door");
}

TEST(Layout, LinesOfARuledCellAreOneRow) {
  std::string content;
  for (int i = 0; i < 4; ++i) {
    content +=
        "72 " + std::to_string(720 - 40 * i) + " m 500 " + std::to_string(720 - 40 * i) + " l S\n";
  }
  for (const double x : {72.0, 140.0, 500.0}) {
    content += std::to_string(x) + " 600 m " + std::to_string(x) + " 720 l S\n";
  }
  for (int row = 0; row < 3; ++row) {
    const double y = 706 - 40.0 * row;
    content += text_at(80, y, "E" + std::to_string(row + 1), 10);
    content += column(150, y,
                      {"Switch off the main supply, then", "wait for five minutes",
                       "before opening door " + std::to_string(row + 1)});
  }
  const std::string text = page(content);
  for (int row = 1; row <= 3; ++row) {
    const std::string number = std::to_string(row);
    EXPECT_NE(text.find("E" + number +
                        "\tSwitch off the main supply, then wait for five minutes before opening "
                        "door " +
                        number),
              std::string::npos)
        << text;
  }
}

/// A table of three lines (above, below the head, at the end), as books have them.
std::string book_table(double x, const std::vector<double>& columns,
                       const std::vector<std::vector<std::string>>& rows) {
  const double right = x + columns.back() + 140;
  std::string content;
  const auto rule = [&](double y) {
    content += std::to_string(x) + " " + std::to_string(y) + " m " + std::to_string(right) + " " +
               std::to_string(y) + " l S\n";
  };
  double y = 700;
  rule(y + 12);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      if (!rows[r][c].empty()) content += text_at(x + columns[c], y, rows[r][c], 10);
    }
    if (r == 0) rule(y - 4);
    y -= 14;
  }
  rule(y + 10);
  return content;
}

TEST(Layout, RowsBetweenTheThreeLinesOfABookTableStayRows) {
  EXPECT_EQ(
      page(book_table(72, {0, 60, 200},
                      {{"Code", "Meaning of the alarm", "Remedy for the operator"},
                       {"A01", "Motor temperature too high", "Clean the fan cover and let it"},
                       {"", "", "cool for 30 minutes"},
                       {"A03", "Dry running was detected", "Fill the suction pipe again"},
                       {"A04", "Phase missing at the motor", "Check fuses and the terminals"}})),
      "Code\tMeaning of the alarm\tRemedy for the operator\n"
      "A01\tMotor temperature too high\tClean the fan cover and let it cool for 30 minutes\n"
      "A03\tDry running was detected\tFill the suction pipe again\n"
      "A04\tPhase missing at the motor\tCheck fuses and the terminals");
}

TEST(Layout, RowsOfAGroupWhoseNameStandsOnce) {
  EXPECT_EQ(page(book_table(72, {0, 100, 200},
                            {{"Group", "Part", "Price"},
                             {"Pumps", "Seal", "12"},
                             {"", "Bearing", "30"},
                             {"Fans", "Belt", "9"}})),
            "Group\tPart\tPrice\nPumps\tSeal\t12\nBearing\t30\nFans\tBelt\t9");
}

TEST(Layout, ACellOfATableWithoutLinesGoesOnBelow) {
  std::string content;
  const auto row = [&content](double y, const char* code, const char* text) {
    content += text_at(72, y, code, 10) + text_at(160, y, text, 10);
  };
  row(700, "E1", "Open the door and wait until the");
  content += text_at(160, 688, "lamp goes out", 10);
  row(670, "E2", "Call the service");
  row(658, "E3", "Fill in oil");
  EXPECT_EQ(page(content),
            "E1\tOpen the door and wait until the lamp goes out\nE2\tCall the service\nE3\tFill in "
            "oil");
}

TEST(Layout, LooseLinesOfJustifiedTextHaveNoCells) {
  EXPECT_EQ(
      page(text_at(72, 700, "A line of text that fills the width", 10) +
           text_at(72, 688, "mauris.", 10) + text_at(118, 688, "Nam arcu libero, nonummy", 10) +
           text_at(72, 676, "and more text on the line below it", 10)),
      "A line of text that fills the width\nmauris. Nam arcu libero, nonummy\nand more text on "
      "the line below it");
}

TEST(Layout, ListItemsKeepTheirSecondLine) {
  EXPECT_EQ(
      page(text_at(72, 700, "\225 Do not wash textiles that were treated with petrol.", 10) +
           text_at(84, 688, "They explode.", 10) + text_at(72, 676, "\225 Pull the plug.", 10)),
      "• Do not wash textiles that were treated with petrol.\nThey explode.\n• Pull the plug.");
}

TEST(Encodings, UnusedCodesOfWinAnsiAreBullets) {
  EXPECT_EQ(page("BT /F1 10 Tf 72 700 Td (\\177 item) Tj ET"), "• item");
}

TEST(Layout, TextOfEveryDirection) {
  const std::string turned =
      "BT /F1 10 Tf 0 1 -1 0 300 100 Tm (upwards we go) Tj ET "
      "BT /F1 10 Tf 0 -1 1 0 400 500 Tm (downwards too) Tj ET "
      "BT /F1 10 Tf -1 0 0 -1 300 600 Tm (upside down) Tj ET " +
      text_at(72, 700, "upright");
  const std::string text = page(turned);
  for (const char* line : {"upright", "upwards we go", "downwards too", "upside down"}) {
    EXPECT_NE(text.find(line), std::string::npos) << text;
  }
}

TEST(Layout, RotatedPagesReadAsTheyAreSeen) {
  for (const int angle : {0, 90, 180, 270, -90, 450}) {
    EXPECT_EQ(page("BT /F1 10 Tf 100 300 Td (one line here) Tj 0 -12 Td (and a second) Tj ET",
                   "/Rotate " + std::to_string(angle)),
              "one line here\nand a second")
        << angle;
  }
}

TEST(Layout, RightToLeftTextComesOutInLogicalOrder) {
  PdfBuilder builder;
  const int map = builder.add_stream(
      "beginbfchar <41> <05E9> <42> <05DC> <43> <05D5> <44> <05DD> <20> <0020> endbfchar "
      "beginbfrange <30> <39> <0030> endbfrange");
  const std::string font =
      "/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding"
      "/WinAnsiEncoding/ToUnicode " +
      ref(map) + ">>>>>>";
  // Visual order, from left to right: "123 םולש".
  EXPECT_EQ(page("BT /F1 10 Tf 72 700 Td (123 DCBA) Tj ET", font, builder), "שלום 123");
}

TEST(Forms, ValuesAreReadFromAppearancesOrFromTheField) {
  PdfBuilder builder;
  const int appearance =
      builder.add_stream("/Tx BMC " + text_at(2, 2, "drawn value", 10) + "EMC",
                         "/Type/XObject/Subtype/Form/BBox[0 0 200 20]" + PdfBuilder::resources());
  const std::string annotations =
      "/Annots[<</Type/Annot/Subtype/Widget/FT/Tx/V(other)/Rect[72 650 272 670]/AP<</N " +
      ref(appearance) +
      ">>>><</Type/Annot/Subtype/Widget/Rect[72 600 272 620]/Parent<</FT/Tx/V(inherited value)>>>>"
      "<</Type/Annot/Subtype/Widget/FT/Tx/V(hidden)/F 2/Rect[72 550 272 570]>>"
      "<</Type/Annot/Subtype/Popup/Rect[72 500 272 520]/Contents(popup)>>"
      "<</Type/Annot/Subtype/FreeText/Rect[72 400 272 420]/Contents(a free text)>>]";
  EXPECT_EQ(page(text_at(72, 700, "Form"), annotations, builder),
            "Form\n\ndrawn value\n\ninherited value\n\na free text");
}

TEST(Headings, BySizeAndByWeight) {
  PdfBuilder builder;
  builder.add_page(text_at(72, 740, "Pump Manual", 24) + text_at(72, 700, "1 Operation", 16) +
                   column(72, 670,
                          {"Body text that goes on for a while and ends", "with a stop.",
                           "More of the body text in the same paragraph."}) +
                   text_at(72, 610, "Starting up", 10, "FB") +
                   column(72, 590,
                          {"Press the green button and wait for the lamp.",
                           "Then open the valve by two turns."}) +
                   text_at(72, 550, "2 Cleaning", 16) +
                   column(72, 520, {"Clean it every day with water and soap, please."}));
  const Document document = read_pdf(builder.build());
  std::vector<std::pair<int, std::string>> found;
  for (const Heading& heading : document.headings) {
    found.emplace_back(heading.level, heading.title);
    EXPECT_EQ(document.text().substr(heading.start, heading.title.size()), heading.title);
  }
  EXPECT_EQ(found,
            (std::vector<std::pair<int, std::string>>{
                {1, "Pump Manual"}, {2, "1 Operation"}, {3, "Starting up"}, {2, "2 Cleaning"}}));
}

TEST(Headings, ABrokenWordInATitleIsWhole) {
  PdfBuilder builder;
  builder.add_page(text_at(72, 740, "Inbetrieb-", 24) + text_at(72, 712, "nahme", 24) +
                   column(72, 660, {"Text that goes on for a while and ends", "with a stop."}));
  const Document document = read_pdf(builder.build());
  ASSERT_EQ(document.headings.size(), 1u);
  EXPECT_EQ(document.headings[0].title, "Inbetriebnahme");
}

TEST(Headings, RunningHeadersStayInTheTextAndAreNone) {
  PdfBuilder builder;
  for (int i = 1; i <= 4; ++i) {
    builder.add_page(text_at(72, 770, "Running Header", 18) +
                     text_at(72, 700, "Chapter Title " + std::string(1, char('A' + i)), 18) +
                     column(72, 660,
                            {"Body text of the page, long enough to be body text.",
                             "And a second line of it."}) +
                     text_at(300, 20, "Page " + std::to_string(i), 14));
  }
  const Document document = read_pdf(builder.build());
  ASSERT_EQ(document.headings.size(), 4u);
  for (const Heading& heading : document.headings) {
    EXPECT_EQ(heading.title.rfind("Chapter Title", 0), 0u);
  }
  EXPECT_NE(document.pages[2].text.find("Running Header"), std::string::npos);
  EXPECT_NE(document.pages[2].text.find("Page 3"), std::string::npos);
}

TEST(Headings, OffsetsCountCodePointsOverPages) {
  PdfBuilder builder;
  for (int i = 0; i < 2; ++i) {
    builder.add_page(
        text_at(72, 700, "\xC4\xD6\xDC gro\xDF", 20) +
        column(72, 660, {"K\xF6rper mit Umlauten, der lang genug ist.", "Noch eine Zeile dazu."}));
  }
  const Document document = read_pdf(builder.build());
  const std::string text = document.text();
  ASSERT_EQ(document.headings.size(), 2u);
  for (const Heading& heading : document.headings) {
    EXPECT_EQ(utf8::slice(text, heading.start, heading.start + 8), "ÄÖÜ groß");
  }
}

TEST(Titles, FromTheDocumentUnlessTheyAreFileNames) {
  const auto title = [](const std::string& info) {
    PdfBuilder builder;
    builder.add_page(text_at(72, 700, "x"));
    std::string pdf = builder.build();
    pdf.replace(pdf.find("/Root"), 5, "/Info<</Title" + info + ">>/Root");
    return read_pdf(pdf).title;
  };
  EXPECT_EQ(title("(Pump Manual)"), "Pump Manual");
  EXPECT_EQ(title("(Microsoft Word - Report)"), "Report");
  EXPECT_EQ(title("<FEFF00DC006200650072>"), "Über");
  EXPECT_EQ(title("(thesis-final.docx)"), "");
  EXPECT_EQ(title("(untitled)"), "");
  EXPECT_EQ(title("()"), "");
}

}  // namespace
}  // namespace lore::ingest::pdf::test
