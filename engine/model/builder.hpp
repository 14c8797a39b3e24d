// What a model family builds its graph with: checked hyper-parameters and checked tensors of one
// GGUF file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/gguf/gguf_file.hpp"
#include "engine/graph/graph.hpp"

namespace lore::engine::model {

/// Reads `<architecture>.<key>` and tensors, and gives them to the graph. Whatever is missing, out
/// of range or of another shape than the hyper-parameters say throws Error{corrupt} that names the
/// file and the key or tensor, so that no file can make a graph whose sizes do not fit.
///
/// Thread safety: one thread at a time.
class Builder {
 public:
  explicit Builder(const gguf::GgufFile& file);

  const std::string& architecture() const { return architecture_; }
  const gguf::GgufFile& file() const { return file_; }
  graph::Graph& graph() { return graph_; }

  /// A whole number in [least, most]; the second form where the key may be absent.
  std::size_t count(std::string_view key, std::size_t least, std::size_t most) const;
  std::size_t count_or(std::string_view key, std::size_t fallback, std::size_t least,
                       std::size_t most) const;
  /// A finite number in [least, most].
  double number(std::string_view key, double least, double most) const;
  double number_or(std::string_view key, double fallback, double least, double most) const;
  std::string text_or(std::string_view key, std::string_view fallback) const;
  bool flag_or(std::string_view key, bool fallback) const;
  bool has(std::string_view key) const;

  bool has_tensor(std::string_view name) const { return file_.find(name) != nullptr; }
  /// A weight of `outputs` rows and `inputs` columns.
  graph::WeightId matrix(const std::string& name, std::size_t outputs, std::size_t inputs);
  graph::WeightId vector(const std::string& name, std::size_t size);
  /// kNone where the file has no such tensor.
  graph::WeightId vector_if_present(const std::string& name, std::size_t size);
  /// A table of at least `rows` rows.
  graph::WeightId table(const std::string& name, std::size_t rows, std::size_t columns);
  std::size_t tensor_rows(const std::string& name) const { return file_.require(name).rows(); }

  /// Throws Error{unsupported} naming the file and `what`.
  [[noreturn]] void refuse(const std::string& what) const;
  /// Throws Error{corrupt} naming the file and `what`.
  [[noreturn]] void reject(const std::string& what, const std::string& name) const;

 private:
  std::string full_key(std::string_view key) const;
  const gguf::TensorInfo& shaped(const std::string& name, std::size_t rows, std::size_t columns,
                                 bool more_rows = false) const;

  const gguf::GgufFile& file_;
  std::string architecture_;
  graph::Graph graph_;
};

/// What a family says of the model beside its graph.
struct Description {
  std::size_t layers = 0;
  std::size_t hidden_size = 0;
  std::size_t context = 0;
  std::size_t vocabulary = 0;  ///< rows of the token table
  bool causal = false;
  bool generates = false;
};

}  // namespace lore::engine::model
