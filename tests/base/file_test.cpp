#include "base/file.hpp"

#include <gtest/gtest.h>

#include "tests/support/fixtures.hpp"

namespace lore {
namespace {

TEST(File, AtomicWriteReplacesAndLeavesNothingBehind) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("a.txt", "old");
  write_file_atomically(path, "new");
  EXPECT_EQ(read_file(path), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(File, AtomicWriteToAMissingFolderFails) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(write_file_atomically(folder.path() / "no" / "a.txt", "x"), Error);
}

TEST(File, ReadRefusesWhatIsOverTheLimit) {
  const test::TemporaryFolder folder;
  const auto path = folder.write("a.txt", std::string(1000, 'x'));
  EXPECT_EQ(read_file(path, 1000).size(), 1000U);
  EXPECT_THROW(read_file(path, 999), Error);
}

TEST(File, AFullDiskIsToldAsSuch) {
  const Error error = system_error("write", "a.txt", ENOSPC, true);
  EXPECT_EQ(error.code(), ErrorCode::no_space);
  EXPECT_EQ(system_error("write", "a.txt", EROFS, true).code(), ErrorCode::read_only);
}

TEST(File, ErrorsSayTheWayOut) {
  for (const int number : {ENOENT, ENOTDIR, ENOSPC, EDQUOT, EACCES, EROFS, EISDIR, EMFILE}) {
    for (const bool writing : {false, true}) {
      const std::string message = system_error("open", "a.txt", number, writing).what();
      EXPECT_NE(message.find("a.txt: "), std::string::npos) << message;
      EXPECT_NE(message.find("; "), std::string::npos) << message;
    }
  }
}

}  // namespace
}  // namespace lore
