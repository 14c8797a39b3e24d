#include "pipeline/index_plan.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace lore::pipeline {
namespace {

bool is_below_any(const std::filesystem::path& path, std::span<const std::filesystem::path> roots) {
  return std::any_of(roots.begin(), roots.end(),
                     [&](const auto& root) { return is_below(path, root); });
}

bool is_below_a_failure(const std::filesystem::path& path, const ingest::WalkResult& walk) {
  return std::any_of(walk.failures.begin(), walk.failures.end(),
                     [&](const ingest::Failure& failure) { return is_below(path, failure.path); });
}

/// Failures that lie in rights, memory or the disk, not in the content of the file: nothing about
/// it need change before it can be read.
bool may_pass(const index::FailureRecord& failure) {
  constexpr std::array<std::string_view, 4> kCodes = {"unreadable", "memory", "worker", "vanished"};
  return std::find(kCodes.begin(), kCodes.end(), failure.code) != kCodes.end();
}

/// `known`: what is stored of the same path, or nullptr.
bool worth_retrying(const index::FailureRecord& failure, const index::DocumentSummary* known,
                    const PlanInput& input) {
  const bool cut_by_old_settings =
      failure.code == kSomePagesFailed && known != nullptr && known->modified_ns == kMustRedo;
  return input.retry || cut_by_old_settings || may_pass(failure) ||
         (input.has_passwords && failure.code == "password");
}

}  // namespace

bool is_below(const std::filesystem::path& path, const std::filesystem::path& root) {
  auto at = path.begin();
  for (const auto& part : root) {
    if (part.empty()) continue;  // a trailing slash
    if (at == path.end() || *at != part) return false;
    ++at;
  }
  return true;
}

std::string stored_path(const std::filesystem::path& path, const std::filesystem::path& base) {
  return is_below(path, base) ? path.lexically_relative(base).string() : path.string();
}

std::filesystem::path resolved_path(const std::string& stored, const std::filesystem::path& base) {
  return (base / stored).lexically_normal();  // an absolute path replaces the base
}

IndexPlan plan_index(const PlanInput& input) {
  std::unordered_map<std::string, const index::DocumentSummary*> documents;
  for (const auto& document : input.documents) documents.emplace(document.path, &document);
  std::unordered_map<std::string, const index::FailureRecord*> failures;
  for (const auto& failure : input.failures) failures.emplace(failure.path, &failure);

  IndexPlan plan;
  std::unordered_set<std::string> met;
  for (const ingest::FileEntry& entry : input.walk.files) {
    PlannedFile file{entry, stored_path(entry.path, input.base), std::nullopt, false};
    met.insert(file.stored_path);
    const auto stored = documents.find(file.stored_path);
    const index::DocumentSummary* known = stored == documents.end() ? nullptr : stored->second;
    if (const auto found = failures.find(file.stored_path); found != failures.end()) {
      const index::FailureRecord& failure = *found->second;
      const bool same = failure.size == entry.size && failure.modified_ns == entry.modified_ns;
      if (same && !worth_retrying(failure, known, input)) {
        plan.known_failures.push_back(failure);
        continue;
      }
      file.redo = true;
    }
    if (known != nullptr) {
      if (!file.redo && known->size == entry.size && known->modified_ns == entry.modified_ns) {
        ++plan.unchanged;
        continue;
      }
      file.known = *known;
      file.redo = file.redo || known->modified_ns == kMustRedo;
    }
    plan.to_read.push_back(std::move(file));
  }

  for (const auto& failure : input.walk.failures) {
    met.insert(stored_path(failure.path, input.base));
  }
  for (const auto& entry : input.outside.files) met.insert(stored_path(entry.path, input.base));
  const auto is_gone = [&](const std::string& stored) {
    const std::filesystem::path path = resolved_path(stored, input.base);
    return !met.contains(stored) && is_below_any(path, input.roots) &&
           !is_below_a_failure(path, input.walk) && !is_below_a_failure(path, input.outside);
  };
  for (const auto& document : input.documents) {
    if (is_gone(document.path)) plan.gone.push_back(document);
  }
  for (const auto& failure : input.failures) {
    if (is_gone(failure.path)) plan.cured_failures.push_back(failure.path);
  }
  return plan;
}

}  // namespace lore::pipeline
