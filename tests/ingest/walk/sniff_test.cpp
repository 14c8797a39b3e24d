#include <gtest/gtest.h>

#include <string>

#include "ingest/ingest.hpp"

namespace lore::ingest {
namespace {

TEST(Sniff, APdfIsAPdfWhateverItsName) {
  const std::string pdf = "%PDF-1.7\n%\xE2\xE3\xCF\xD3\n1 0 obj\n";
  for (const char* name : {"a.pdf", "a.txt", "a.md", "a.html", "a", "a.bin"}) {
    EXPECT_EQ(sniff(pdf, name), Format::pdf) << name;
  }
}

TEST(Sniff, JunkMayStandBeforeAPdf) {
  const std::string body = "%PDF-1.4\n1 0 obj\n<< >>\nendobj\n";
  EXPECT_EQ(sniff("\xEF\xBB\xBF \r\n" + body, "x"), Format::pdf);
  EXPECT_EQ(sniff("HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n" + body, "x.txt"),
            Format::pdf);
  EXPECT_EQ(sniff(std::string(900, '\0') + body, "x"), Format::pdf);
}

TEST(Sniff, ATextAboutPdfIsText) {
  EXPECT_EQ(sniff("A PDF file starts with %PDF-1.7 and a comment.\n", "notes.txt"), Format::text);
}

TEST(Sniff, APdfNameCountsWhereTheBytesAreOfNoUse) {
  EXPECT_EQ(sniff("", "a.pdf"), Format::pdf);
  EXPECT_EQ(sniff(std::string("\x01\x02\0\x03", 4), "a.PDF"), Format::pdf);
  EXPECT_EQ(sniff("12 0 obj\n<< /Type /Page >>\n", "a.pdf"), Format::pdf);
  EXPECT_EQ(sniff("<!DOCTYPE html><title>404</title>", "a.pdf"), Format::html);
}

TEST(Sniff, HtmlByItsFirstMarkup) {
  for (const char* head :
       {"<!DOCTYPE html>", "<html lang=de>", "\n <!-- note -->\n<HTML>",
        "<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC>", "\xEF\xBB\xBF<head>"}) {
    EXPECT_EQ(sniff(head, "page.txt"), Format::html) << head;
  }
  EXPECT_EQ(sniff("Plain words", "page.html"), Format::html);
  EXPECT_EQ(sniff("a < b and b > c", "x.txt"), Format::text);
}

TEST(Sniff, MarkdownByName) {
  EXPECT_EQ(sniff("# Title\n", "x.md"), Format::markdown);
  EXPECT_EQ(sniff("# Title\n", "x.MARKDOWN"), Format::markdown);
  EXPECT_EQ(sniff("# Title\n", "x.conf"), Format::text);
}

TEST(Sniff, TextOfEveryEncoding) {
  EXPECT_EQ(sniff("gr\xFC\xDF", "x"), Format::text);
  EXPECT_EQ(sniff(std::string("\xFF\xFEh\0i\0", 6), "x"), Format::text);
  EXPECT_EQ(sniff(std::string("\xFE\xFF\0h\0i", 6), "x"), Format::text);
  EXPECT_EQ(sniff(std::string("h\0e\0l\0l\0o\0", 10), "x"), Format::text);
  EXPECT_EQ(sniff("", "x.txt"), Format::text);
}

TEST(Sniff, BinaryIsUnknownWhateverItsName) {
  const std::string zip("PK\x03\x04\x14\0\0\0\x08\0", 10);
  for (const char* name : {"a.txt", "a.md", "a.html", "a.docx", "a"}) {
    EXPECT_EQ(sniff(zip, name), Format::unknown) << name;
  }
  EXPECT_EQ(sniff(std::string("\x89PNG\r\n\x1A\n\0\0\0\rIHDR", 16), "a.png"), Format::unknown);
  EXPECT_EQ(sniff("\x01\x02\x03\x04\x05 text", "a.txt"), Format::unknown);
  EXPECT_EQ(sniff("", "a.bin"), Format::unknown);
}

}  // namespace
}  // namespace lore::ingest
