#include "cli/render/progress.hpp"

namespace lore::cli {
namespace {

constexpr std::size_t kNameLength = 40;
constexpr double kSettled = 2;  // seconds before a rate says something

}  // namespace

std::optional<double> share_of(std::uint64_t done, std::uint64_t total) {
  if (total == 0) return std::nullopt;
  return static_cast<double>(done) / static_cast<double>(total);
}

std::optional<double> share_of(const IndexProgress& progress) {
  return share_of(progress.bytes_done, progress.bytes_total);
}

double ProgressLine::elapsed() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::string ProgressLine::left(double elapsed, double share) const {
  if (elapsed < kSettled || share <= 0 || share >= 1) return {};
  return std::string(style_.dot()) + human_seconds(elapsed / share - elapsed) + " left";
}

std::string ProgressLine::of(const IndexProgress& progress) const {
  const double seconds = elapsed();
  const std::string dot(style_.dot());
  std::string line = human_count(progress.files_done) + "/" + human_count(progress.files_total) +
                     " files" + dot + human_count(progress.chunks) + " chunks";
  if (seconds >= kSettled) {
    line += dot + fixed(static_cast<double>(progress.tokens) / seconds, 0) + " tokens/s";
  }
  if (const auto share = share_of(progress)) line += left(seconds, *share);
  if (!progress.current.empty()) line += dot + one_line(progress.current, kNameLength);
  return line;
}

std::string ProgressLine::of(std::size_t done, std::size_t total, const std::string& things) const {
  const double seconds = elapsed();
  std::string line = human_count(done) + "/" + human_count(total) + " " + things;
  if (done > 0) {
    line.append(style_.dot()).append(fixed(seconds / static_cast<double>(done), 1) + " s each");
  }
  if (const auto share = share_of(done, total)) line += left(seconds, *share);
  return line;
}

}  // namespace lore::cli
