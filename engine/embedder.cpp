#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/engine.hpp"
#include "engine/loaded_model.hpp"
#include "engine/pooling.hpp"
#include "lore/error.hpp"

namespace lore::engine {
namespace {

/// How many tokens the model puts before and after a text.
struct AddedTokens {
  std::size_t before = 0;
  std::size_t after = 0;
};

AddedTokens added_tokens(const Tokenizer& tokenizer) {
  const std::vector<TokenId> plain = tokenizer.ids("a", {.add_special = false});
  const std::vector<TokenId> full = tokenizer.ids("a", {.add_special = true});
  const auto found = std::search(full.begin(), full.end(), plain.begin(), plain.end());
  if (plain.empty() || found == full.end()) return {};
  AddedTokens added;
  added.before = static_cast<std::size_t>(found - full.begin());
  added.after = full.size() - added.before - plain.size();
  return added;
}

class ModelEmbedder final : public Embedder {
 public:
  ModelEmbedder(std::shared_ptr<const Model> model, ThreadPool& pool,
                const EmbedderOptions& options)
      : model_(std::move(model)),
        loaded_(LoadedModel::of(*model_)),
        pooling_(options.pooling.value_or(model_->info().default_pooling)),
        normalize_(options.normalize),
        batch_tokens_(options.batch_tokens),
        added_(added_tokens(model_->tokenizer())) {
    const std::size_t width = model_->info().hidden_size;
    if (options.dimensions > width) {
      throw Error(ErrorCode::invalid_argument, "the model's vectors have " + std::to_string(width) +
                                                   " dimensions, not " +
                                                   std::to_string(options.dimensions));
    }
    if (batch_tokens_ == 0) {
      throw Error(ErrorCode::invalid_argument, "a batch must hold at least one token");
    }
    dimension_ = options.dimensions == 0 ? width : options.dimensions;
    session_ = loaded_.executable().create_session(pool);
  }

  std::size_t dimension() const override { return dimension_; }
  std::size_t max_tokens() const override { return model_->info().context; }
  Pooling pooling() const override { return pooling_; }

  std::vector<TokenId> encode(std::string_view text, InputType type,
                              bool parse_special) const override {
    const ModelInfo& info = model_->info();
    const EncodeOptions options{.add_special = true, .parse_special = parse_special};
    if (type == InputType::none) return model_->tokenizer().ids(text, options);
    const std::string& prefix = type == InputType::query ? info.query_prefix : info.passage_prefix;
    return model_->tokenizer().ids(prefix + std::string(text), options);
  }

  std::vector<TokenId> truncate(std::vector<TokenId> ids, std::size_t limit) const override {
    if (limit == 0) limit = max_tokens();
    if (ids.size() <= limit) return ids;
    const std::size_t after = std::min(added_.after, limit);
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(limit - after),
              ids.end() - static_cast<std::ptrdiff_t>(after));
    return ids;
  }

  void embed(std::span<const std::vector<TokenId>> sequences, std::span<float> out) override {
    const std::vector<std::size_t> offsets = check(sequences, out.size());
    std::vector<std::span<const std::int32_t>> views(sequences.begin(), sequences.end());
    session_->run_all(views, batch_tokens_, [&](std::size_t index, std::span<const float> rows) {
      leave(rows, out.subspan(offsets[index]));
    });
  }

 private:
  /// Where the vectors of each sequence start in the output. Throws what embed promises.
  std::vector<std::size_t> check(std::span<const std::vector<TokenId>> sequences,
                                 std::size_t room) const {
    std::vector<std::size_t> offsets;
    std::size_t end = 0;
    for (const std::vector<TokenId>& ids : sequences) {
      if (ids.empty()) {
        throw Error(ErrorCode::invalid_argument, "a sequence without any token has no vector");
      }
      if (ids.size() > max_tokens()) {
        throw Error(ErrorCode::limit_exceeded,
                    "a text of " + std::to_string(ids.size()) +
                        " tokens is over the model's limit of " + std::to_string(max_tokens()) +
                        "; cut it or choose a model with a longer context");
      }
      loaded_.check_ids(ids);
      offsets.push_back(end);
      end += (pooling_ == Pooling::none ? ids.size() : 1) * dimension_;
    }
    if (end != room) {
      throw Error(ErrorCode::invalid_argument, "the vectors take " + std::to_string(end) +
                                                   " floats, and there is room for " +
                                                   std::to_string(room));
    }
    return offsets;
  }

  void leave(std::span<const float> rows, std::span<float> out) const {
    const std::size_t width = model_->info().hidden_size;
    if (pooling_ == Pooling::none) {
      for (std::size_t row = 0; row < rows.size() / width; ++row) {
        const auto vector = out.subspan(row * dimension_, dimension_);
        std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(row * width), dimension_,
                    vector.begin());
        finish(vector);
      }
      return;
    }
    const auto vector = out.first(dimension_);
    pool_rows(rows, width, pooling_, vector);
    finish(vector);
  }

  void finish(std::span<float> vector) const {
    if (!std::all_of(vector.begin(), vector.end(), [](float x) { return std::isfinite(x); })) {
      throw Error(ErrorCode::corrupt,
                  model_->info().path.string() +
                      ": the model computes vectors that are no finite "
                      "numbers; its file is damaged, get it again",
                  model_->info().path.string());
    }
    if (normalize_) normalize(vector);
  }

  std::shared_ptr<const Model> model_;
  const LoadedModel& loaded_;
  Pooling pooling_;
  bool normalize_;
  std::size_t batch_tokens_;
  AddedTokens added_;
  std::size_t dimension_ = 0;
  std::unique_ptr<Session> session_;
};

}  // namespace

std::unique_ptr<Embedder> Embedder::create(std::shared_ptr<const Model> model, ThreadPool& pool,
                                           const EmbedderOptions& options) {
  return std::make_unique<ModelEmbedder>(std::move(model), pool, options);
}

}  // namespace lore::engine
