#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ingest/ingest.hpp"
#include "lore/error.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::ingest {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Walk : public ::testing::Test {
 protected:
  fs::path write(const std::string& relative, const std::string& bytes = "Some text.\n") {
    return folder.write(relative, bytes);
  }

  WalkResult result(const WalkOptions& options = {}) {
    const fs::path roots[] = {folder.path()};
    return walk(roots, options);
  }

  std::vector<std::string> names(const WalkOptions& options = {}) {
    std::vector<std::string> list;
    for (const FileEntry& entry : result(options).files) {
      list.push_back(entry.path.lexically_relative(folder.path()).string());
    }
    return list;
  }

  test::TemporaryFolder folder;
};

TEST_F(Walk, FindsWhatLoreReadsSortedByPath) {
  write("b/two.md");
  write("a.pdf", "%PDF-1.4");
  write("b/one.html");
  write("README");
  write("c.bin", std::string("\0\1\2", 3));
  write("d.docx", std::string("PK\x03\x04\0\0", 6));
  EXPECT_THAT(names(), ElementsAre("README", "a.pdf", "b/one.html", "b/two.md"));
  EXPECT_EQ(result().unsupported, 2u);
  EXPECT_THAT(result().failures, IsEmpty());
}

TEST_F(Walk, SniffsNamesThatItDoesNotKnow) {
  write("scan.dat", "%PDF-1.4\n1 0 obj");
  write("empty.dat", "");
  EXPECT_THAT(names(), ElementsAre("scan.dat"));
}

TEST_F(Walk, TellsSizeAndTime) {
  const fs::path path = write("a.txt", "12345");
  const timespec times[2] = {{1000, 0}, {1234, 567}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  const auto files = result().files;
  ASSERT_THAT(files, SizeIs(1));
  EXPECT_EQ(files[0].size, 5u);
  EXPECT_EQ(files[0].modified_ns, 1'234'000'000'567);
  EXPECT_TRUE(files[0].path.is_absolute());
}

TEST_F(Walk, IncludeAndExclude) {
  write("a.pdf");
  write("a.TXT");
  write("x/b.txt");
  write("x/drafts/c.txt");
  write("x/drafts/c.md");
  WalkOptions options;
  options.include = {"*.txt"};
  EXPECT_THAT(names(options), ElementsAre("a.TXT", "x/b.txt", "x/drafts/c.txt"));
  options.exclude = {"drafts"};
  EXPECT_THAT(names(options), ElementsAre("a.TXT", "x/b.txt"));
  options.include = {"x/**/*.md", "./x/*.txt"};
  options.exclude = {};
  EXPECT_THAT(names(options), ElementsAre("x/b.txt", "x/drafts/c.md"));
  options.exclude = {"**/c.*"};
  EXPECT_THAT(names(options), ElementsAre("x/b.txt"));
}

TEST_F(Walk, RefusesAnEmptyGlob) {
  WalkOptions options;
  options.exclude = {""};
  EXPECT_THROW(result(options), Error);
}

TEST_F(Walk, LeavesOutHiddenUnlessNamed) {
  write(".hidden.txt");
  write(".notes/a.txt");
  write("b.txt");
  EXPECT_THAT(names(), ElementsAre("b.txt"));
  WalkOptions options;
  options.include = {".notes/**", "b.txt"};
  EXPECT_THAT(names(options), ElementsAre(".notes/a.txt", "b.txt"));
  const fs::path roots[] = {folder.path() / ".notes", folder.path() / ".hidden.txt"};
  EXPECT_THAT(walk(roots, {}).files, SizeIs(2)) << "a root is named";
}

TEST_F(Walk, IgnoreFilesCountForTheirFolderAndBelow) {
  write(".loreignore", "*.log\n/only-top.txt\nold/\n!x/keep.log\n");
  write("a.log");
  write("only-top.txt");
  write("x/only-top.txt");
  write("x/keep.log");
  write("x/other.log");
  write("x/.loreignore", "!other.log\nsecret*\n");
  write("x/secret.txt");
  write("secret.txt");
  write("x/old/deep/a.txt");
  EXPECT_THAT(names(), ElementsAre("secret.txt", "x/keep.log", "x/only-top.txt", "x/other.log"));
}

TEST_F(Walk, AnIgnoredFolderIsNotReopenedFromInside) {
  write(".loreignore", "old/\n");
  write("old/.loreignore", "!a.txt\n");
  write("old/a.txt");
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(Walk, DoesNotEnterTheFolderToSkip) {
  write("index/a.txt");
  write("b.txt");
  WalkOptions options;
  options.skip = folder.path() / "." / "index" / "";
  EXPECT_THAT(names(options), ElementsAre("b.txt"));
}

TEST_F(Walk, FollowsLinksToFilesOnceAndNoneToFolders) {
  write("z/real.txt");
  write("z/sub/deep.txt");
  test::TemporaryFolder elsewhere;
  const fs::path outside = elsewhere.write("outside.txt", "text");
  fs::create_symlink(folder.path() / "z/real.txt", folder.path() / "a-link.txt");
  fs::create_symlink(outside, folder.path() / "b-link.txt");
  fs::create_symlink(outside, folder.path() / "c-link.txt");
  fs::create_directory_symlink(folder.path() / "z", folder.path() / "y");
  fs::create_directory_symlink(folder.path(), folder.path() / "z/loop");
  EXPECT_THAT(names(), ElementsAre("b-link.txt", "z/real.txt", "z/sub/deep.txt"));
  const fs::path roots[] = {folder.path(), folder.path() / "z"};
  EXPECT_EQ(walk(roots, {}).unsupported, 2u) << "the links to folders, each once";
}

TEST_F(Walk, ARootMayBeALink) {
  write("z/real.txt");
  const fs::path link = folder.path() / "link";
  fs::create_directory_symlink(folder.path() / "z", link);
  const fs::path roots[] = {link};
  const auto files = walk(roots, {}).files;
  ASSERT_THAT(files, SizeIs(1));
  EXPECT_EQ(files[0].path, link / "real.txt");
}

TEST_F(Walk, OverlappingRootsGiveEachFileOnce) {
  const fs::path file = write("x/a.txt");
  const fs::path roots[] = {folder.path() / "x", folder.path(), file,
                            folder.path() / "x" / ".." / "x" / "a.txt"};
  EXPECT_THAT(walk(roots, {}).files, SizeIs(1));
}

TEST_F(Walk, AFileThatIsARootIsTakenWhateverItHolds) {
  const fs::path file = write("a.bin", std::string("\0\0", 2));
  const fs::path roots[] = {file};
  EXPECT_THAT(walk(roots, {}).files, SizeIs(1));
}

TEST_F(Walk, OddNamesAreKeptAsTheyAre) {
  const std::vector<std::string> odd = {"\xFF\xFE.txt", "a\nb.txt", "sp ace*[.txt", "泵.txt"};
  for (const std::string& name : odd) write(name);
  EXPECT_THAT(names(), ::testing::UnorderedElementsAreArray(odd));
}

TEST_F(Walk, NoFilesAtAll) {
  fs::create_directories(folder.path() / "empty/deeper");
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_THAT(walk({}, {}).files, IsEmpty());
}

TEST_F(Walk, ARootThatDoesNotExistIsAnError) {
  const fs::path roots[] = {folder.path() / "nowhere"};
  try {
    walk(roots, {});
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_NE(std::string(error.what()).find("nowhere"), std::string::npos);
  }
}

}  // namespace
}  // namespace lore::ingest
