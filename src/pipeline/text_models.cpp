// TextEmbedder, TextGenerator and what Library does with a single model.
#include <chrono>
#include <utility>

#include "lore/library.hpp"
#include "pipeline/answer_writer.hpp"
#include "pipeline/chat_prompt.hpp"
#include "pipeline/library_state.hpp"

namespace lore {
namespace {

using Clock = std::chrono::steady_clock;

double since_ms(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

engine::InputType parse_input_type(const std::string& name) {
  if (name == "query") return engine::InputType::query;
  if (name == "passage") return engine::InputType::passage;
  if (name == "none") return engine::InputType::none;
  throw Error(ErrorCode::invalid_argument,
              "--input-type '" + name + "' is unknown; choose query, passage or none",
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

}  // namespace

struct TextEmbedder::State {
  std::shared_ptr<pipeline::Runtime> runtime;
  std::shared_ptr<const engine::Model> model;
  std::unique_ptr<engine::Embedder> embedder;
  engine::InputType type = engine::InputType::none;
  bool truncate = false;
  bool parse_special = false;
};

TextEmbedder::TextEmbedder(std::unique_ptr<State> state) : state_(std::move(state)) {}
TextEmbedder::~TextEmbedder() = default;
TextEmbedder::TextEmbedder(TextEmbedder&&) noexcept = default;
TextEmbedder& TextEmbedder::operator=(TextEmbedder&&) noexcept = default;

std::size_t TextEmbedder::dimension() const { return state_->embedder->dimension(); }
std::size_t TextEmbedder::max_tokens() const { return state_->embedder->max_tokens(); }
ModelDescription TextEmbedder::model() const { return pipeline::describe(*state_->model, true); }
std::string TextEmbedder::pooling() const {
  return std::string(engine::pooling_name(state_->embedder->pooling()));
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

TextEmbedder::Tokens TextEmbedder::encode(std::string_view text, std::string_view name) const {
  const engine::Embedder& embedder = *state_->embedder;
  Tokens tokens{embedder.encode(text, state_->type, state_->parse_special), false};
  if (tokens.ids.empty()) {
    throw Error(ErrorCode::invalid_argument,
                std::string(name) +
                    " is empty, and this model adds no token of its own, so it has no "
                    "vector; leave it out",
                std::string(name));
  }
  if (tokens.ids.size() <= embedder.max_tokens()) return tokens;
  if (!state_->truncate) {
    throw Error(ErrorCode::limit_exceeded,
                std::string(name) + " has " + std::to_string(tokens.ids.size()) +
                    " tokens, over the model's limit of " + std::to_string(embedder.max_tokens()) +
                    "; shorten it, or cut such inputs by --truncate",
                std::string(name));
  }
  tokens.ids = embedder.truncate(std::move(tokens.ids));
  tokens.cut = true;
  return tokens;
}

std::vector<float> TextEmbedder::embed(std::span<const Tokens> texts) {
  std::vector<std::vector<engine::TokenId>> sequences;
  std::size_t rows = 0;
  const bool every_token = state_->embedder->pooling() == engine::Pooling::none;
  for (const Tokens& text : texts) {
    rows += every_token ? text.ids.size() : 1;
    sequences.push_back(text.ids);
  }
  std::vector<float> vectors(rows * dimension());
  state_->embedder->embed(sequences, vectors);
  return vectors;
}

struct TextGenerator::State {
  std::shared_ptr<pipeline::Runtime> runtime;
  std::shared_ptr<const engine::Model> model;
  std::unique_ptr<engine::Generator> generator;
  GenerateOptions options;
  double load_ms = 0;
};

TextGenerator::TextGenerator(std::unique_ptr<State> state) : state_(std::move(state)) {}
TextGenerator::~TextGenerator() = default;
TextGenerator::TextGenerator(TextGenerator&&) noexcept = default;
TextGenerator& TextGenerator::operator=(TextGenerator&&) noexcept = default;

GeneratedText TextGenerator::generate(std::string_view prompt,
                                      const std::function<bool(std::string_view)>& on_text) {
  const engine::Model& model = *state_->model;
  const GenerateOptions& options = state_->options;
  const bool chat = options.chat.value_or(model.info().has_chat_template);
  if (chat && !model.info().has_chat_template) {
    throw Error(ErrorCode::invalid_argument,
                "the model " + options.model + " carries no chat template; use --raw", "--chat");
  }
  engine::GenerationRequest request;
  if (chat) {
    std::vector<engine::ChatMessage> messages;
    if (!options.system.empty()) messages.push_back({"system", options.system});
    messages.push_back({"user", std::string(prompt)});
    request.prompt = pipeline::encode_chat(model, messages, options.add_special);
  } else {
    request.prompt = model.tokenizer().ids(
        prompt, {.add_special = options.add_special, .parse_special = options.parse_special});
  }
  if (request.prompt.empty()) {
    throw Error(
        ErrorCode::invalid_argument,
        "the prompt is empty, and this model adds no token of its own; write one by --prompt "
        "or on standard input",
        "--prompt");
  }
  request.max_tokens = options.max_tokens;
  request.sampling = pipeline::engine_sampling(options.sampling);
  request.stop = options.stop;
  request.logprobs = options.logprobs;
  request.want_logprobs = options.report_logprobs || options.logprobs > 0;
  request.ignore_end = options.ignore_end;
  request.on_text = on_text;
  engine::GenerationResult result = state_->generator->generate(request);

  GeneratedText generated;
  generated.text = std::move(result.text);
  generated.prompt_ids = std::move(request.prompt);
  for (const engine::GeneratedToken& token : result.tokens) {
    TokenRecord record{token.id, token.logprob, {}};
    for (const engine::TokenLogprob& other : token.top) {
      record.top.push_back({other.id, other.logprob});
    }
    generated.tokens.push_back(std::move(record));
  }
  generated.finish = finish_name(result.finish);
  generated.load_ms = state_->load_ms;
  generated.prompt_ms = result.prompt_ms;
  generated.decode_ms = result.decode_ms;
  return generated;
}

TextEmbedder Library::embedder(const EmbedOptions& options) {
  auto state = std::make_unique<TextEmbedder::State>();
  state->runtime = state_->runtime;
  state->type = parse_input_type(options.input_type);
  engine::EmbedderOptions embedding;
  if (options.pooling) embedding.pooling = engine::parse_pooling(*options.pooling);
  embedding.normalize = options.normalize;
  embedding.dimensions = options.dimensions;
  embedding.batch_tokens = options.batch_tokens;
  state->model = state_->runtime->load(options.model);
  state->embedder = engine::Embedder::create(state->model, state_->runtime->pool(), embedding);
  state->truncate = options.truncate;
  state->parse_special = options.parse_special;
  return TextEmbedder(std::move(state));
}

TextGenerator Library::generator(const GenerateOptions& options) {
  const Clock::time_point start = Clock::now();
  auto state = std::make_unique<TextGenerator::State>();
  state->runtime = state_->runtime;
  state->options = options;
  const engine::GeneratorOptions engine_options{.context = options.context,
                                                .cache_type = parse_cache_type(options.cache_type)};
  state->model = state_->runtime->load(options.model);
  state->generator =
      engine::Generator::create(state->model, state_->runtime->pool(), engine_options);
  state->load_ms = since_ms(start);
  return TextGenerator(std::move(state));
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

void Library::convert_model(const std::filesystem::path& folder, const std::filesystem::path& out,
                            std::string_view type) {
  engine::convert_safetensors(folder, out, type);
}

}  // namespace lore
