#include "pipeline/runtime.hpp"

#include <algorithm>
#include <utility>

#include "lore/error.hpp"
#include "pipeline/model_files.hpp"

namespace lore::pipeline {

Runtime::Runtime(LibraryOptions options)
    : options_(std::move(options)),
      pool_(options_.threads),
      generator_(pool_, std::max<std::size_t>(options_.together, 1)) {}

void Runtime::say_once(Severity severity, std::string_view message) {
  {
    const std::lock_guard lock(mutex_);
    if (!said_.emplace(message).second) return;
  }
  if (options_.messages) options_.messages(severity, message);
}

LogSink Runtime::log() const {
  if (!options_.messages) return {};
  return [sink = options_.messages](LogLevel level, std::string_view message) {
    const Severity severity = level == LogLevel::debug  ? Severity::debug
                              : level == LogLevel::info ? Severity::info
                                                        : Severity::warning;
    sink(severity, message);
  };
}

std::shared_ptr<const engine::Model> Runtime::load(const std::string& name_or_path) {
  const std::filesystem::path path =
      require_model(name_or_path, options_.models, options_.get_models);
  const std::lock_guard lock(mutex_);
  std::weak_ptr<const engine::Model>& known = models_[path];
  std::shared_ptr<const engine::Model> model = known.lock();
  if (!model) {
    model = engine::Model::load(path, pool_, {.kernels = options_.kernels});
    known = model;
  }
  return model;
}

index::ModelFingerprint fingerprint_of(const std::string& name, const engine::Model& model,
                                       const engine::Embedder& embedder, bool normalized) {
  const engine::ModelInfo& info = model.info();
  return {.name = name,
          .sha256 = model.sha256(),
          .architecture = info.architecture,
          .pooling = std::string(engine::pooling_name(embedder.pooling())),
          .query_prefix = info.query_prefix,
          .passage_prefix = info.passage_prefix,
          .dimension = embedder.dimension(),
          .normalized = normalized};
}

std::unique_ptr<engine::Embedder> embedder_of(Runtime& runtime,
                                              const index::ModelFingerprint& fingerprint,
                                              const std::filesystem::path& index_folder,
                                              const std::string& elsewhere) {
  const std::string name = elsewhere.empty() ? fingerprint.name : elsewhere;
  const std::shared_ptr<const engine::Model> model = runtime.load(name);
  if (model->sha256() != fingerprint.sha256) {
    throw Error(ErrorCode::mismatch,
                "the index " + index_folder.string() + " was made with the model " +
                    fingerprint.name + " (SHA-256 " + fingerprint.sha256.substr(0, 12) +
                    "…), and " + model->info().path.string() +
                    " is another one; name the right file by --embed-model, or index again into "
                    "another --index",
                index_folder.string());
  }
  return engine::Embedder::create(
      model, runtime.pool(),
      {.pooling = engine::parse_pooling(fingerprint.pooling), .normalize = fingerprint.normalized});
}

ModelDescription describe(const engine::Model& model, bool with_hash) {
  const engine::ModelInfo& info = model.info();
  ModelDescription description;
  description.path = info.path;
  if (with_hash) description.sha256 = model.sha256();
  description.architecture = info.architecture;
  description.name = info.name;
  description.quantization = info.quantization;
  description.tensor_types = info.tensor_types;
  description.file_bytes = info.file_bytes;
  description.parameters = info.parameters;
  description.layers = info.layers;
  description.hidden_size = info.hidden_size;
  description.context = info.context;
  description.vocabulary = info.vocabulary;
  description.generates = info.generates;
  description.pooling = engine::pooling_name(info.default_pooling);
  description.query_prefix = info.query_prefix;
  description.passage_prefix = info.passage_prefix;
  description.kernels = info.kernels;
  description.has_chat_template = info.has_chat_template;
  return description;
}

}  // namespace lore::pipeline
