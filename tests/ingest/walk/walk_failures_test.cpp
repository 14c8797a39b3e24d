// What cannot be read is reported with its name and a reason, and takes nothing else with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "ingest/ingest.hpp"
#include "ingest/walk/kinds.hpp"
#include "tests/ingest/without_rights.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::ingest {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class WalkFailures : public ::testing::Test {
 protected:
  void SetUp() override { ::chmod(folder.path().c_str(), 0755); }

  WalkResult result() {
    const fs::path roots[] = {folder.path()};
    return walk(roots, {});
  }

  test::TemporaryFolder folder;
};

TEST_F(WalkFailures, AnUnreadableFolderIsNamedAndTheRestIsRead) {
  folder.write("closed/a.txt", "text");
  folder.write("open/b.txt", "text");
  const fs::path closed = folder.path() / "closed";
  ::chmod(closed.c_str(), 0000);
  const int code = test::run_without_rights(closed, [&] {
    const WalkResult found = result();
    if (found.files.size() != 1 || found.files[0].path.filename() != "b.txt") return 1;
    if (found.failures.size() != 1 || found.failures[0].path != closed) return 2;
    if (found.failures[0].code != "unreadable") return 3;
    return found.failures[0].reason.find("Permission denied") == std::string::npos ? 4 : 0;
  });
  ::chmod(closed.c_str(), 0755);
  EXPECT_EQ(code, 0);
}

TEST_F(WalkFailures, AFolderWhoseFilesCannotBeReachedIsNotSilent) {
  folder.write("listed/a.txt", "text");
  const fs::path listed = folder.path() / "listed";
  ::chmod(listed.c_str(), 0444);  // names can be read, files cannot
  const int code = test::run_without_rights(listed / "a.txt", [&] {
    const WalkResult found = result();
    if (!found.files.empty()) return 1;
    return found.failures.size() == 1 && found.failures[0].code == "unreadable" ? 0 : 2;
  });
  ::chmod(listed.c_str(), 0755);
  EXPECT_EQ(code, 0);
}

TEST_F(WalkFailures, AnUnreadableFileOfUnknownNameIsReported) {
  const fs::path secret = folder.write("secret.dat", "text");
  folder.write("b.txt", "text");
  ::chmod(secret.c_str(), 0000);
  const int code = test::run_without_rights(secret, [&] {
    const WalkResult found = result();
    if (found.files.size() != 1) return 1;
    return found.failures.size() == 1 && found.failures[0].path == secret ? 0 : 2;
  });
  EXPECT_EQ(code, 0);
}

TEST_F(WalkFailures, AnUnreadableIgnoreFileClosesItsFolder) {
  folder.write("x/private.txt", "text");
  const fs::path rules = folder.write("x/.loreignore", "private.txt\n");
  ::chmod(rules.c_str(), 0000);
  const int code = test::run_without_rights(rules, [&] {
    const WalkResult found = result();
    if (!found.files.empty()) return 1;
    return found.failures.size() == 1 && found.failures[0].path == folder.path() / "x" ? 0 : 2;
  });
  EXPECT_EQ(code, 0);
}

TEST_F(WalkFailures, AnIgnoreFileThatIsAPipeIsNotOpened) {
  folder.write("x/a.txt", "text");
  ASSERT_EQ(::mkfifo((folder.path() / "x/.loreignore").c_str(), 0644), 0);
  const WalkResult found = result();  // opening it would wait for ever
  EXPECT_THAT(found.files, IsEmpty());
  ASSERT_THAT(found.failures, SizeIs(1));
  EXPECT_THAT(found.failures[0].reason, HasSubstr(".loreignore"));
}

TEST_F(WalkFailures, ADanglingLinkIsReportedWhereItsNameIsOneThatIsRead) {
  fs::create_symlink("nowhere.pdf", folder.path() / "a.pdf");
  fs::create_symlink("nowhere", folder.path() / "latest");
  const WalkResult found = result();
  EXPECT_EQ(found.unsupported, 1u);
  EXPECT_THAT(found.files, IsEmpty());
  ASSERT_THAT(found.failures, SizeIs(1));
  EXPECT_EQ(found.failures[0].path, folder.path() / "a.pdf");
  EXPECT_THAT(found.failures[0].reason, HasSubstr("link"));
}

TEST_F(WalkFailures, PipesAndSocketsAreNeverOpened) {
  ASSERT_EQ(::mkfifo((folder.path() / "pipe.pdf").c_str(), 0644), 0);
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0644), 0);
  const WalkResult found = result();  // opening one would wait for ever
  EXPECT_THAT(found.files, IsEmpty());
  EXPECT_THAT(found.failures, IsEmpty());
  EXPECT_EQ(found.unsupported, 2u);
  const fs::path roots[] = {folder.path() / "pipe.pdf"};
  EXPECT_THAT(walk(roots, {}).failures, SizeIs(1)) << "named, so it is answered";
}

TEST_F(WalkFailures, WhatIsGoneHasVanished) {
  const Failure gone = system_failure("/x/a.pdf", ENOENT);
  EXPECT_EQ(gone.code, "vanished");
  EXPECT_EQ(gone.path, "/x/a.pdf");
  EXPECT_EQ(system_failure("/x/a.pdf", EACCES).code, "unreadable");
  EXPECT_EQ(system_failure("/x/a.pdf", EIO).code, "unreadable");
}

TEST_F(WalkFailures, DeepFoldersAreReadOrReported) {
  fs::path deep = folder.path();
  for (int i = 0; i < 200; ++i) deep /= "d";
  fs::create_directories(deep);
  folder.write(deep.lexically_relative(folder.path()).string() + "/a.txt", "text");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{64, before.rlim_max};  // a folder is not kept open while others are visited
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const WalkResult found = result();
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_THAT(found.files, SizeIs(1));
  EXPECT_THAT(found.failures, IsEmpty());
}

}  // namespace
}  // namespace lore::ingest
