// Layers: which parts of a page are switched off.
#pragma once

#include <unordered_set>

#include "ingest/pdf/objects.hpp"

namespace lore::ingest::pdf {

/// The default configuration of the document's optional content groups.
/// Source: ISO 32000-1, section 8.11.
class OptionalContent {
 public:
  OptionalContent(const Objects& objects, const Object* catalog);

  /// Whether what a group or a membership dictionary governs is shown.
  bool visible(const Object* group) const;

 private:
  bool group_visible(const Object* group) const;
  bool membership_visible(const Object* membership) const;
  bool expression_visible(const Object* expression, int depth) const;

  const Objects& objects_;
  std::unordered_set<const Object*> hidden_;
  std::unordered_set<const Object*> shown_;
  bool base_off_ = false;
};

}  // namespace lore::ingest::pdf
