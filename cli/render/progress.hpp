// The progress line of long runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "cli/render/style.hpp"
#include "lore/types.hpp"

namespace lore::cli {

/// The share that is done, of 1; none where nobody knows.
std::optional<double> share_of(const IndexProgress& progress);
std::optional<double> share_of(std::uint64_t done, std::uint64_t total);

/// Composes progress lines; knows when the run began.
class ProgressLine {
 public:
  explicit ProgressLine(const Style& style)
      : style_(style), start_(std::chrono::steady_clock::now()) {}

  /// "12/40 files · 830 chunks · 5210 tokens/s · 12.0 s left · manual.pdf"
  std::string of(const IndexProgress& progress) const;
  /// "3/20 questions · 5.0 s each · 1 min 25 s left"
  std::string of(std::size_t done, std::size_t total, const std::string& things) const;

 private:
  double elapsed() const;
  /// Time left by the share that is done.
  std::string left(double elapsed, double share) const;

  Style style_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace lore::cli
