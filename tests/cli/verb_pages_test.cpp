// docs/verbs is what the command says of itself today.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "base/file.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::test {
namespace {

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

TEST(VerbPagesTest, AreCurrent) {
  const TemporaryFolder folder;
  const auto script = source_dir() / "scripts/make_verb_pages.sh";
  const std::string command =
      "'" + script.string() + "' '" LORE_BINARY "' '" + folder.path().string() + "'";
  ASSERT_EQ(std::system(command.c_str()), 0);
  const auto pages = source_dir() / "docs/verbs";
  const std::set<std::string> names = names_in(folder.path());
  EXPECT_GE(names.size(), 14U);
  EXPECT_EQ(names, names_in(pages)) << "run scripts/make_verb_pages.sh";
  for (const std::string& name : names) {
    EXPECT_EQ(read_file(folder.path() / name), read_file(pages / name))
        << name << ": run scripts/make_verb_pages.sh";
  }
}

}  // namespace
}  // namespace lore::test
