// Encrypted documents. The files in data/ hold one line and were made with MuPDF:
// mutool clean -E METHOD [-U geheim] -O besitzer.
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "tests/ingest/pdf/read_pdf.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::ingest::pdf::test {
namespace {

class Encryption : public testing::TestWithParam<const char*> {
 protected:
  static std::string file(const char* kind) {
    return read_file(lore::test::source_dir() / "tests/ingest/pdf/data" /
                     (std::string(GetParam()) + "-" + kind + ".pdf"));
  }
  static std::string code(const std::string& bytes, const std::vector<std::string>& passwords) {
    try {
      read_pdf(bytes, passwords);
      return "opened";
    } catch (const OpenError& error) {
      EXPECT_NE(error.reason.find("--password"), std::string::npos) << error.reason;
      return error.code;
    }
  }
};

TEST_P(Encryption, TheEmptyPasswordIsTriedFirst) {
  const Document document = read_pdf(file("empty"));
  EXPECT_EQ(document.pages.at(0).text, "The password was right.");
  EXPECT_EQ(document.title, "Locked words");
}

TEST_P(Encryption, AGivenPasswordOpens) {
  const std::string bytes = file("password");
  for (const std::vector<std::string>& passwords :
       {std::vector<std::string>{"geheim"}, {"wrong", "", "geheim"}, {"besitzer"}}) {
    EXPECT_EQ(read_pdf(bytes, passwords).pages.at(0).text, "The password was right.");
  }
}

TEST_P(Encryption, WithoutTheRightPasswordItSaysSo) {
  EXPECT_EQ(code(file("password"), {}), "password");
  EXPECT_EQ(code(file("password"), {"wrong", "Geheim"}), "password");
}

TEST_P(Encryption, AWrongLengthInAnEncryptedFileIsCorrectedToo) {
  std::string bytes = file("empty");
  const std::size_t stream = bytes.find("stream");
  const std::size_t at = bytes.rfind("/Length ", stream);
  ASSERT_NE(at, std::string::npos);
  bytes[at + 8] = '1';
  EXPECT_EQ(read_pdf(bytes).pages.at(0).text, "The password was right.");
}

TEST_P(Encryption, ADamagedCrossReferenceIsRebuiltToo) {
  std::string bytes = file("password");
  const std::size_t at = bytes.rfind("startxref");
  bytes.replace(at, 9, "startxxxx");
  EXPECT_EQ(read_pdf(bytes, {"geheim"}).pages.at(0).text, "The password was right.");
  EXPECT_EQ(code(bytes, {}), "password");
}

INSTANTIATE_TEST_SUITE_P(Methods, Encryption,
                         testing::Values("rc4-40", "rc4-128", "aes-128", "aes-256"),
                         [](const auto& value) {
                           std::string name = value.param;
                           name.erase(name.find('-'), 1);
                           return name;
                         });

}  // namespace
}  // namespace lore::ingest::pdf::test
