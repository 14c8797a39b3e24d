#include "ingest/pdf/cmap_library.hpp"

#include <algorithm>
#include <array>

#include "base/file.hpp"

namespace lore::ingest::pdf {
namespace {

constexpr int kMaxDepth = 5;  // of maps that use maps
constexpr std::uint64_t kMaxFile = std::uint64_t{4} << 20;
constexpr std::array<std::string_view, 6> kCollections = {
    "Adobe-Japan1", "Adobe-GB1", "Adobe-CNS1", "Adobe-Korea1", "Adobe-KR", "Adobe-Japan2"};

/// The name comes from a document and becomes part of a path.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() < 64 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
}

}  // namespace

const CMap* CMapLibrary::find(std::string_view name) { return load(name, 0); }

const CMap* CMapLibrary::cid_to_unicode(std::string_view registry, std::string_view ordering) {
  std::string collection(registry);
  collection += '-';
  collection += ordering;
  const auto known = std::find(kCollections.begin(), kCollections.end(), collection);
  return known == kCollections.end() ? nullptr : load(collection + "-UCS2", 0);
}

const CMap* CMapLibrary::load(std::string_view name, int depth) {
  if (const auto found = maps_.find(name); found != maps_.end()) return found->second.get();
  if (depth > kMaxDepth || !is_plain_name(name)) return nullptr;
  std::unique_ptr<CMap> map;
  if (name == "Identity-H" || name == "Identity-V") {
    map = std::make_unique<CMap>(CMap::identity(name.back() == 'V'));
  } else {
    for (const std::string_view collection : kCollections) {
      const std::filesystem::path path = folder_ / "cMap" / collection / name;
      std::error_code error;
      if (!std::filesystem::is_regular_file(path, error)) continue;
      try {
        const std::string bytes = read_file(path, kMaxFile);
        const auto find_other = [this, depth](std::string_view other) {
          return load(other, depth + 1);
        };
        map = std::make_unique<CMap>(CMap::parse(bytes, find_other));
      } catch (const Error&) {
        map.reset();  // as good as absent
      }
      break;
    }
  }
  return maps_.emplace(std::string(name), std::move(map)).first->second.get();
}

}  // namespace lore::ingest::pdf
