#include "engine/tokenizer/string_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lore::engine {
namespace {

constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15U;  // 2^64 divided by the golden ratio

std::uint64_t load(const char* bytes, std::size_t count) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, count);
  return word;
}

/// Eight bytes a step; good enough to keep probe chains short, and fast on words of a few bytes.
std::uint32_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = text.size() * kMultiplier;
  const char* bytes = text.data();
  std::size_t left = text.size();
  for (; left >= 8; left -= 8, bytes += 8) {
    hash = (std::rotl(hash, 23) ^ load(bytes, 8)) * kMultiplier;
  }
  if (left > 0) hash = (std::rotl(hash, 23) ^ load(bytes, left)) * kMultiplier;
  return static_cast<std::uint32_t>((hash ^ (hash >> 29)) * kMultiplier >> 32);
}

}  // namespace

void StringTable::reserve(std::size_t count, std::size_t bytes) {
  ends_.reserve(count);
  bytes_.reserve(bytes);
  const std::size_t wanted = std::bit_ceil(std::max<std::size_t>(2 * count, 16));
  if (wanted > slots_.size() && used_ == 0) slots_.assign(wanted, {});
}

void StringTable::add(std::string_view text) {
  bytes_.append(text);
  ends_.push_back(static_cast<std::uint32_t>(bytes_.size()));
}

void StringTable::index(std::int32_t number) {
  const std::string_view text = (*this)[static_cast<std::size_t>(number)];
  if (text.empty() || find(text) != kNone) return;
  if (2 * (used_ + 1) > slots_.size()) grow();
  place({hash_of(text), number});
  ++used_;
  longest_ = std::max(longest_, text.size());
}

void StringTable::place(Slot slot) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t probe = 0; probe < kMostProbes; ++probe) {
    Slot& here = slots_[(slot.hash + probe) & mask];
    if (here.number != kNone) continue;
    here = slot;
    return;
  }
  throw CrowdedTable();
}

void StringTable::grow() {
  std::vector<Slot> old(std::max<std::size_t>(2 * slots_.size(), 16));
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.number != kNone) place(slot);
  }
}

std::int32_t StringTable::find(std::string_view text) const noexcept {
  if (slots_.empty()) return kNone;
  const std::uint32_t hash = hash_of(text);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t probe = 0; probe < kMostProbes; ++probe) {
    const Slot& slot = slots_[(hash + probe) & mask];
    if (slot.number == kNone) return kNone;
    if (slot.hash == hash && (*this)[static_cast<std::size_t>(slot.number)] == text) {
      return slot.number;
    }
  }
  return kNone;
}

}  // namespace lore::engine
