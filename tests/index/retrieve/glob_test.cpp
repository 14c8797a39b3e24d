// Globs over stored paths.
#include "index/retrieve/glob.hpp"

#include <gtest/gtest.h>

#include <string>

namespace lore::index {
namespace {

struct Case {
  const char* pattern;
  const char* path;
  bool matches;
};

TEST(Glob, MatchesAsItsDescriptionSays) {
  for (const Case& c : {
           Case{"*.pdf", "a.pdf", true},
           {"*.pdf", "x/y/a.pdf", true},  // no slash: at any depth
           {"*.pdf", "a.pdfx", false},
           {"a.pdf", "xa.pdf", false},
           {"x/*.pdf", "x/a.pdf", true},
           {"x/*.pdf", "x/y/a.pdf", false},
           {"x/*.pdf", "w/x/a.pdf", false},  // a slash: from the start
           {"**/*.pdf", "a.pdf", true},
           {"**/*.pdf", "x/y/a.pdf", true},
           {"**/a.pdf", "xa.pdf", false},
           {"x/**/a.pdf", "x/a.pdf", true},
           {"x/**/a.pdf", "x/y/z/a.pdf", true},
           {"x/**/a.pdf", "x/ya.pdf", false},
           {"**/**/a", "a", true},
           {"x/**", "x/y/z", true},
           {"x/**", "xy/z", false},
           {"manuals", "manuals/pump/a.pdf", true},  // a folder takes what is below it
           {"manuals/", "manuals/a.pdf", true},
           {"manuals", "old/manuals/a.pdf", true},
           {"manuals", "manuals2/a.pdf", false},
           {"old/manuals", "old/manuals/a.pdf", true},
           {"old/manuals", "very/old/manuals/a.pdf", false},
           {"./x/a", "x/a", true},
           {"a?c", "abc", true},
           {"a?c", "a/c", false},
           {"水?", "水泵", true},
           {"[a-c]x", "bx", true},
           {"[!a-c]x", "bx", false},
           {"[^a-c]x", "dx", true},
           {"[]]", "]", true},
           {"[a-]", "-", true},
           {"[ab", "[ab", true},  // no set without an end
           {"\\*", "*", true},
           {"\\*", "x", false},
           {"/abs/*.pdf", "/abs/a.pdf", true},
           {"/abs/*.pdf", "abs/a.pdf", false},
           {"*", "x/y", true},
           {"", "a", false},
       }) {
    EXPECT_EQ(glob_matches(c.pattern, c.path), c.matches) << c.pattern << " on " << c.path;
  }
}

TEST(Glob, TakesNoLongerForPatternsMadeToTakeLong) {
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "*a";
  const std::string path(2000, 'a');
  EXPECT_TRUE(glob_matches(pattern, path));
  EXPECT_FALSE(glob_matches(pattern + "b", path));
}

}  // namespace
}  // namespace lore::index
