#include "tests/engine/golden/golden_fixtures.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "base/file.hpp"
#include "lore/error.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::test {

using engine::Model;

Matrix read_npy(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  const std::size_t header_end = bytes.find('\n');
  const std::string header = bytes.substr(0, header_end);
  const std::size_t shape = header.find("'shape': (");
  if (!bytes.starts_with("\x93NUMPY") || header.find("'<f4'") == std::string::npos ||
      header.find("'fortran_order': False") == std::string::npos || shape == std::string::npos) {
    throw std::runtime_error("not a float32 array in C order: " + path.string());
  }
  Matrix matrix;
  char* end = nullptr;
  const std::size_t first = std::strtoull(header.c_str() + shape + 10, &end, 10);
  const std::size_t second = *end == ',' ? std::strtoull(end + 1, nullptr, 10) : 0;
  matrix.rows = second == 0 ? 1 : first;
  matrix.columns = second == 0 ? first : second;
  matrix.values.resize(matrix.rows * matrix.columns);
  const std::size_t size = matrix.values.size() * sizeof(float);
  if (bytes.size() - header_end - 1 != size) {
    throw std::runtime_error("cut short: " + path.string());
  }
  std::memcpy(matrix.values.data(), bytes.data() + header_end + 1, size);
  return matrix;
}

std::vector<std::string> kernel_names() {
  const auto tiny = shared_data("gguf/stories260K.gguf");
  if (!tiny) return {std::string(kWidest)};
  const std::string widest = load_model(*tiny, kWidest)->info().kernels;
  std::vector<std::string> names = {std::string(kWidest)};
  for (const char* name : {"scalar", "sse41", "avx2", "avxvnni", "avx512", "amx", "neon"}) {
    try {
      if (load_model(*tiny, name)->info().kernels != widest) names.emplace_back(name);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported) throw;
    }
  }
  return names;
}

bool full_run() {
  const char* value = std::getenv("LORE_TEST_FULL");
  return value != nullptr && std::string_view(value) == "1";
}

ThreadPool& shared_pool() {
  static ThreadPool pool;
  return pool;
}

std::shared_ptr<const Model> load_model(const std::filesystem::path& path,
                                        std::string_view kernels) {
  engine::ModelOptions options;
  options.kernels = kernels;
  return Model::load(path, shared_pool(), options);
}

std::vector<double> log_softmax(std::span<const float> logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - largest);
  const double shift = largest + std::log(sum);
  std::vector<double> result;
  result.reserve(logits.size());
  for (const float logit : logits) result.push_back(logit - shift);
  return result;
}

double divergence(std::span<const double> exact, std::span<const double> other) {
  double sum = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    sum += std::exp(exact[i]) * (exact[i] - other[i]);
  }
  return sum;
}

double norm(std::span<const float> vector) {
  double sum = 0;
  for (const float value : vector) sum += double{value} * value;
  return std::sqrt(sum);
}

double cosine(std::span<const float> a, std::span<const float> b) {
  double product = 0;
  for (std::size_t i = 0; i < a.size(); ++i) product += double{a[i]} * b[i];
  return product / (norm(a) * norm(b));
}

double largest_difference(std::span<const float> a, std::span<const float> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(double{a[i]} - b[i]));
  }
  return largest;
}

std::size_t best(std::span<const float> logits) {
  return static_cast<std::size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

}  // namespace lore::test
