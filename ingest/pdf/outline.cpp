#include "ingest/pdf/outline.hpp"

#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace lore::ingest::pdf {
namespace {

constexpr std::size_t kMaxEntries = 20'000;
constexpr int kMaxLevel = 12;
constexpr int kMaxNameDepth = 16;
constexpr std::size_t kMaxTitle = 400;  // bytes

class OutlineReader {
 public:
  OutlineReader(const Objects& objects, const Object* catalog, const PageTree& tree)
      : objects_(objects), catalog_(catalog) {
    for (std::size_t i = 0; i < tree.pages.size(); ++i) {
      if (tree.pages[i].page != nullptr) pages_.emplace(tree.pages[i].page, i);
    }
    page_count_ = tree.pages.size();
  }

  std::vector<OutlineEntry> run() {
    const Object* root = objects_.dictionary(catalog_, "Outlines");
    read_siblings(objects_.dictionary(root, "First"), 1);
    return std::move(entries_);
  }

 private:
  void read_siblings(const Object* item, int level) {
    for (; item != nullptr && entries_.size() < kMaxEntries;
         item = objects_.dictionary(item, "Next")) {
      if (level > kMaxLevel || !seen_.insert(item).second) return;
      add(item, level);
      read_siblings(objects_.dictionary(item, "First"), level + 1);
    }
  }

  void add(const Object* item, int level) {
    std::string title = objects_.text(objects_.get(item, "Title"));
    if (title.empty() || title.size() > kMaxTitle) return;
    const Object* target = objects_.get(item, "Dest");
    if (target == nullptr) target = objects_.get(objects_.dictionary(item, "A"), "D");
    if (const auto page = page_of(target)) entries_.push_back({level, std::move(title), *page});
  }

  std::optional<std::size_t> page_of(const Object* target) {
    if (Objects::is_name(target) || Objects::is_string(target)) target = named(target);
    if (Objects::is_dictionary(target)) target = objects_.get(target, "D");
    const Object* page = objects_.item(target, 0);
    if (const auto found = pages_.find(page); page != nullptr && found != pages_.end()) {
      return found->second;
    }
    const auto index = objects_.number(page);
    if (index && *index >= 0 && *index < static_cast<double>(page_count_)) {
      return static_cast<std::size_t>(*index);
    }
    return std::nullopt;
  }

  const Object* named(const Object* target) {
    if (!names_read_) {
      names_read_ = true;
      for (auto& [name, value] : objects_.entries(objects_.dictionary(catalog_, "Dests"))) {
        names_.emplace(name, value);
      }
      const Object* tree = objects_.dictionary(objects_.dictionary(catalog_, "Names"), "Dests");
      std::size_t visits = 0;
      read_names(tree, 0, visits);
    }
    const std::string name =
        Objects::is_name(target) ? objects_.name(target) : objects_.bytes(target);
    const auto found = names_.find(name);
    return found == names_.end() ? nullptr : found->second;
  }

  void read_names(const Object* node, int depth, std::size_t& visits) {
    constexpr std::size_t kMaxVisits = 200'000;
    if (node == nullptr || depth > kMaxNameDepth || ++visits > kMaxVisits) return;
    const Object* names = objects_.get(node, "Names");
    for (std::size_t i = 0; i + 1 < objects_.array_size(names) && names_.size() < kMaxVisits;
         i += 2) {
      names_.emplace(objects_.bytes(objects_.item(names, i)), objects_.item(names, i + 1));
    }
    const Object* kids = objects_.get(node, "Kids");
    for (std::size_t i = 0; i < objects_.array_size(kids); ++i) {
      read_names(objects_.item(kids, i), depth + 1, visits);
    }
  }

  const Objects& objects_;
  const Object* catalog_;
  std::unordered_map<const Object*, std::size_t> pages_;
  std::size_t page_count_ = 0;
  std::unordered_set<const Object*> seen_;
  std::unordered_map<std::string, const Object*> names_;
  bool names_read_ = false;
  std::vector<OutlineEntry> entries_;
};

}  // namespace

std::vector<OutlineEntry> read_outline(const Objects& objects, const Object* catalog,
                                       const PageTree& tree) {
  return OutlineReader(objects, catalog, tree).run();
}

}  // namespace lore::ingest::pdf
