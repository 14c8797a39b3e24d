// `.loreignore`: which files of a folder are not to be read.
#pragma once

#include <string_view>
#include <vector>

#include "base/glob.hpp"

namespace lore::ingest {

enum class Verdict { none, ignored, kept };

/// The rules of one file, in gitignore's syntax: a glob a line, '#' for comments, '!' to take back
/// an earlier rule. Thread safety: read-only.
class IgnoreRules {
 public:
  explicit IgnoreRules(std::string_view text);

  /// What the last rule that fits says. `path` is relative to the folder of the file.
  Verdict judge(std::string_view path, bool is_folder) const;

 private:
  struct Rule {
    Glob glob;
    bool kept;
  };
  std::vector<Rule> rules_;
};

}  // namespace lore::ingest
