#include "ingest/worker/protocol.hpp"

#include <gtest/gtest.h>

#include <random>

namespace lore::ingest::worker {
namespace {

pdf::PageRecord sample_page() {
  pdf::PageRecord page;
  page.label = "iv";
  page.state = PageState::text;
  page.note = "a note";
  page.unmapped_glyphs = 3;
  page.blocks = {{{{"Überschrift", 16, 0.1f, 0.12f, true, false}}},
                 {{{"a\tb", 10, 0.5f, 0.52f, false, true}, {"", 0, 0, 0, false, false}}},
                 {}};
  return page;
}

pdf::DocumentInfo sample_info() {
  pdf::DocumentInfo info;
  info.title = "Titel";
  info.page_count = 12;
  info.outline = {{1, "Eins", 0}, {2, "Zwei", 11}};
  info.problems = {"one", ""};
  return info;
}

TEST(Protocol, EverythingComesBackAsItWas) {
  const auto page = decode_page(encode(sample_page()));
  ASSERT_TRUE(page);
  EXPECT_EQ(encode(*page), encode(sample_page()));
  EXPECT_EQ(page->blocks[0].lines[0].text, "Überschrift");
  EXPECT_TRUE(page->blocks[0].lines[0].bold);
  EXPECT_TRUE(page->blocks[1].lines[0].row);
  EXPECT_FLOAT_EQ(page->blocks[0].lines[0].top, 0.1f);
  const auto info = decode_info(encode(sample_info()));
  ASSERT_TRUE(info);
  EXPECT_EQ(encode(*info), encode(sample_info()));
  const Request asked{1u << 30, 30,           1u << 20,
                      7,        Format::html, {"", "geheim", std::string("\xFF\0x", 3)}};
  const auto request = decode_request(encode(asked));
  ASSERT_TRUE(request);
  EXPECT_EQ(request->passwords, asked.passwords);
  EXPECT_EQ(request->first_page, 7u);
  EXPECT_EQ(request->format, Format::html);
  const auto failure = decode_failure(encode_failure("password", "needs one"));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, "password");
  EXPECT_EQ(decode_index(encode_index(42)), 42u);
}

Document sample_document() {
  Document document;
  document.title = "Titel";
  document.pages.push_back({"Eins\n\nZwei", "1", PageState::text, "", 0});
  document.headings = {{1, "Eins", 0}, {2, "Zwei", 6}};
  document.problems = {"one"};
  return document;
}

TEST(Protocol, TextDocumentsComeBackAsTheyWere) {
  const std::string bytes = encode(sample_document());
  const auto document = decode_text_document(bytes, Format::markdown);
  ASSERT_TRUE(document);
  EXPECT_EQ(encode(*document), bytes);
  EXPECT_EQ(document->format, Format::markdown);
  EXPECT_EQ(document->pages.at(0).label, "1");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_text_document(std::string_view(bytes).substr(0, size), Format::html));
  }
}

TEST(Protocol, TextDocumentsThatContradictThemselvesAreRefused) {
  Document document = sample_document();
  document.headings[1].start = 11;  // behind the text
  EXPECT_FALSE(decode_text_document(encode(document), Format::html));
  document.headings[1].start = 10;
  EXPECT_TRUE(decode_text_document(encode(document), Format::html));
  document.headings[0].start = 11;
  EXPECT_FALSE(decode_text_document(encode(document), Format::html));
  document = sample_document();
  document.pages[0].text = "two\fpages";
  EXPECT_FALSE(decode_text_document(encode(document), Format::html));
}

TEST(Protocol, FramesArriveInAnyPieces) {
  const std::string bytes = encode_frame(FrameKind::info, "abc") +
                            encode_frame(FrameKind::page, std::string(5'000, 'x')) +
                            encode_frame(FrameKind::done, "");
  for (const std::size_t piece : {1u, 3u, 64u, 100'000u}) {
    FrameReader reader;
    std::vector<Frame> frames;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      reader.add(std::string_view(bytes).substr(at, piece));
      while (auto frame = reader.next()) frames.push_back(std::move(*frame));
    }
    ASSERT_EQ(frames.size(), 3u);
    EXPECT_EQ(frames[0].payload, "abc");
    EXPECT_EQ(frames[1].payload.size(), 5'000u);
    EXPECT_EQ(frames[2].kind, FrameKind::done);
    EXPECT_FALSE(reader.broken());
  }
}

TEST(Protocol, LengthsThatCannotBeAreRefused) {
  for (const char* bytes : {"\xFF\xFF\xFF\xFF"
                            "Pxxxx",
                            "\0\0\0\0Pxxx"}) {
    FrameReader reader;
    reader.add(std::string_view(bytes, 8));
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.broken());
  }
}

TEST(Protocol, EveryCutAndEveryFlippedByteIsAnswered) {
  const std::string page = encode(sample_page());
  const std::string info = encode(sample_info());
  for (std::size_t size = 0; size < page.size(); ++size) {
    EXPECT_FALSE(decode_page(std::string_view(page).substr(0, size))) << size;
  }
  for (std::size_t size = 0; size < info.size(); ++size) {
    EXPECT_FALSE(decode_info(std::string_view(info).substr(0, size))) << size;
  }
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    std::string changed = round % 2 == 0 ? page : info;
    changed[random() % changed.size()] = static_cast<char>(random());
    decode_page(changed);
    decode_info(changed);
    decode_request(changed);
    decode_failure(changed);
  }
}

TEST(Protocol, TextThatIsNoUtf8IsMadeValid) {
  pdf::PageRecord page = sample_page();
  page.blocks[0].lines[0].text = "a\xFFz";
  EXPECT_EQ(decode_page(encode(page))->blocks[0].lines[0].text, "a\uFFFDz");
}

}  // namespace
}  // namespace lore::ingest::worker
