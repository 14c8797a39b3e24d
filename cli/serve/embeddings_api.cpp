// POST /v1/embeddings, as OpenAI documents it, with "input_type" (query, passage, none) and
// "truncate".
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

#include "cli/json_fields.hpp"
#include "cli/serve/api.hpp"
#include "lore/error.hpp"
#include "lore/json.hpp"

namespace lore::cli::serve {
namespace {

constexpr std::size_t kMostInputs = 2048;  // OpenAI's limit

std::string base64(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8U | (i + j < bytes.size() ? bytes[i + j] : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j > bytes.size() ? '=' : kDigits[group >> (18 - 6 * j) & 63U];
    }
  }
  return text;
}

/// As the official clients ask for vectors: float32, little-endian.
std::string base64_of(std::span<const float> vector) {
  std::vector<unsigned char> bytes;
  bytes.reserve(vector.size() * 4);
  for (const float x : vector) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    for (unsigned shift = 0; shift < 32; shift += 8) {
      bytes.push_back(static_cast<unsigned char>(bits >> shift));
    }
  }
  return base64(bytes);
}

/// A text, texts, token ids, or lists of token ids.
std::vector<TextEmbedder::Tokens> inputs_of(const Fields& fields, const TextEmbedder& embedder) {
  const Json* input = fields.find("input");
  if (input == nullptr) fields.refuse("input", "is missing: a string or a list");
  std::string type = fields.text("input_type").value_or("none");
  if (type == "document") type = "passage";  // as Jina and Voyage call it
  std::vector<TextEmbedder::Tokens> tokens;
  if (input->is_string()) {
    tokens.push_back(embedder.encode(input->get<std::string>(), "input", type));
    return tokens;
  }
  if (!input->is_array() || input->empty()) {
    fields.refuse("input", "must be a string or a list that is not empty");
  }
  if (auto ids = token_ids(*input)) {
    tokens.push_back(embedder.take(std::move(*ids), "input"));
    return tokens;
  }
  if (input->size() > kMostInputs) {
    fields.refuse("input", "has " + std::to_string(input->size()) + " texts, and " +
                               std::to_string(kMostInputs) + " are the most in a request");
  }
  for (const Json& one : *input) {
    const std::string name = "input[" + std::to_string(tokens.size()) + "]";
    if (one.is_string()) {
      tokens.push_back(embedder.encode(one.get<std::string>(), name, type));
    } else if (auto ids = token_ids(one)) {
      tokens.push_back(embedder.take(std::move(*ids), name));
    } else {
      fields.refuse("input", "must hold strings or lists of token ids");
    }
  }
  return tokens;
}

}  // namespace

HttpResponse embeddings(Service& service, const HttpRequest& request) {
  const Fields fields = Fields::parse(request.body);
  TextEmbedder& embedder = service.embedder(fields.text("model"));
  const std::string format = fields.text("encoding_format").value_or("float");
  if (format != "float" && format != "base64") {
    fields.refuse("encoding_format", "must be float or base64");
  }
  const std::size_t dimensions =
      fields.count("dimensions", 1, embedder.dimension()).value_or(embedder.dimension());
  const std::vector<TextEmbedder::Tokens> texts = inputs_of(fields, embedder);
  std::size_t tokens = 0;
  for (const auto& text : texts) tokens += text.ids.size();
  const std::vector<float> vectors = embedder.embed(texts, dimensions);
  service.metrics().count_embedded(texts.size(), tokens);

  // Written by hand: as JSON values the numbers would take many times their memory.
  std::string body = R"({"object":"list","data":[)";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto vector = std::span(vectors).subspan(i * dimensions, dimensions);
    body += (i == 0 ? "" : ",") + std::string(R"({"object":"embedding","index":)") +
            std::to_string(i) + R"(,"embedding":)";
    body += format == "float" ? to_json(vector) : '"' + base64_of(vector) + '"';
    body += '}';
  }
  body += R"(],"model":)" + dump(service.embed_model().id) + R"(,"usage":{"prompt_tokens":)" +
          std::to_string(tokens) + R"(,"total_tokens":)" + std::to_string(tokens) + "}}";
  return {.body = std::move(body)};
}

}  // namespace lore::cli::serve
