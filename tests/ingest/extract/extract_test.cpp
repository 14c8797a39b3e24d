// One file to a document or to a reason: by content, whatever the name, and never an exception for
// what a user's folder may hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <variant>

#include "ingest/ingest.hpp"
#include "lore/error.hpp"
#include "tests/ingest/without_rights.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::ingest {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class Extract : public ::testing::Test {
 protected:
  Extract() {
    options.worker_command = {LORE_TEST_WORKER};
#ifdef LORE_SANITIZED
    options.memory_limit = 0;  // the address sanitizer maps terabytes
#endif
  }

  Document document(const fs::path& path) {
    Extraction extraction = extract(path, options);
    if (auto* found = std::get_if<Document>(&extraction)) return std::move(*found);
    ADD_FAILURE() << path << ": " << std::get<Failure>(extraction).reason;
    return {};
  }

  Failure failure(const fs::path& path) {
    Extraction extraction = extract(path, options);
    if (auto* found = std::get_if<Failure>(&extraction)) return std::move(*found);
    ADD_FAILURE() << path << " was read";
    return {};
  }

  test::TemporaryFolder folder;
  ExtractOptions options;
};

TEST_F(Extract, ReadsByContentNotByName) {
  const fs::path copy = folder.path() / "really-a-pdf.txt";
  fs::copy_file(test::source_dir() / "examples/documents/bridge-report.pdf", copy);
  EXPECT_EQ(document(copy).format, Format::pdf);
  EXPECT_THAT(document(copy).pages, SizeIs(4));
  EXPECT_EQ(document(folder.write("page.pdf", "<!DOCTYPE html><p>x</p>")).format, Format::html);
  EXPECT_EQ(document(folder.write("page.txt", "<html><p>x</p>")).text(), "x");
  EXPECT_EQ(document(folder.write("notes", "just words")).format, Format::text);
  EXPECT_EQ(document(folder.write("a.md", "# T")).format, Format::markdown);
}

TEST_F(Extract, ReadsTextOfEveryEncoding) {
  EXPECT_EQ(document(folder.write("a.txt", std::string("\xFF\xFEg\0r\0\xFC\0\xDF\0", 10))).text(),
            "grüß");
  const Document latin = document(folder.write("b.txt", "gr\xFC\xDF"));
  EXPECT_EQ(latin.text(), "grüß");
  EXPECT_THAT(latin.problems, SizeIs(1));
  const Document damaged = document(folder.write("c.txt", "grüß \xFF ok"));
  EXPECT_EQ(damaged.text(), "grüß \uFFFD ok");
  EXPECT_THAT(damaged.problems, SizeIs(1));
}

TEST_F(Extract, EmptyTextFilesAreDocumentsWithoutText) {
  for (const char* name : {"a.txt", "a.md", "a.html"}) {
    EXPECT_EQ(document(folder.write(name, "")).pages.at(0).state, PageState::empty) << name;
  }
}

TEST_F(Extract, AnEmptyPdfIsAFailureThatSaysSo) {
  const Failure empty = failure(folder.write("a.pdf", ""));
  EXPECT_EQ(empty.path.filename(), "a.pdf");
  EXPECT_THAT(empty.reason, HasSubstr("empty"));
}

TEST_F(Extract, BinaryFilesAreRefusedWithTheirKind) {
  const Failure zip = failure(folder.write("a.docx", std::string("PK\x03\x04\0\0\0", 7)));
  EXPECT_EQ(zip.code, "unsupported");
  EXPECT_THAT(zip.reason, HasSubstr("Office"));
  EXPECT_THAT(failure(folder.write("a.txt", std::string("\x89PNG\r\n\x1A\n\0", 9))).reason,
              HasSubstr("PNG"));
  EXPECT_THAT(failure(folder.write("b.txt", std::string("\0\1\2", 3))).reason, HasSubstr("binary"));
}

TEST_F(Extract, AFileThatIsGoneHasVanished) {
  EXPECT_EQ(failure(folder.path() / "gone.pdf").code, "vanished");
  EXPECT_EQ(failure(folder.path() / "gone.txt").code, "vanished");
  EXPECT_EQ(failure(folder.write("x.txt", "x") / "below-a-file").code, "vanished");
}

TEST_F(Extract, WhatIsNoFileIsNotOpened) {
  ASSERT_EQ(::mkfifo((folder.path() / "pipe.txt").c_str(), 0644), 0);
  EXPECT_EQ(failure(folder.path() / "pipe.txt").code, "unsupported");  // would wait for ever
  EXPECT_EQ(failure(folder.path()).code, "unsupported");
}

TEST_F(Extract, AnUnreadableFileIsAFailure) {
  ::chmod(folder.path().c_str(), 0755);
  for (const char* name : {"secret.txt", "secret.pdf"}) {
    const fs::path secret = folder.write(name, "%PDF-1.4 or text");
    ::chmod(secret.c_str(), 0000);
    const int code = test::run_without_rights(secret, [&] {
      const Extraction extraction = extract(secret, options);
      const auto* found = std::get_if<Failure>(&extraction);
      if (found == nullptr) return 1;
      return found->code == "unreadable" && found->path == secret ? 0 : 2;
    });
    EXPECT_EQ(code, 0) << name;
  }
}

TEST_F(Extract, AFileOverTheLimitIsAFailure) {
  options.output_limit = 100;
  EXPECT_EQ(failure(folder.write("a.txt", std::string(101, 'x'))).code, "too_large");
  EXPECT_EQ(document(folder.write("b.txt", std::string(100, 'x'))).format, Format::text);
}

TEST_F(Extract, OnlyPlainTextIsReadWithoutAWorker) {
  options.worker_command.clear();
  EXPECT_EQ(document(folder.write("a.txt", "text")).text(), "text");
  for (const char* name : {"a.html", "a.md", "a.pdf"}) {
    EXPECT_THROW(extract(folder.write(name, "%PDF-1.4 1 0 obj"), options), Error) << name;
  }
}

TEST_F(Extract, StopsWhenAsked) {
  options.stop = [] { return true; };
  try {
    extract(folder.write("a.txt", "text"), options);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted);
  }
}

}  // namespace
}  // namespace lore::ingest
