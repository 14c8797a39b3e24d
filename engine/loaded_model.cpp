#include "engine/loaded_model.hpp"

#include <algorithm>
#include <map>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "engine/family_defaults.hpp"
#include "engine/model/builder.hpp"
#include "engine/model/registry.hpp"
#include "lore/error.hpp"

namespace lore::engine {
namespace {

constexpr std::string_view kChatTemplateKey = "tokenizer.chat_template";

/// Of one file its hash; of a split model's files that of all their bytes in order.
std::string hash_of(std::span<const std::filesystem::path> parts) {
  if (parts.size() == 1) return sha256_of_file(parts[0]);
  Sha256 hash;
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  for (const std::filesystem::path& part : parts) {
    FileReader reader(part);
    for (std::size_t n = reader.read(buffer); n != 0; n = reader.read(buffer)) {
      hash.update(std::span(buffer).first(n));
    }
  }
  return hash.finish();
}

std::string token_text(const Tokenizer& tokenizer, std::optional<TokenId> id) {
  return id ? std::string(tokenizer.token(*id)) : std::string();
}

}  // namespace

LoadedModel::LoadedModel(const std::filesystem::path& path, ThreadPool& pool,
                         const ModelOptions& options)
    : file_(gguf::GgufFile::open(path)), backend_(create_cpu_backend(options.kernels)) {
  model::Builder builder(file_);
  const model::Description description = model::build_graph(builder);
  tokenizer_ = Tokenizer::from_metadata(file_.metadata());
  if (tokenizer_->size() > description.vocabulary) {
    builder.reject("the tokenizer has " + std::to_string(tokenizer_->size()) +
                       " tokens, but token_embd.weight only " +
                       std::to_string(description.vocabulary) + " rows",
                   "token_embd.weight");
  }
  info_.layers = description.layers;
  info_.hidden_size = description.hidden_size;
  info_.context = description.context;
  info_.vocabulary = description.vocabulary;
  info_.causal = description.causal;
  info_.generates = description.generates;
  describe();
  graph::Program program = graph::build_program(
      builder.graph(), [this](std::size_t width, std::span<const DType> readers) {
        return backend_->prepared_row_bytes(width, readers);
      });
  executable_ = backend_->prepare(std::move(program), file_, pool);
}

void LoadedModel::describe() {
  const gguf::Metadata& metadata = file_.metadata();
  info_.path = file_.path();
  info_.architecture = metadata.require_string("general.architecture");
  info_.name = metadata.get_string("general.name").value_or(file_.path().stem().string());
  info_.file_bytes = file_.size_bytes();
  info_.kernels = backend_->name();
  info_.has_chat_template = metadata.has(kChatTemplateKey);
  std::map<std::string, std::pair<std::size_t, std::uint64_t>> types;  // tensors, bytes
  for (const gguf::TensorInfo& tensor : file_.tensors()) {
    auto& [tensors, bytes] = types[std::string(dtype_name(tensor.type))];
    ++tensors;
    bytes += tensor.data.size();
    info_.parameters += std::uint64_t{tensor.rows()} * tensor.columns();
  }
  std::uint64_t most = 0;
  for (const auto& [type, counts] : types) {
    info_.tensor_types.emplace_back(type, counts.first);
    if (counts.second > most) info_.quantization = type;
    most = std::max(most, counts.second);
  }
  const FamilyDefaults defaults = family_defaults(metadata, info_);
  info_.default_pooling = defaults.pooling;
  info_.query_prefix = defaults.query_prefix;
  info_.passage_prefix = defaults.passage_prefix;
}

const ChatTemplate* LoadedModel::chat_template() const {
  const std::optional<std::string> source = file_.metadata().get_string(kChatTemplateKey);
  if (!source) return nullptr;
  const std::lock_guard lock(mutex_);
  if (!chat_template_) {
    chat_template_.emplace(*source, token_text(*tokenizer_, tokenizer_->bos()),
                           token_text(*tokenizer_, tokenizer_->eos()), ChatTemplate::Clock(),
                           file_.path().string());
  }
  return &*chat_template_;
}

std::string LoadedModel::sha256() const {
  const std::lock_guard lock(mutex_);
  if (sha256_.empty()) sha256_ = hash_of(file_.paths());
  return sha256_;
}

const LoadedModel& LoadedModel::of(const Model& model) {
  const auto* loaded = dynamic_cast<const LoadedModel*>(&model);
  if (loaded == nullptr) {
    throw Error(ErrorCode::invalid_argument, "this model was not made by Model::load");
  }
  return *loaded;
}

void LoadedModel::check_ids(std::span<const TokenId> ids) const {
  for (const TokenId id : ids) {
    if (id < 0 || static_cast<std::size_t>(id) >= info_.vocabulary) {
      throw Error(ErrorCode::invalid_argument, "token id " + std::to_string(id) +
                                                   " is not in the vocabulary of " +
                                                   std::to_string(info_.vocabulary) + " tokens");
    }
  }
}

std::shared_ptr<const Model> Model::load(const std::filesystem::path& path, ThreadPool& pool,
                                         const ModelOptions& options) {
  return std::make_shared<const LoadedModel>(path, pool, options);
}

}  // namespace lore::engine
