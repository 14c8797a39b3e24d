#include "index/vectors/checksum.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lore::index {
namespace {

constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87ULL;
constexpr std::uint64_t kPrime2 = 0xC2B2AE3D27D4EB4FULL;
constexpr std::uint64_t kPrime3 = 0x165667B19E3779F9ULL;
constexpr std::uint64_t kPrime4 = 0x85EBCA77C2B2AE63ULL;
constexpr std::uint64_t kPrime5 = 0x27D4EB2F165667C5ULL;

// Little-endian on every machine, so that a checksum travels with its file.
template <typename Word>
std::uint64_t read(const std::byte* p) {
  Word word = 0;
  std::memcpy(&word, p, sizeof word);
  if constexpr (std::endian::native == std::endian::big) {
    Word swapped = 0;
    for (std::size_t i = 0; i < sizeof word; ++i) {
      swapped = static_cast<Word>((swapped << 8) | ((word >> (8 * i)) & 0xFF));
    }
    word = swapped;
  }
  return word;
}

std::uint64_t round(std::uint64_t lane, std::uint64_t input) {
  return std::rotl(lane + input * kPrime2, 31) * kPrime1;
}

}  // namespace

void Checksum::consume(const std::byte* stripe) {
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    lanes_[i] = round(lanes_[i], read<std::uint64_t>(stripe + 8 * i));
  }
}

void Checksum::update(std::span<const std::byte> bytes) {
  total_ += bytes.size();
  if (pending_size_ > 0) {
    const std::size_t taken = std::min(kStripe - pending_size_, bytes.size());
    std::copy_n(bytes.begin(), taken,
                pending_.begin() + static_cast<std::ptrdiff_t>(pending_size_));
    pending_size_ += taken;
    bytes = bytes.subspan(taken);
    if (pending_size_ < kStripe) return;
    consume(pending_.data());
    pending_size_ = 0;
  }
  while (bytes.size() >= kStripe) {
    consume(bytes.data());
    bytes = bytes.subspan(kStripe);
  }
  std::copy(bytes.begin(), bytes.end(), pending_.begin());
  pending_size_ = bytes.size();
}

std::uint64_t Checksum::finish() const {
  std::uint64_t hash = kPrime5;
  if (total_ >= kStripe) {
    hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) +
           std::rotl(lanes_[3], 18);
    for (const std::uint64_t lane : lanes_) hash = (hash ^ round(0, lane)) * kPrime1 + kPrime4;
  }
  hash += total_;
  const std::byte* p = pending_.data();
  const std::byte* const end = p + pending_size_;
  for (; end - p >= 8; p += 8) {
    hash = std::rotl(hash ^ round(0, read<std::uint64_t>(p)), 27) * kPrime1 + kPrime4;
  }
  for (; end - p >= 4; p += 4) {
    hash = std::rotl(hash ^ (read<std::uint32_t>(p) * kPrime1), 23) * kPrime2 + kPrime3;
  }
  for (; p != end; ++p) {
    hash = std::rotl(hash ^ (std::to_integer<std::uint64_t>(*p) * kPrime5), 11) * kPrime1;
  }
  hash = (hash ^ (hash >> 33)) * kPrime2;
  hash = (hash ^ (hash >> 29)) * kPrime3;
  return hash ^ (hash >> 32);
}

}  // namespace lore::index
