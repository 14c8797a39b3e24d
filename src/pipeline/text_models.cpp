// TextEmbedder, TextGenerator and what Library does with a single model.
#include <chrono>
#include <utility>

#include "lore/library.hpp"
#include "pipeline/answer_writer.hpp"
#include "pipeline/chat_prompt.hpp"
#include "pipeline/library_state.hpp"
#include "pipeline/model_files.hpp"
#include "pipeline/shared_embedder.hpp"

namespace lore {
namespace {

using Clock = std::chrono::steady_clock;

double since_ms(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

engine::InputType parse_input_type(std::string_view name) {
  if (name == "query") return engine::InputType::query;
  if (name == "passage") return engine::InputType::passage;
  if (name == "none") return engine::InputType::none;
  throw Error(
      ErrorCode::invalid_argument,
      "the input type '" + std::string(name) + "' is unknown; choose query, passage or none",
      "--input-type");
}

engine::CacheType parse_cache_type(const std::string& name) {
  if (name == "f32") return engine::CacheType::f32;
  if (name == "f16") return engine::CacheType::f16;
  if (name == "q8_0") return engine::CacheType::q8_0;
  throw Error(ErrorCode::invalid_argument,
              "--cache-type '" + name + "' is unknown; choose f32, f16 or q8_0", "--cache-type");
}

std::string_view finish_name(engine::Finish finish) {
  switch (finish) {
    case engine::Finish::stop:
      return "stop";
    case engine::Finish::length:
      return "length";
    case engine::Finish::stop_string:
      return "stop_string";
    case engine::Finish::cancelled:
      break;
  }
  return "cancelled";
}

void check_dimensions(std::size_t wanted, std::size_t own) {
  if (wanted <= own) return;
  throw Error(ErrorCode::invalid_argument,
              "the model's vectors have " + std::to_string(own) + " dimensions, not " +
                  std::to_string(wanted),
              "--dimensions");
}

TokenRecord record_of(const engine::GeneratedToken& token) {
  TokenRecord record{token.id, token.logprob, {}};
  for (const engine::TokenLogprob& other : token.top) {
    record.top.push_back({other.id, other.logprob});
  }
  return record;
}

void check_ids(const engine::Model& model, std::span<const std::int32_t> ids,
               std::string_view name) {
  const std::size_t count = model.tokenizer().size();
  for (const std::int32_t id : ids) {
    if (id >= 0 && static_cast<std::size_t>(id) < count) continue;
    throw Error(ErrorCode::invalid_argument,
                std::string(name) + " holds the token " + std::to_string(id) +
                    ", and the model has tokens 0 to " + std::to_string(count - 1),
                std::string(name));
  }
}

}  // namespace

struct TextEmbedder::State {
  std::shared_ptr<pipeline::Runtime> runtime;
  std::shared_ptr<const engine::Model> model;
  std::unique_ptr<pipeline::SharedEmbedder> shared;
  EmbedOptions options;
  engine::InputType type = engine::InputType::none;

  const engine::Embedder& embedder() const { return shared->embedder(); }
  Tokens checked(std::vector<engine::TokenId> ids, std::string_view name) const;
};

/// Cut to the model's limit, or refused.
TextEmbedder::Tokens TextEmbedder::State::checked(std::vector<engine::TokenId> ids,
                                                  std::string_view name) const {
  if (ids.empty()) {
    throw Error(ErrorCode::invalid_argument,
                std::string(name) +
                    " is empty, and this model adds no token of its own, so it has no "
                    "vector; leave it out",
                std::string(name));
  }
  if (ids.size() <= embedder().max_tokens()) return {std::move(ids), false};
  if (!options.truncate) {
    throw Error(ErrorCode::limit_exceeded,
                std::string(name) + " has " + std::to_string(ids.size()) +
                    " tokens, over the model's limit of " +
                    std::to_string(embedder().max_tokens()) +
                    "; shorten it, or cut such inputs by --truncate",
                std::string(name));
  }
  return {embedder().truncate(std::move(ids)), true};
}

TextEmbedder::TextEmbedder(std::unique_ptr<State> state) : state_(std::move(state)) {}
TextEmbedder::~TextEmbedder() = default;
TextEmbedder::TextEmbedder(TextEmbedder&&) noexcept = default;
TextEmbedder& TextEmbedder::operator=(TextEmbedder&&) noexcept = default;

std::size_t TextEmbedder::dimension() const {
  const std::size_t own = state_->options.dimensions;
  return own == 0 ? state_->embedder().dimension() : own;
}
std::size_t TextEmbedder::max_tokens() const { return state_->embedder().max_tokens(); }
ModelDescription TextEmbedder::model() const { return pipeline::describe(*state_->model, true); }
std::string TextEmbedder::pooling() const {
  return std::string(engine::pooling_name(state_->embedder().pooling()));
}

std::string TextEmbedder::prefix() const {
  const engine::ModelInfo& info = state_->model->info();
  switch (state_->type) {
    case engine::InputType::query:
      return info.query_prefix;
    case engine::InputType::passage:
      return info.passage_prefix;
    case engine::InputType::none:
      break;
  }
  return {};
}

TextEmbedder::Tokens TextEmbedder::encode(std::string_view text, std::string_view name,
                                          std::optional<std::string_view> input_type) const {
  const engine::InputType type = input_type ? parse_input_type(*input_type) : state_->type;
  return state_->checked(state_->embedder().encode(text, type, state_->options.parse_special),
                         name);
}

TextEmbedder::Tokens TextEmbedder::take(std::vector<std::int32_t> ids,
                                        std::string_view name) const {
  check_ids(*state_->model, ids, name);
  return state_->checked(std::move(ids), name);
}

std::vector<float> TextEmbedder::embed(std::span<const Tokens> texts, std::size_t dimensions) {
  if (dimensions == 0) dimensions = dimension();
  check_dimensions(dimensions, state_->embedder().dimension());
  std::vector<std::vector<engine::TokenId>> sequences;
  for (const Tokens& text : texts) sequences.push_back(text.ids);
  return state_->shared->embed(sequences, dimensions, state_->options.normalize);
}

struct TextGenerator::State {
  std::shared_ptr<pipeline::Runtime> runtime;
  std::shared_ptr<const engine::Model> model;
  std::shared_ptr<engine::Generator> generator;
  GenerateOptions options;
  double load_ms = 0;

  std::vector<engine::TokenId> prompt_of(const GenerateRequest& request) const;
};

std::vector<engine::TokenId> TextGenerator::State::prompt_of(const GenerateRequest& request) const {
  if (!request.messages.empty()) {
    if (!model->info().has_chat_template) {
      throw Error(ErrorCode::invalid_argument,
                  "the model " + options.model + " carries no chat template; use --raw", "--chat");
    }
    std::vector<engine::ChatMessage> messages;
    for (const ChatMessage& message : request.messages) {
      messages.push_back({message.role, message.content});
    }
    return pipeline::encode_chat(*model, messages, request.add_special);
  }
  if (!request.ids.empty()) {
    check_ids(*model, request.ids, "the prompt");
    return request.ids;
  }
  std::vector<engine::TokenId> ids = model->tokenizer().ids(
      request.prompt, {.add_special = request.add_special, .parse_special = request.parse_special});
  if (ids.empty()) {
    throw Error(
        ErrorCode::invalid_argument,
        "the prompt is empty, and this model adds no token of its own; write one by --prompt "
        "or on standard input",
        "--prompt");
  }
  return ids;
}

TextGenerator::TextGenerator(std::unique_ptr<State> state) : state_(std::move(state)) {}
TextGenerator::~TextGenerator() = default;
TextGenerator::TextGenerator(TextGenerator&&) noexcept = default;
TextGenerator& TextGenerator::operator=(TextGenerator&&) noexcept = default;

GeneratedText TextGenerator::generate(std::string_view prompt,
                                      const std::function<bool(std::string_view)>& on_text) {
  const GenerateOptions& options = state_->options;
  GenerateRequest request;
  if (options.chat.value_or(state_->model->info().has_chat_template)) {
    if (!options.system.empty()) request.messages.push_back({"system", options.system});
    request.messages.push_back({"user", std::string(prompt)});
  } else {
    request.prompt = prompt;
  }
  request.max_tokens = options.max_tokens;
  request.sampling = options.sampling;
  request.stop = options.stop;
  request.parse_special = options.parse_special;
  request.add_special = options.add_special;
  request.logprobs = options.logprobs;
  request.report_logprobs = options.report_logprobs;
  request.ignore_end = options.ignore_end;
  request.on_text = on_text;
  return generate(request);
}

GeneratedText TextGenerator::generate(const GenerateRequest& asked) {
  engine::GenerationRequest request;
  request.prompt = state_->prompt_of(asked);
  request.max_tokens = asked.max_tokens;
  request.sampling = pipeline::engine_sampling(asked.sampling);
  request.stop = asked.stop;
  request.logprobs = asked.logprobs;
  request.want_logprobs = asked.report_logprobs || asked.logprobs > 0;
  request.ignore_end = asked.ignore_end;
  request.on_text = asked.on_text;
  if (asked.on_token) {
    request.on_token = [&](const engine::GeneratedToken& token) {
      asked.on_token(record_of(token));
    };
  }
  if (asked.cancelled) request.keep_going = [&] { return !asked.cancelled(); };
  engine::GenerationResult result = state_->generator->generate(request);

  GeneratedText generated;
  generated.text = std::move(result.text);
  generated.prompt_ids = std::move(request.prompt);
  for (const engine::GeneratedToken& token : result.tokens) {
    generated.tokens.push_back(record_of(token));
  }
  generated.finish = finish_name(result.finish);
  generated.reused_tokens = result.reused_tokens;
  generated.load_ms = state_->load_ms;
  generated.prompt_ms = result.prompt_ms;
  generated.decode_ms = result.decode_ms;
  return generated;
}

ModelDescription TextGenerator::model() const { return pipeline::describe(*state_->model, false); }
std::size_t TextGenerator::context() const { return state_->generator->context(); }
std::string TextGenerator::piece(std::int32_t id) const {
  check_ids(*state_->model, {&id, 1}, "the text");
  return state_->model->tokenizer().piece(id);
}

TextEmbedder Library::embedder(const EmbedOptions& options) {
  auto state = std::make_unique<TextEmbedder::State>();
  state->runtime = state_->runtime;
  state->type = parse_input_type(options.input_type);
  engine::EmbedderOptions embedding;
  if (options.pooling) embedding.pooling = engine::parse_pooling(*options.pooling);
  embedding.batch_tokens = options.batch_tokens;
  state->options = options;
  state->model = state_->runtime->load(options.model);
  state->shared =
      std::make_unique<pipeline::SharedEmbedder>(state->model, state_->runtime->pool(), embedding);
  check_dimensions(options.dimensions, state->embedder().dimension());
  return TextEmbedder(std::move(state));
}

TextGenerator Library::generator(const GenerateOptions& options) {
  const Clock::time_point start = Clock::now();
  auto state = std::make_unique<TextGenerator::State>();
  state->runtime = state_->runtime;
  state->options = options;
  const engine::CacheType cache = parse_cache_type(options.cache_type);
  state->model = state_->runtime->load(options.model);
  state->generator = state_->runtime->generator().get(state->model, options.context, cache);
  state->load_ms = since_ms(start);
  return TextGenerator(std::move(state));
}

std::vector<InstalledModel> Library::installed_models() const {
  const std::filesystem::path& folder = state_->runtime->options().models;
  std::vector<InstalledModel> models;
  for (std::string& name : pipeline::model_names(folder)) {
    const auto path = pipeline::find_model(name, folder);
    std::error_code failed;
    const std::uint64_t bytes = path ? std::filesystem::file_size(*path, failed) : 0;
    if (path && !failed) models.push_back({std::move(name), *path, bytes});
  }
  return models;
}

std::optional<std::string> Library::default_generator() const {
  return pipeline::default_generator(state_->runtime->options().models);
}

ModelDescription Library::describe_model(const std::string& model, bool with_hash) {
  return pipeline::describe(*state_->runtime->load(model), with_hash);
}

std::vector<Tokenization> Library::tokenize(const std::string& model,
                                            std::span<const std::string> texts,
                                            const TokenizeOptions& options) {
  const std::shared_ptr<const engine::Model> loaded = state_->runtime->load(model);
  const engine::Tokenizer& tokenizer = loaded->tokenizer();
  std::vector<Tokenization> results;
  for (const std::string& text : texts) {
    const engine::Encoding encoding = tokenizer.encode(
        text, {.add_special = options.add_special, .parse_special = options.parse_special});
    Tokenization result;
    result.ids = encoding.ids;
    for (const engine::TokenId id : encoding.ids) {
      result.pieces.emplace_back(tokenizer.token(id));
    }
    for (const auto& span : encoding.spans) result.spans.emplace_back(span.start, span.end);
    results.push_back(std::move(result));
  }
  return results;
}

std::string Library::detokenize(const std::string& model, std::span<const std::int32_t> ids) {
  const std::shared_ptr<const engine::Model> loaded = state_->runtime->load(model);
  check_ids(*loaded, ids, "the text");
  return loaded->tokenizer().decode({ids.begin(), ids.end()});
}

void Library::convert_model(const std::filesystem::path& folder, const std::filesystem::path& out,
                            std::string_view type) {
  engine::convert_safetensors(folder, out, type);
}

}  // namespace lore
