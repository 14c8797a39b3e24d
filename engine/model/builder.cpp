#include "engine/model/builder.hpp"

#include <cmath>

#include "lore/error.hpp"

namespace lore::engine::model {

using graph::WeightId;
using graph::WeightRole;

Builder::Builder(const gguf::GgufFile& file)
    : file_(file), architecture_(file.metadata().require_string("general.architecture")) {}

std::string Builder::full_key(std::string_view key) const {
  return architecture_ + "." + std::string(key);
}

void Builder::refuse(const std::string& what) const {
  throw Error(ErrorCode::unsupported, file_.path().string() + ": " + what, architecture_);
}

void Builder::reject(const std::string& what, const std::string& name) const {
  throw Error(ErrorCode::corrupt, file_.path().string() + ": " + what, name);
}

bool Builder::has(std::string_view key) const { return file_.metadata().has(full_key(key)); }

std::size_t Builder::count(std::string_view key, std::size_t least, std::size_t most) const {
  const std::string name = full_key(key);
  const std::uint64_t value = file_.metadata().require_unsigned(name);
  if (value < least || value > most) {
    reject("key " + name + " is " + std::to_string(value) + ", which is not between " +
               std::to_string(least) + " and " + std::to_string(most),
           name);
  }
  return static_cast<std::size_t>(value);
}

std::size_t Builder::count_or(std::string_view key, std::size_t fallback, std::size_t least,
                              std::size_t most) const {
  return has(key) ? count(key, least, most) : fallback;
}

double Builder::number(std::string_view key, double least, double most) const {
  const std::string name = full_key(key);
  const std::optional<double> value = file_.metadata().get_float(name);
  if (!value) reject("key " + name + " is missing", name);
  if (!(*value >= least && *value <= most)) {
    reject("key " + name + " is " + std::to_string(*value) + ", which makes no sense", name);
  }
  return *value;
}

double Builder::number_or(std::string_view key, double fallback, double least, double most) const {
  return has(key) ? number(key, least, most) : fallback;
}

std::string Builder::text_or(std::string_view key, std::string_view fallback) const {
  return file_.metadata().get_string(full_key(key)).value_or(std::string(fallback));
}

bool Builder::flag_or(std::string_view key, bool fallback) const {
  return file_.metadata().get_bool(full_key(key)).value_or(fallback);
}

const gguf::TensorInfo& Builder::shaped(const std::string& name, std::size_t rows,
                                        std::size_t columns, bool more_rows) const {
  const gguf::TensorInfo& tensor = file_.require(name);
  const bool fits =
      tensor.columns() == columns && (more_rows ? tensor.rows() >= rows : tensor.rows() == rows);
  if (!fits) {
    reject("tensor " + name + " is " + std::to_string(tensor.columns()) + " x " +
               std::to_string(tensor.rows()) + " where the model's sizes ask for " +
               std::to_string(columns) + " x " + std::to_string(rows),
           name);
  }
  return tensor;
}

WeightId Builder::matrix(const std::string& name, std::size_t outputs, std::size_t inputs) {
  return graph_.weight(shaped(name, outputs, inputs), WeightRole::matrix);
}

WeightId Builder::vector(const std::string& name, std::size_t size) {
  return graph_.weight(shaped(name, 1, size), WeightRole::vector);
}

WeightId Builder::vector_if_present(const std::string& name, std::size_t size) {
  return has_tensor(name) ? vector(name, size) : graph::kNone;
}

WeightId Builder::table(const std::string& name, std::size_t rows, std::size_t columns) {
  return graph_.weight(shaped(name, rows, columns, true), WeightRole::table);
}

}  // namespace lore::engine::model
