#include "tests/engine/tokenizer/tokenizer_fixtures.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "base/file.hpp"
#include "engine/gguf/gguf_file.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::test {
namespace {

constexpr std::string_view kMarker = "\n__ggml_vocab_test__\n";

}  // namespace

std::unique_ptr<const engine::Tokenizer> load_tokenizer(const std::filesystem::path& gguf) {
  return engine::Tokenizer::from_metadata(engine::gguf::GgufFile::open(gguf).metadata());
}

std::vector<TokenCase> read_cases(const std::filesystem::path& stem) {
  const std::string texts = read_file(stem.string() + ".inp");
  std::istringstream expected(read_file(stem.string() + ".out"));
  std::vector<TokenCase> cases;
  for (std::size_t at = 0; at < texts.size();) {
    const std::size_t end = std::min(texts.find(kMarker, at), texts.size());
    TokenCase one{texts.substr(at, end - at), {}};
    std::string line;
    if (!std::getline(expected, line)) throw std::runtime_error("fewer ids than texts");
    std::istringstream ids(line);
    for (engine::TokenId id = 0; ids >> id;) one.ids.push_back(id);
    cases.push_back(std::move(one));
    at = end + kMarker.size();
  }
  return cases;
}

std::vector<nlohmann::json> read_json_lines(const std::filesystem::path& path) {
  std::vector<nlohmann::json> result;
  for (const std::string& line : read_lines(path)) result.push_back(nlohmann::json::parse(line));
  return result;
}

engine::gguf::Metadata wordpiece_metadata(const std::vector<std::string>& pieces) {
  std::vector<std::string> tokens;
  std::vector<std::int64_t> types;
  for (const std::string& piece : pieces) {
    const bool special = piece.size() > 2 && piece.front() == '[' && piece.back() == ']';
    const bool goes_on = piece.size() > 2 && piece.starts_with("##");
    tokens.push_back(special ? piece : goes_on ? piece.substr(2) : "\u2581" + piece);
    types.push_back(special ? 3 : 1);
  }
  engine::gguf::Metadata metadata("wordpiece");
  metadata.set("tokenizer.ggml.model", std::string("bert"));
  metadata.set("tokenizer.ggml.tokens", engine::gguf::Array{std::move(tokens)});
  metadata.set("tokenizer.ggml.token_type", engine::gguf::Array{std::move(types)});
  return metadata;
}

void expect_sound_spans(const engine::Encoding& encoding, std::string_view text) {
  ASSERT_EQ(encoding.ids.size(), encoding.spans.size());
  std::size_t at = 0;
  for (const auto& span : encoding.spans) {
    EXPECT_LE(at, span.start);
    EXPECT_LE(span.start, span.end);
    EXPECT_LE(span.end, text.size());
    at = span.start;  // parts of one character share its place
  }
}

}  // namespace lore::test
