// Merging neighbours by priority: the heart of both kinds of byte pair encoding.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/tokenizer/tokenizer.hpp"

namespace lore::engine {

/// A stretch of a word and the token that it is (or a number that the caller understands).
struct Symbol {
  std::uint32_t begin;
  std::uint32_t end;
  TokenId id;
};

/// What becomes of two neighbours. The lowest priority is merged first, the leftmost among equals.
struct Merge {
  static constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t priority = kNever;
  TokenId id = -1;
};

/// Memory that is used again from word to word. Thread safety: one thread at a time.
struct MergeScratch {
  struct Candidate {
    std::uint32_t priority;
    std::uint32_t left;
    std::uint32_t right;
    std::uint32_t end;  ///< of the right symbol when this was found; another one now: outdated
    TokenId id;

    bool operator<(const Candidate& other) const noexcept {  // a queue's top is the greatest
      return priority != other.priority ? priority > other.priority : left > other.left;
    }
  };
  std::vector<Merge> merges;
  std::vector<std::uint32_t> previous;
  std::vector<std::uint32_t> next;
  std::vector<Candidate> heap;
};

namespace merging {

/// For words of a few symbols, that is for nearly all: looks through all pairs at every step.
template <typename Lookup>
void merge_short(std::vector<Symbol>& symbols, const Lookup& lookup, std::vector<Merge>& merges) {
  merges.clear();
  for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
    merges.push_back(lookup(symbols[i], symbols[i + 1]));
  }
  for (;;) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < merges.size(); ++i) {
      if (merges[i].priority < merges[best].priority) best = i;
    }
    if (merges.empty() || merges[best].priority == Merge::kNever) return;
    symbols[best].end = symbols[best + 1].end;
    symbols[best].id = merges[best].id;
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    merges.erase(merges.begin() + static_cast<std::ptrdiff_t>(best));
    if (best > 0) merges[best - 1] = lookup(symbols[best - 1], symbols[best]);
    if (best + 1 < symbols.size()) merges[best] = lookup(symbols[best], symbols[best + 1]);
  }
}

/// For long words: a priority queue over a linked list, O(n log n).
template <typename Lookup>
void merge_long(std::vector<Symbol>& symbols, const Lookup& lookup, MergeScratch& scratch) {
  constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();
  const auto count = static_cast<std::uint32_t>(symbols.size());
  scratch.previous.resize(count);
  scratch.next.resize(count);
  scratch.heap.clear();
  const auto candidate = [&](std::uint32_t left, std::uint32_t right,
                             std::vector<MergeScratch::Candidate>& to) {
    const Merge merge = lookup(symbols[left], symbols[right]);
    if (merge.priority == Merge::kNever) return false;
    to.push_back({merge.priority, left, right, symbols[right].end, merge.id});
    return true;
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    scratch.previous[i] = i == 0 ? kEnd : i - 1;
    scratch.next[i] = i + 1 == count ? kEnd : i + 1;
    if (i + 1 < count) candidate(i, i + 1, scratch.heap);
  }
  std::make_heap(scratch.heap.begin(), scratch.heap.end());
  const auto push = [&](std::uint32_t left, std::uint32_t right) {
    if (left == kEnd || right == kEnd || !candidate(left, right, scratch.heap)) return;
    std::push_heap(scratch.heap.begin(), scratch.heap.end());
  };
  while (!scratch.heap.empty()) {
    std::pop_heap(scratch.heap.begin(), scratch.heap.end());
    const MergeScratch::Candidate best = scratch.heap.back();
    scratch.heap.pop_back();
    Symbol& left = symbols[best.left];
    Symbol& right = symbols[best.right];
    // A symbol that was merged away is empty; one that grew moved its neighbour or its end.
    const bool outdated = left.begin == left.end || right.begin == right.end ||
                          scratch.next[best.left] != best.right || right.end != best.end;
    if (outdated) continue;
    left.end = right.end;
    left.id = best.id;
    right.begin = right.end;
    scratch.next[best.left] = scratch.next[best.right];
    if (scratch.next[best.left] != kEnd) scratch.previous[scratch.next[best.left]] = best.left;
    push(scratch.previous[best.left], best.left);
    push(best.left, scratch.next[best.left]);
  }
  std::erase_if(symbols, [](const Symbol& symbol) { return symbol.begin == symbol.end; });
}

}  // namespace merging

/// Merges the symbols of a word (neighbours, none empty) until `lookup(left, right)`, a Merge,
/// finds no pair any more.
template <typename Lookup>
void merge_symbols(std::vector<Symbol>& symbols, const Lookup& lookup, MergeScratch& scratch) {
  constexpr std::size_t kShort = 48;
  if (symbols.size() <= kShort) {
    merging::merge_short(symbols, lookup, scratch.merges);
  } else {
    merging::merge_long(symbols, lookup, scratch);
  }
}

}  // namespace lore::engine
