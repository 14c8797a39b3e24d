#include "engine/sequences.hpp"

#include <algorithm>
#include <chrono>

namespace lore::engine {
namespace {

/// Tokens of a prefix in the making from which waiting for it is better than computing it again.
constexpr std::size_t kWorthWaiting = 32;
constexpr std::chrono::milliseconds kPatience{50};  // between two questions whether to go on

std::size_t common_prefix(std::span<const TokenId> a, std::span<const TokenId> b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                  a.begin());
}

}  // namespace

Sequences::Sequences(const KvShape& shape, std::size_t count)
    : entries_(count, Entry{KvCache(shape), {}, {}, false}) {}

/// Whether a thread is computing a longer prefix of the prompt than any sequence holds.
bool Sequences::is_worth_waiting(std::span<const TokenId> prompt) const {
  std::size_t held = 0;
  std::size_t planned = 0;
  for (const Entry& entry : entries_) {
    held = std::max(held, common_prefix(prompt, entry.held));
    if (entry.in_use) planned = std::max(planned, common_prefix(prompt, entry.planned));
  }
  return planned >= held + kWorthWaiting;
}

std::optional<Sequences::Lease> Sequences::begin(std::span<const TokenId> prompt,
                                                 const std::function<bool()>& keep_going) {
  // The last token is always computed.
  const std::span<const TokenId> wanted = prompt.first(prompt.size() - 1);
  std::unique_lock lock(mutex_);
  const auto is_free = [](const Entry& entry) { return !entry.in_use; };
  while (std::none_of(entries_.begin(), entries_.end(), is_free) || is_worth_waiting(wanted)) {
    if (keep_going && !keep_going()) return std::nullopt;
    changed_.wait_for(lock, kPatience);
  }
  std::size_t best = 0;  // of all, in use or not
  std::size_t mine = entries_.size();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const std::size_t here = common_prefix(wanted, entries_[i].held);
    if (here > common_prefix(wanted, entries_[best].held)) best = i;
    if (entries_[i].in_use) continue;
    // Of the free ones that whose prefix fits best; else the emptiest, so that the others stay.
    if (mine == entries_.size()) {
      mine = i;
      continue;
    }
    const std::size_t so_far = common_prefix(wanted, entries_[mine].held);
    if (here > so_far || (here == so_far && entries_[i].held.size() < entries_[mine].held.size())) {
      mine = i;
    }
  }
  Entry& entry = entries_[mine];
  const std::size_t shared = common_prefix(wanted, entries_[best].held);
  if (shared > common_prefix(wanted, entry.held)) {
    entry.held.clear();  // so that a failure on the way leaves what is true
    entry.cache.take_prefix(entries_[best].cache, shared);
    entry.held.assign(wanted.begin(), wanted.begin() + static_cast<std::ptrdiff_t>(shared));
  } else {
    entry.held.resize(shared);
  }
  entry.planned.assign(prompt.begin(), prompt.end());
  entry.in_use = true;
  return Lease(*this, mine);
}

void Sequences::clear() {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    if (!entry.in_use) entry.held.clear();
  }
}

void Sequences::release(std::size_t index) {
  const std::lock_guard lock(mutex_);
  entries_[index].in_use = false;
  entries_[index].planned.clear();
  changed_.notify_all();
}

void Sequences::prepare(std::size_t index, std::size_t count) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[index];
  entry.cache.prepare(entry.held.size(), entry.held.size() + count);
}

void Sequences::extend(std::size_t index, std::span<const TokenId> tokens) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[index];
  entry.held.insert(entry.held.end(), tokens.begin(), tokens.end());
  // Whoever waits for the prompt wants its beginning; past it there is nothing to wait for.
  if (!entry.planned.empty()) changed_.notify_all();
  if (entry.held.size() >= entry.planned.size()) entry.planned.clear();
}

}  // namespace lore::engine
