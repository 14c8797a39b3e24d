#include "index/retrieve/fusion.hpp"

#include <algorithm>
#include <map>

namespace lore::index {

std::vector<Fused> fuse(std::span<const std::int64_t> by_vector,
                        std::span<const std::int64_t> by_text) {
  std::map<std::int64_t, Fused> all;
  const auto add = [&](std::span<const std::int64_t> list, auto member) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      Fused& entry = all[list[i]];
      entry.id = list[i];
      entry.*member = i + 1;
      entry.score += 1.0 / (kFusionConstant + static_cast<double>(i + 1));
    }
  };
  add(by_vector, &Fused::vector_rank);
  add(by_text, &Fused::text_rank);
  std::vector<Fused> result;
  for (const auto& [id, entry] : all) result.push_back(entry);
  std::stable_sort(result.begin(), result.end(),
                   [](const Fused& a, const Fused& b) { return a.score > b.score; });
  return result;
}

}  // namespace lore::index
