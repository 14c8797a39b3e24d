// Names and times of answers.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace lore::cli::serve {

/// `prefix` and 24 random characters.
inline std::string random_id(std::string_view prefix) {
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::random_device random;
  std::string id(prefix);
  for (int i = 0; i < 24; ++i) id += kDigits[random() % kDigits.size()];
  return id;
}

inline std::int64_t seconds_since_epoch() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace lore::cli::serve
