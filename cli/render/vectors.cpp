#include "cli/render/vectors.hpp"

#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>

#include "lore/error.hpp"
#include "lore/json.hpp"
#include "lore/library.hpp"

namespace lore::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kHeaderAlignment = 64;  // NumPy's format version 1.0

std::string npy_header(std::size_t rows, std::size_t columns) {
  std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                           std::to_string(rows) + ", " + std::to_string(columns) + "), }";
  const std::string magic("\x93NUMPY\x01\x00", 8);
  const std::size_t fixed = magic.size() + 2;
  while ((fixed + dictionary.size() + 1) % kHeaderAlignment != 0) dictionary += ' ';
  dictionary += '\n';
  const auto length = static_cast<std::uint16_t>(dictionary.size());
  std::string header = magic;
  header += static_cast<char>(length & 0xFF);
  header += static_cast<char>(length >> 8);
  return header + dictionary;
}

std::string_view bytes_of(std::span<const float> numbers) {
  static_assert(std::endian::native == std::endian::little, "files hold little-endian numbers");
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

std::string numbers_json(std::span<const float> rows, std::size_t dimension, bool every_token) {
  if (!every_token) return to_json(rows);
  std::string text = "[";
  for (std::size_t i = 0; i < rows.size(); i += dimension) {
    if (i > 0) text += ',';
    text += to_json(rows.subspan(i, dimension));
  }
  return text + "]";
}

}  // namespace

VectorFormat parse_vector_format(std::string_view name) {
  if (name == "jsonl") return VectorFormat::jsonl;
  if (name == "npy") return VectorFormat::npy;
  if (name == "f32") return VectorFormat::f32;
  if (name == "csv") return VectorFormat::csv;
  return VectorFormat::json;
}

bool is_binary(VectorFormat format) {
  return format == VectorFormat::npy || format == VectorFormat::f32;
}

std::size_t VectorSet::tokens() const {
  return std::accumulate(items.begin(), items.end(), std::size_t{0},
                         [](std::size_t sum, const Item& item) { return sum + item.tokens; });
}

VectorWriter::VectorWriter(VectorFormat format, const VectorSet& set, ByteSink& sink)
    : format_(format), set_(set), sink_(sink) {
  if (format_ == VectorFormat::json) sink_.write("{\"object\":\"list\",\"data\":[");
  if (format_ == VectorFormat::npy) sink_.write(npy_header(set.rows(), set.dimension));
}

void VectorWriter::add(std::span<const float> vectors, std::size_t items) {
  for (std::size_t i = 0; i < items; ++i) {
    const std::size_t rows = set_.every_token ? set_.items[next_].tokens : 1;
    add_item(vectors.first(rows * set_.dimension));
    vectors = vectors.subspan(rows * set_.dimension);
    ++next_;
  }
}

void VectorWriter::add_item(std::span<const float> rows) {
  const VectorSet::Item& item = set_.items[next_];
  switch (format_) {
    case VectorFormat::json:
      sink_.write((next_ > 0 ? ",{\"object\":\"embedding\",\"index\":"
                             : "{\"object\":\"embedding\",\"index\":") +
                  std::to_string(next_) +
                  ",\"embedding\":" + numbers_json(rows, set_.dimension, set_.every_token) + "}");
      break;
    case VectorFormat::jsonl:
      sink_.write((item.id_json.empty() ? "{\"index\":" + std::to_string(next_)
                                        : "{\"id\":" + item.id_json) +
                  ",\"tokens\":" + std::to_string(item.tokens) +
                  ",\"embedding\":" + numbers_json(rows, set_.dimension, set_.every_token) + "}\n");
      break;
    case VectorFormat::csv:
      for (std::size_t i = 0; i < rows.size(); i += set_.dimension) {
        std::string line = to_json(rows.subspan(i, set_.dimension));
        line.front() = ' ';
        line.back() = '\n';
        sink_.write(std::string_view(line).substr(1));
      }
      break;
    case VectorFormat::npy:
    case VectorFormat::f32:
      sink_.write(bytes_of(rows));
      break;
  }
}

void VectorWriter::finish() {
  if (format_ != VectorFormat::json) return;
  const Json tail = {
      {"model", set_.model_name},
      {"usage", {{"prompt_tokens", set_.tokens()}, {"total_tokens", set_.tokens()}}}};
  sink_.write("]," + tail.dump(-1, ' ', false, Json::error_handler_t::replace).substr(1) + "\n");
}

std::string manifest_of(const VectorSet& set, const ModelDescription& model,
                        const std::string& pooling, const std::string& prefix, bool normalized,
                        const std::string& format, std::size_t cut) {
  Json manifest = {{"model", model.path.filename().string()},
                   {"sha256", model.sha256},
                   {"architecture", model.architecture},
                   {"pooling", pooling},
                   {"prefix", prefix},
                   {"dimension", set.dimension},
                   {"normalized", normalized},
                   {"count", set.items.size()},
                   {"rows", set.rows()},
                   {"tokens", set.tokens()},
                   {"truncated", cut},
                   {"format", format},
                   {"dtype", "float32"},
                   {"lore", version()}};
  if (set.every_token) {
    Json offsets = Json::array({0});
    std::size_t row = 0;
    for (const VectorSet::Item& item : set.items) offsets.push_back(row += item.tokens);
    manifest["offsets"] = std::move(offsets);
  }
  return manifest.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lore::cli
