#include "ingest/chunk/plan.hpp"

#include <algorithm>
#include <limits>

namespace lore::ingest {
namespace {

// The costs are relative to each other: an almost empty chunk costs kEmptiness, so a cut that costs
// less than what two fuller chunks save is taken.
constexpr double kEmptiness = 0.6;
constexpr double kStrandedHeading = 1.5;       // a heading as the last line of a chunk
constexpr double kStrandedIntroduction = 0.4;  // "…as follows:" parted from its list
constexpr std::size_t kMaxPieces = 4096;       // in one chunk, however few tokens they have

// Of starting a chunk at this break, after one that is filled by `fill` (0 … 1).
double cut_cost(Break kind, double fill) {
  switch (kind) {
    case Break::heading:
      return 0;
    case Break::page:
      return fill > 0.5 ? 0.05 : 0.3;
    case Break::paragraph:
      return 0.2;
    case Break::list_item:
      return 0.35;
    case Break::row:
      return 0.45;
    case Break::sentence:
      return 0.6;
    case Break::page_inside:
      return fill > 0.5 ? 0.4 : 0.8;
    case Break::line:
      return 0.8;
    case Break::clause:
      return 1.0;
    case Break::word:
      return 1.3;
    case Break::character:
      return 2.0;
  }
  return 2.0;
}

// Of a heading that starts a section inside a chunk: its text would stand under another's heading.
double merge_cost(int level) { return level <= 1 ? 0.7 : level == 2 ? 0.5 : 0.35; }

// Whether a section starts with `piece`.
bool starts_section(const Piece& before, const Piece& piece) {
  return piece.leads > 0 && before.leads == 0;
}

}  // namespace

std::vector<std::size_t> plan_chunks(std::span<const Piece> pieces) {
  const std::size_t count = pieces.size();
  std::vector<double> best(count + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> from(count + 1, 0);
  best[0] = 0;
  for (std::size_t first = 0; first < count; ++first) {
    const double budget = static_cast<double>(std::max<std::size_t>(pieces[first].budget, 1));
    std::size_t tokens = 0;
    double merged = 0;
    for (std::size_t last = first; last < count && last - first < kMaxPieces; ++last) {
      tokens += pieces[last].tokens;
      if (last > first && tokens > pieces[first].budget) break;
      if (last > first && starts_section(pieces[last - 1], pieces[last])) {
        merged += merge_cost(pieces[last].leads);
      }
      const double fill = std::min(1.0, static_cast<double>(tokens) / budget);
      double cost = best[first] + merged + kEmptiness * (1 - fill) * (1 - fill);
      if (last + 1 < count) {
        const bool section = starts_section(pieces[last], pieces[last + 1]);
        cost += cut_cost(section ? Break::heading : pieces[last + 1].segment.before, fill);
        if (pieces[last].leads > 0) cost += kStrandedHeading;
        if (pieces[last].introduces) cost += kStrandedIntroduction;
      }
      if (cost < best[last + 1]) {
        best[last + 1] = cost;
        from[last + 1] = first;
      }
    }
  }
  std::vector<std::size_t> starts;
  for (std::size_t end = count; end > 0; end = from[end]) starts.push_back(from[end]);
  std::reverse(starts.begin(), starts.end());
  return starts;
}

}  // namespace lore::ingest
