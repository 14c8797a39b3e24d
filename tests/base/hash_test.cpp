#include "base/hash.hpp"

#include <gtest/gtest.h>

#include "lore/error.hpp"
#include "tests/support/fixtures.hpp"

namespace lore {
namespace {

// FIPS 180-2, appendix B.
TEST(Sha256, KnownDigests) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, FileInPiecesEqualsWhole) {
  const test::TemporaryFolder folder;
  const std::string bytes((std::size_t{1} << 20) + 12345, 'x');
  const auto path = folder.write("a.bin", bytes);
  EXPECT_EQ(sha256_of_file(path), sha256_hex(bytes));
}

TEST(Sha256, MissingFileIsNamed) {
  try {
    sha256_of_file("/nonexistent/file");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_NE(std::string(error.what()).find("/nonexistent/file"), std::string::npos);
  }
}

}  // namespace
}  // namespace lore
