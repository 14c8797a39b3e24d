// Where things of an index lie, and how the paths of documents are stored.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lore::index {

/// Thread safety: immutable.
class Places {
 public:
  /// `folder` need not exist yet.
  explicit Places(const std::filesystem::path& folder);

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path database() const { return folder_ / "index.sqlite"; }

  /// A path as stored: relative, with '/', to the folder that holds the index folder where it lies
  /// below that, so that both can be moved together; absolute elsewhere. A relative one is taken as
  /// stored already.
  std::string stored(std::string_view path) const;
  /// The absolute path of a stored one.
  std::filesystem::path resolve(std::string_view stored) const;

 private:
  std::filesystem::path folder_;  // absolute, without links
  std::filesystem::path root_;    // the folder that holds it
};

}  // namespace lore::index
