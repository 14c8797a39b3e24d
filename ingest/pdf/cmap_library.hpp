// The predefined CMaps of CJK fonts, read from the files of the package poppler-data.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "ingest/pdf/cmap.hpp"

namespace lore::ingest::pdf {

/// Reads and keeps maps by name. Without the files only the identity maps are known; text that
/// needs others then has characters without a meaning. Thread safety: one thread.
class CMapLibrary {
 public:
  /// `folder`: of poppler-data's files.
  explicit CMapLibrary(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// A map by its predefined name ("UniJIS-UTF16-H"); nullptr where there is none.
  const CMap* find(std::string_view name);

  /// The map from CIDs (two-byte codes) to text of a character collection ("Adobe", "Japan1").
  const CMap* cid_to_unicode(std::string_view registry, std::string_view ordering);

 private:
  const CMap* load(std::string_view name, int depth);

  std::filesystem::path folder_;
  std::map<std::string, std::unique_ptr<CMap>, std::less<>> maps_;  ///< nullptr: known to be absent
};

}  // namespace lore::ingest::pdf
