// Vectors as JSON, JSON lines, .npy, raw float32 and CSV, and the manifest beside a file of them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.hpp"
#include "lore/types.hpp"

namespace lore::cli {

enum class VectorFormat { json, jsonl, npy, f32, csv };

/// The name must be one of those of --format.
VectorFormat parse_vector_format(std::string_view name);
bool is_binary(VectorFormat format);

/// Takes bytes: standard output, or a file that appears whole or not at all.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::string_view bytes) = 0;
  /// Makes the file durable and gives it its name. Throws Error{no_space, io}.
  virtual void finish() = 0;
  /// Whether a manifest belongs beside it.
  virtual bool is_file() const = 0;
  /// The manifest, which finish() writes and names with the file.
  virtual void write_beside(std::string_view manifest) = 0;
};

/// Standard output for an empty path. Throws Error{read_only, not_found, io}.
std::unique_ptr<ByteSink> open_sink(const std::filesystem::path& path, Console& console);

/// What is going to be written, known before the first vector.
struct VectorSet {
  struct Item {
    std::string id_json;  ///< "" where it has none
    std::size_t tokens = 0;
  };
  std::string model_name;
  std::size_t dimension = 0;
  bool every_token = false;  ///< pooling none: a row for each token
  std::vector<Item> items;

  std::size_t tokens() const;
  std::size_t rows() const { return every_token ? tokens() : items.size(); }
};

/// Writes vectors in the order of the set's items.
class VectorWriter {
 public:
  /// Writes what stands before the first vector. `set` and `sink` must outlive it.
  VectorWriter(VectorFormat format, const VectorSet& set, ByteSink& sink);

  /// The vectors of the next `items` items: [rows of them, dimension], row-major, float32.
  void add(std::span<const float> vectors, std::size_t items);
  /// Writes what stands after the last vector.
  void finish();

 private:
  void add_item(std::span<const float> rows);

  VectorFormat format_;
  const VectorSet& set_;
  ByteSink& sink_;
  std::size_t next_ = 0;
};

/// The manifest: one JSON object. `cut`: how many texts --truncate shortened.
std::string manifest_of(const VectorSet& set, const ModelDescription& model,
                        const std::string& pooling, const std::string& prefix, bool normalized,
                        const std::string& format, std::size_t cut);

}  // namespace lore::cli
