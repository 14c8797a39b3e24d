// The model behind the door: file, tokenizer, graph, packed weights.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "engine/backend/backend.hpp"
#include "engine/engine.hpp"
#include "engine/gguf/gguf_file.hpp"

namespace lore::engine {

/// Thread safety: immutable; what is made at the first call is guarded.
class LoadedModel final : public Model {
 public:
  LoadedModel(const std::filesystem::path& path, ThreadPool& pool, const ModelOptions& options);

  const ModelInfo& info() const override { return info_; }
  const Tokenizer& tokenizer() const override { return *tokenizer_; }
  const ChatTemplate* chat_template() const override;
  std::string sha256() const override;

  const Executable& executable() const { return *executable_; }
  /// The model that a door object was given; all models come from Model::load.
  static const LoadedModel& of(const Model& model);
  /// Throws Error{invalid_argument} for an id that the vocabulary has not.
  void check_ids(std::span<const TokenId> ids) const;

 private:
  void describe();

  gguf::GgufFile file_;
  ModelInfo info_;
  std::unique_ptr<const Tokenizer> tokenizer_;
  std::unique_ptr<const Backend> backend_;
  std::unique_ptr<const Executable> executable_;
  mutable std::mutex mutex_;
  mutable std::optional<ChatTemplate> chat_template_;
  mutable std::string sha256_;
};

}  // namespace lore::engine
