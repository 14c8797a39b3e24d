#include "ingest/pdf/page_tree.hpp"

#include <algorithm>
#include <cmath>

namespace lore::ingest::pdf {
namespace {

constexpr std::size_t kMaxDepth = 10'000;
constexpr std::size_t kMaxLostBranches = 20;  // that are told
constexpr std::size_t kMaxNodes = 1'000'000;  // visits: a node may be listed many times

struct Inherited {
  const Object* resources = nullptr;
  const Object* media_box = nullptr;
  const Object* crop_box = nullptr;
  int rotate = 0;
};

Inherited inherit(const Objects& objects, const Object* node, Inherited from) {
  if (const Object* found = objects.dictionary(node, "Resources")) from.resources = found;
  if (const Object* found = objects.get(node, "MediaBox")) from.media_box = found;
  if (const Object* found = objects.get(node, "CropBox")) from.crop_box = found;
  if (const auto angle = objects.number(node, "Rotate")) {
    const double turns = std::round(*angle / 90);
    if (std::abs(turns) < 1e6) from.rotate = ((static_cast<int>(turns) % 4) + 4) % 4 * 90;
  }
  return from;
}

/// One node whose kids are being walked. An own stack: trees may be thousands of nodes deep.
struct Level {
  const Object* node;
  const Object* kids;
  std::size_t next;
  Inherited inherited;
};

class Walker {
 public:
  explicit Walker(const Objects& objects) : objects_(objects) {}

  PageTree run(const Object* catalog) {
    const Object* root = objects_.dictionary(catalog, "Pages");
    if (root != nullptr) enter(root, Inherited{});
    while (!path_.empty()) {
      Level& level = path_.back();
      if (level.next >= objects_.array_size(level.kids)) {
        path_.pop_back();
        continue;
      }
      if (tree_.pages.size() >= kMaxPages) {
        tree_.problems.emplace_back("the document names more than " + std::to_string(kMaxPages) +
                                    " pages; the rest was left out");
        break;
      }
      const std::size_t index = level.next++;
      const Object* kid = objects_.item(level.kids, index);
      if (!Objects::is_dictionary(kid)) {
        add_missing();
      } else {
        enter(kid, level.inherited);
      }
    }
    const std::size_t claimed = count_of(root);
    if (claimed != 0 && claimed != tree_.pages.size()) {
      tree_.problems.emplace_back("the file claims " + pages_text(claimed) + ", and " +
                                  std::to_string(tree_.pages.size()) + " could be found");
    }
    return std::move(tree_);
  }

 private:
  /// What /Count of a node claims; 0 where that makes no sense.
  std::size_t count_of(const Object* node) const {
    const double count = objects_.number(node, "Count").value_or(0);
    return count >= 1 && count <= 1e9 ? static_cast<std::size_t>(count) : 0;
  }

  static std::string pages_text(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " page" : " pages");
  }

  void add_lost_branch(const Object* node) {
    if (++lost_branches_ > kMaxLostBranches) return;
    const std::size_t count = count_of(node);
    tree_.problems.push_back(
        "a branch of the page tree is damaged and was lost" +
        (count > 0 ? ", with the " + pages_text(count) + " that it claims" : std::string()));
  }

  void add_missing() {
    PageNode node;
    node.problem = "the page's object is missing or damaged";
    tree_.pages.push_back(std::move(node));
  }

  void enter(const Object* node, const Inherited& above) {
    const Inherited own = inherit(objects_, node, above);
    const Object* kids = objects_.get(node, "Kids");
    const bool is_inner = Objects::is_array(kids) && objects_.name(node, "Type") != "Page";
    if (!is_inner) {
      if (objects_.name(node, "Type") == "Pages") return add_lost_branch(node);
      const Object* box = own.crop_box != nullptr ? own.crop_box : own.media_box;
      tree_.pages.push_back({node, own.resources, box, own.rotate, {}});
      return;
    }
    const bool cycle = std::any_of(path_.begin(), path_.end(),
                                   [node](const Level& level) { return level.node == node; });
    if (cycle) {
      tree_.problems.emplace_back(
          "a branch of the page tree leads back to itself and was left out");
    } else if (path_.size() >= kMaxDepth) {
      tree_.problems.emplace_back("the page tree is too deep; a branch was left out");
    } else if (++visits_ <= kMaxNodes) {
      path_.push_back({node, kids, 0, own});
    } else if (visits_ == kMaxNodes + 1) {
      tree_.problems.emplace_back("the page tree has too many branches; the rest was left out");
    }
  }

  const Objects& objects_;
  PageTree tree_;
  std::vector<Level> path_;
  std::size_t visits_ = 0;
  std::size_t lost_branches_ = 0;
};

std::string roman(long number) {
  struct Step {
    long value;
    const char* digits;
  };
  constexpr Step kSteps[] = {{1000, "m"}, {900, "cm"}, {500, "d"}, {400, "cd"}, {100, "c"},
                             {90, "xc"},  {50, "l"},   {40, "xl"}, {10, "x"},   {9, "ix"},
                             {5, "v"},    {4, "iv"},   {1, "i"}};
  if (number > 10'000) return std::to_string(number);
  std::string out;
  for (const Step& step : kSteps) {
    for (; number >= step.value; number -= step.value) out += step.digits;
  }
  return out;
}

/// a … z, aa … zz: the letter repeated, as ISO 32000-1, table 159, has it.
std::string letters(long number) {
  constexpr long kMostLetters = 26L * 50;
  if (number > kMostLetters) return std::to_string(number);
  return std::string(static_cast<std::size_t>((number - 1) / 26 + 1),
                     static_cast<char>('a' + (number - 1) % 26));
}

std::string upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::string numbered(const std::string& style, long number) {
  if (number < 1) return style.empty() ? std::string() : std::to_string(number);
  if (style == "D") return std::to_string(number);
  if (style == "r") return roman(number);
  if (style == "R") return upper(roman(number));
  if (style == "a") return letters(number);
  if (style == "A") return upper(letters(number));
  return {};
}

struct LabelRange {
  std::size_t first_page;
  std::string style, prefix;
  long start;
};

void collect_ranges(const Objects& objects, const Object* node, int depth, std::size_t& visits,
                    std::vector<LabelRange>& ranges) {
  constexpr int kMaxLabelDepth = 32;
  constexpr std::size_t kMaxVisits = 100'000;
  if (node == nullptr || depth > kMaxLabelDepth || ++visits > kMaxVisits) return;
  const Object* numbers = objects.get(node, "Nums");
  for (std::size_t i = 0; i + 1 < objects.array_size(numbers); i += 2) {
    if (ranges.size() >= kMaxPages) return;
    const double page = objects.number(objects.item(numbers, i)).value_or(-1);
    const Object* label = objects.item(numbers, i + 1);
    if (!(page >= 0 && page < static_cast<double>(kMaxPages))) continue;
    const double start = objects.number(label, "St").value_or(1);
    const bool sound = start >= 0 && start < 1e9;
    ranges.push_back({static_cast<std::size_t>(page), objects.name(label, "S"),
                      objects.text(objects.get(label, "P")).substr(0, 200),
                      sound ? static_cast<long>(start) : 1});
  }
  const Object* kids = objects.get(node, "Kids");
  for (std::size_t i = 0; i < objects.array_size(kids); ++i) {
    collect_ranges(objects, objects.item(kids, i), depth + 1, visits, ranges);
  }
}

}  // namespace

PageTree walk_pages(const Objects& objects, const Object* catalog) {
  return Walker(objects).run(catalog);
}

std::vector<std::string> page_labels(const Objects& objects, const Object* catalog,
                                     std::size_t page_count) {
  std::vector<std::string> labels(page_count);
  for (std::size_t i = 0; i < page_count; ++i) labels[i] = std::to_string(i + 1);
  std::vector<LabelRange> ranges;
  std::size_t visits = 0;
  collect_ranges(objects, objects.dictionary(catalog, "PageLabels"), 0, visits, ranges);
  std::stable_sort(ranges.begin(), ranges.end(), [](const LabelRange& a, const LabelRange& b) {
    return a.first_page < b.first_page;
  });
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    const std::size_t end = r + 1 < ranges.size() ? ranges[r + 1].first_page : page_count;
    for (std::size_t page = ranges[r].first_page; page < std::min(end, page_count); ++page) {
      const long number = ranges[r].start + static_cast<long>(page - ranges[r].first_page);
      std::string label = ranges[r].prefix + numbered(ranges[r].style, number);
      if (!label.empty()) labels[page] = std::move(label);
    }
  }
  return labels;
}

}  // namespace lore::ingest::pdf
