#include "ingest/pdf/optional_content.hpp"

#include <algorithm>

namespace lore::ingest::pdf {
namespace {
constexpr std::size_t kMaxGroups = 10'000;
constexpr int kMaxDepth = 16;
}  // namespace

OptionalContent::OptionalContent(const Objects& objects, const Object* catalog)
    : objects_(objects) {
  const Object* properties = objects.dictionary(catalog, "OCProperties");
  const Object* config = objects.dictionary(properties, "D");
  base_off_ = objects.name(config, "BaseState") == "OFF";
  const auto collect = [&](const char* key, std::unordered_set<const Object*>& into) {
    const Object* list = objects.get(config, key);
    const std::size_t size = std::min(objects.array_size(list), kMaxGroups);
    for (std::size_t i = 0; i < size; ++i) {
      if (const Object* group = objects.item(list, i)) into.insert(group);
    }
  };
  collect("OFF", hidden_);
  collect("ON", shown_);
}

bool OptionalContent::visible(const Object* group) const {
  group = objects_.resolve(group);
  if (!Objects::is_dictionary(group)) return true;
  const bool membership = objects_.name(group, "Type") == "OCMD";
  return membership ? membership_visible(group) : group_visible(group);
}

bool OptionalContent::group_visible(const Object* group) const {
  if (hidden_.count(group) > 0) return false;
  return !base_off_ || shown_.count(group) > 0;
}

bool OptionalContent::membership_visible(const Object* membership) const {
  const Object* expression = objects_.get(membership, "VE");
  if (Objects::is_array(expression)) return expression_visible(expression, 0);
  const Object* groups = objects_.get(membership, "OCGs");
  if (Objects::is_dictionary(groups)) return group_visible(groups);
  const std::size_t size = std::min(objects_.array_size(groups), kMaxGroups);
  std::size_t on = 0, known = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const Object* group = objects_.item(groups, i);
    if (!Objects::is_dictionary(group)) continue;
    ++known;
    if (group_visible(group)) ++on;
  }
  if (known == 0) return true;
  const std::string policy = objects_.name(membership, "P");
  if (policy == "AllOn") return on == known;
  if (policy == "AnyOff") return on < known;
  if (policy == "AllOff") return on == 0;
  return on > 0;
}

bool OptionalContent::expression_visible(const Object* expression, int depth) const {
  if (Objects::is_dictionary(expression)) return group_visible(expression);
  const std::string operation = objects_.name(objects_.item(expression, 0));
  const std::size_t size = std::min<std::size_t>(objects_.array_size(expression), 64);
  if (depth > kMaxDepth || size < 2) return true;
  if (operation == "Not") return !expression_visible(objects_.item(expression, 1), depth + 1);
  const bool all = operation == "And";
  for (std::size_t i = 1; i < size; ++i) {
    if (expression_visible(objects_.item(expression, i), depth + 1) != all) return !all;
  }
  return all;
}

}  // namespace lore::ingest::pdf
