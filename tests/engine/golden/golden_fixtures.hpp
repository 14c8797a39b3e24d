// Golden data, models and measures for the tests of the whole engine.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.hpp"

namespace lore::test {

/// An array of a .npy file: one or two dimensions, float32, row-major.
struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;  // [rows, columns]
  std::span<const float> row(std::size_t index) const {
    return std::span(values).subspan(index * columns, columns);
  }
};

/// Throws where the file is not what the golden data hold.
Matrix read_npy(const std::filesystem::path& path);

/// The kernel table that this machine chooses for itself.
inline constexpr std::string_view kWidest = "auto";
/// Names of the kernel tables that this machine runs, each table once: kWidest first.
std::vector<std::string> kernel_names();

/// Whether every test is to run on every table (LORE_TEST_FULL=1).
bool full_run();

/// The pool that the tests of this program share: all threads.
ThreadPool& shared_pool();

/// Loads a model file for these kernels.
std::shared_ptr<const engine::Model> load_model(const std::filesystem::path& path,
                                                std::string_view kernels = kWidest);

/// Natural-log probabilities of a row of logits.
std::vector<double> log_softmax(std::span<const float> logits);

/// KL(exact || other) in nats, of two rows of log-probabilities.
double divergence(std::span<const double> exact, std::span<const double> other);

double cosine(std::span<const float> a, std::span<const float> b);
double norm(std::span<const float> vector);
/// Largest |difference| of two vectors.
double largest_difference(std::span<const float> a, std::span<const float> b);
/// The index of the largest value.
std::size_t best(std::span<const float> logits);

}  // namespace lore::test
