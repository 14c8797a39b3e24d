// Globs over paths, as gitignore reads them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lore {

/// A pattern over paths with '/' between their parts. `*` stands for any characters of one part,
/// `?` for one, `[a-z]` and `[!a-z]` for one of a set, `**` for any number of parts, `\` takes the
/// next character as it is. A pattern without '/', other than at its end, fits a file or folder of
/// that name at any depth; any other pattern fits from the top. A '/' at the end fits folders only.
/// Thread safety: read-only.
class Glob {
 public:
  enum class Case { distinguish, ignore };

  explicit Glob(std::string_view pattern, Case letter_case = Case::distinguish);

  /// `path` is relative, without "./"; "a/b.txt".
  bool matches(std::string_view path, bool is_folder) const;

  /// Whether a part of the pattern that starts with '.' fits `name`: the pattern names this hidden
  /// file or folder.
  bool names_hidden(std::string_view name) const;

 private:
  std::vector<std::string> parts_;
  bool folder_only_ = false;
  Case letter_case_;
};

}  // namespace lore
