#include <algorithm>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/convert/bert_folder.hpp"
#include "engine/convert/safetensors.hpp"
#include "engine/convert/vocabulary.hpp"
#include "engine/engine.hpp"
#include "engine/gguf/writer.hpp"
#include "engine/quant/quantize.hpp"
#include "engine/tensor/dtype.hpp"
#include "lore/error.hpp"

namespace lore::engine {
namespace {

using convert::SafeTensor;
using convert::SafetensorsFile;
using convert::TensorPlan;

struct Target {
  DType type;
  std::uint64_t file_type;  // general.file_type
};

Target parse_target(std::string_view type) {
  if (type == "f32") return {DType::f32, 0};
  if (type == "f16") return {DType::f16, 1};
  if (type == "q8_0") return {DType::q8_0, 7};
  throw Error(ErrorCode::invalid_argument,
              "unknown type \"" + std::string(type) + "\"; choose f32, f16 or q8_0",
              std::string(type));
}

struct Source {
  const SafetensorsFile* file;
  const SafeTensor* tensor;
};

std::string without_prefix(const std::string& name) {
  return name.rfind("bert.", 0) == 0 ? name.substr(5) : name;
}

/// All tensors of the folder by the names of the plan. LayerNorm parameters were once called gamma
/// and beta.
std::map<std::string, Source> collect(const std::vector<SafetensorsFile>& files) {
  std::map<std::string, Source> sources;
  for (const SafetensorsFile& file : files) {
    for (const SafeTensor& tensor : file.tensors()) {
      std::string name = without_prefix(tensor.name);
      if (convert::is_ignored(name)) continue;
      if (name.ends_with("LayerNorm.gamma")) name.replace(name.size() - 5, 5, "weight");
      if (name.ends_with("LayerNorm.beta")) name.replace(name.size() - 4, 4, "bias");
      if (!sources.emplace(name, Source{&file, &tensor}).second) {
        throw Error(ErrorCode::corrupt,
                    file.path().string() + ": tensor " + tensor.name +
                        " is there twice under this or a like name",
                    tensor.name);
      }
    }
  }
  return sources;
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const std::size_t size : shape) {
    text += (text.empty() ? "" : " x ") + std::to_string(size);
  }
  return text.empty() ? "a single value" : text;
}

/// The stored type of a tensor: rows that are not whole blocks stay at half precision.
DType stored_type(const TensorPlan& plan, DType wanted) {
  if (!plan.matrix) return DType::f32;
  if (plan.shape.back() % block_shape(wanted).values != 0) return DType::f16;
  return wanted;
}

void add(const TensorPlan& plan, const Source& source, DType wanted, gguf::Writer& writer) {
  if (source.tensor->shape != plan.shape) {
    throw Error(ErrorCode::corrupt,
                source.file->path().string() + ": tensor " + source.tensor->name + " is " +
                    shape_text(source.tensor->shape) + ", and config.json asks for " +
                    shape_text(plan.shape),
                source.tensor->name);
  }
  const DType type = stored_type(plan, wanted);
  const std::vector<float> values = source.file->read_floats(*source.tensor);
  const std::size_t columns = plan.shape.back();
  const std::size_t bytes_a_row = row_bytes(type, columns);
  std::vector<std::byte> bytes(values.size() / columns * bytes_a_row);
  for (std::size_t row = 0; row * columns < values.size(); ++row) {
    quantize_row(type, values.data() + row * columns, columns, bytes.data() + row * bytes_a_row);
  }
  writer.add_tensor(plan.name, type, {plan.shape.rbegin(), plan.shape.rend()}, bytes);
}

std::string folder_name(const std::filesystem::path& folder) {
  const std::filesystem::path absolute = std::filesystem::absolute(folder).lexically_normal();
  return absolute.has_filename() ? absolute.filename().string()
                                 : absolute.parent_path().filename().string();
}

}  // namespace

void convert_safetensors(const std::filesystem::path& folder, const std::filesystem::path& out,
                         std::string_view type) {
  const Target target = parse_target(type);
  const convert::BertConfig config = convert::read_bert_config(folder);
  const std::vector<SafetensorsFile> files = convert::open_weights(folder);
  std::map<std::string, Source> sources = collect(files);
  if (config.layers > sources.size()) {
    throw Error(ErrorCode::corrupt,
                folder.string() + ": config.json tells of " + std::to_string(config.layers) +
                    " layers, and there are only " + std::to_string(sources.size()) + " tensors",
                "num_hidden_layers");
  }

  gguf::Writer writer;
  writer.set("general.architecture", std::string("bert"));
  writer.set("general.type", std::string("model"));
  writer.set("general.name", folder_name(folder));
  writer.set("general.file_type", target.file_type);
  writer.set("general.quantization_version", std::uint64_t{2});
  convert::set_model_keys(folder, config, writer);
  for (const TensorPlan& plan : convert::plan_tensors(config)) {
    const auto found = sources.find(plan.source);
    if (found == sources.end()) {
      throw Error(ErrorCode::corrupt, folder.string() + " lacks the tensor " + plan.source,
                  plan.source);
    }
    add(plan, found->second, target.type, writer);
    sources.erase(found);
  }
  if (!sources.empty()) {
    throw Error(ErrorCode::unsupported,
                folder.string() + ": the tensor " + sources.begin()->first +
                    " is none of a plain BERT encoder, so this model cannot be converted",
                sources.begin()->first);
  }
  // After the tensors: by now the size of the vocabulary is known to be true.
  convert::set_vocabulary(folder, config.vocabulary, writer);
  writer.write(out);
}

}  // namespace lore::engine
