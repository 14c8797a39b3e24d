// What has to be done to bring an index up to date, from what the walk found and the store knows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/index.hpp"
#include "ingest/ingest.hpp"

namespace lore::pipeline {

/// The time of a document that must be read again whatever its file's time is: its chunks were cut
/// by settings that no longer hold. Kept in the store, so that an interrupted run goes on with it.
inline constexpr std::int64_t kMustRedo = std::numeric_limits<std::int64_t>::min();

/// The code of the failure of a document that is in the index without some of its pages.
inline constexpr std::string_view kSomePagesFailed = "pages";

/// A file whose content has to be looked at.
struct PlannedFile {
  ingest::FileEntry entry;
  std::string stored_path;
  std::optional<index::DocumentSummary> known;  ///< what is stored of this path
  bool redo = false;                            ///< read it even where its hash has not changed
};

struct IndexPlan {
  std::vector<PlannedFile> to_read;
  std::size_t unchanged = 0;                         ///< by size and time
  std::vector<index::FailureRecord> known_failures;  ///< failed before and not changed since
  std::vector<index::DocumentSummary> gone;          ///< no file any more; may turn out as moved
  std::vector<std::string> cured_failures;           ///< failures whose file is gone
};

struct PlanInput {
  const ingest::WalkResult& walk;
  std::span<const std::filesystem::path> roots;  ///< absolute, lexically normal
  std::filesystem::path base;                    ///< the folder that holds the index
  std::span<const index::DocumentSummary> documents;
  std::span<const index::FailureRecord> failures;
  bool retry = false;            ///< read again what failed before
  bool has_passwords = false;    ///< read again what wanted a password
  ingest::WalkResult outside{};  ///< files below the roots that this run's globs leave out
};

/// Documents outside of the roots or of this run's globs, and those below a folder that could not
/// be read, are left alone.
IndexPlan plan_index(const PlanInput& input);

/// Relative to `base` below it, else absolute.
std::string stored_path(const std::filesystem::path& path, const std::filesystem::path& base);
std::filesystem::path resolved_path(const std::string& stored, const std::filesystem::path& base);
/// Whether `path` is `root` or stands below it.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& root);

}  // namespace lore::pipeline
