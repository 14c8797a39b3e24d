#include "engine/convert/vocabulary.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "engine/convert/json_file.hpp"
#include "lore/error.hpp"

namespace lore::engine::convert {
namespace fs = std::filesystem;
namespace {

/// `tokenizer.ggml.token_type` values.
using TokenType = std::int64_t;
constexpr TokenType kNormal = 1;
constexpr TokenType kControl = 3;
constexpr TokenType kUserDefined = 4;
constexpr TokenType kUnused = 5;

struct Vocabulary {
  fs::path path;                           // the file that it came from
  std::map<std::string, std::size_t> ids;  // in the spelling of WordPiece
  std::map<std::string, TokenType> added;  // tokens outside the algorithm
  bool lowercase = true;
  bool strip_accents = true;
};

/// The roles that GGUF has keys for ("seperator" is spelt so in the format) and BERT's defaults.
struct Role {
  const char* config_key;
  const char* gguf_key;
  const char* spelling;
};
constexpr std::array kRoles = {Role{"unk_token", "tokenizer.ggml.unknown_token_id", "[UNK]"},
                               Role{"sep_token", "tokenizer.ggml.seperator_token_id", "[SEP]"},
                               Role{"pad_token", "tokenizer.ggml.padding_token_id", "[PAD]"},
                               Role{"cls_token", "tokenizer.ggml.cls_token_id", "[CLS]"},
                               Role{"mask_token", "tokenizer.ggml.mask_token_id", "[MASK]"}};

[[noreturn]] void fail_unsupported(const fs::path& path, const std::string& what) {
  throw Error(ErrorCode::unsupported,
              path.string() + " " + what + "; only BERT's own WordPiece can be converted",
              path.string());
}

void read_normalizer(const JsonFile& file, Vocabulary& vocabulary) {
  const nlohmann::json& root = file.value();
  if (!file.has("normalizer") || root.at("normalizer").value("type", "") != "BertNormalizer") {
    fail_unsupported(file.path(), "has another normalizer than BertNormalizer");
  }
  const nlohmann::json& normalizer = root.at("normalizer");
  if (!normalizer.value("clean_text", true) || !normalizer.value("handle_chinese_chars", true)) {
    fail_unsupported(file.path(), "turns off clean_text or handle_chinese_chars");
  }
  vocabulary.lowercase = normalizer.value("lowercase", true);
  const auto accents = normalizer.find("strip_accents");
  const bool given = accents != normalizer.end() && accents->is_boolean();
  vocabulary.strip_accents = given ? accents->get<bool>() : vocabulary.lowercase;
}

void read_added_tokens(const JsonFile& file, Vocabulary& vocabulary) {
  if (!file.has("added_tokens")) return;
  for (const nlohmann::json& token : file.value().at("added_tokens")) {
    const auto content = token.at("content").get<std::string>();
    const bool special = token.value("special", false);
    vocabulary.added[content] = special ? kControl : kUserDefined;
    vocabulary.ids[content] = token.at("id").get<std::size_t>();
  }
}

Vocabulary read_tokenizer_json(const fs::path& path) {
  const JsonFile file(path);
  Vocabulary vocabulary;
  vocabulary.path = path;
  try {
    const nlohmann::json& model = file.value().at("model");
    // Old files leave the model's type out; then its prefix tells WordPiece from the others.
    const std::string type = model.value("type", "WordPiece");
    if (type != "WordPiece" || model.value("continuing_subword_prefix", "") != "##" ||
        model.value("max_input_chars_per_word", 100) != 100) {
      fail_unsupported(path, "holds a tokenizer of another kind (" + type + ")");
    }
    if (!file.has("pre_tokenizer") ||
        file.value().at("pre_tokenizer").value("type", "") != "BertPreTokenizer") {
      fail_unsupported(path, "splits text in another way than BertPreTokenizer");
    }
    read_normalizer(file, vocabulary);
    for (const auto& [token, id] : model.at("vocab").items()) {
      vocabulary.ids[token] = id.get<std::size_t>();
    }
    read_added_tokens(file, vocabulary);
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::corrupt,
                path.string() + " is no usable tokenizer (" + error.what() + "); get it again",
                path.string());
  }
  return vocabulary;
}

Vocabulary read_vocab_txt(const fs::path& path, const JsonFile& config) {
  Vocabulary vocabulary;
  vocabulary.path = path;
  const std::string text = read_regular_file(path);
  for (std::size_t begin = 0, id = 0; begin < text.size(); ++id) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string token = text.substr(begin, end - begin);
    if (!token.empty() && token.back() == '\r') token.pop_back();
    vocabulary.ids[std::move(token)] = id;  // the last of equal lines counts, as in the reference
    begin = end + 1;
  }
  vocabulary.lowercase = config.flag("do_lower_case").value_or(true);
  vocabulary.strip_accents = config.flag("strip_accents").value_or(vocabulary.lowercase);
  return vocabulary;
}

/// A token's text in tokenizer_config.json or special_tokens_map.json: a string, or an object with
/// its content.
std::optional<std::string> special_text(const JsonFile& file, const char* key) {
  if (!file.has(key)) return std::nullopt;
  const nlohmann::json& value = file.value().at(key);
  if (value.is_object()) {
    const auto content = value.find("content");
    if (content != value.end() && content->is_string()) return content->get<std::string>();
    file.fail(key, "has no content");
  }
  return file.text(key);
}

/// Finds the special tokens, marks them as control tokens and sets their ids.
void set_roles(const JsonFile& config, const JsonFile& map, Vocabulary& vocabulary,
               gguf::Writer& writer) {
  for (const Role& role : kRoles) {
    const std::string spelling =
        special_text(config, role.config_key)
            .value_or(special_text(map, role.config_key).value_or(role.spelling));
    const auto found = vocabulary.ids.find(spelling);
    const std::string_view key = role.config_key;
    if (found == vocabulary.ids.end()) {
      if (key == "mask_token" || key == "pad_token") continue;  // embedding needs neither
      throw Error(
          ErrorCode::corrupt,
          vocabulary.path.string() + " lacks the token " + spelling + " (" + role.config_key + ")",
          spelling);
    }
    vocabulary.added[spelling] = kControl;
    const auto id = static_cast<std::uint64_t>(found->second);
    writer.set(role.gguf_key, id);
    if (key == "cls_token") writer.set("tokenizer.ggml.bos_token_id", id);
    if (key == "sep_token") writer.set("tokenizer.ggml.eos_token_id", id);
  }
}

/// "##ing" → "ing", "the" → U+2581 "the": a word's start is marked, not its continuations.
std::string gguf_spelling(const std::string& token) {
  if (token.size() > 2 && token.rfind("##", 0) == 0) return token.substr(2);
  return "\u2581" + token;
}

void set_tokens(const Vocabulary& vocabulary, std::size_t size, gguf::Writer& writer) {
  std::vector<std::string> tokens(size);
  std::vector<std::int64_t> types(size, kUnused);
  for (std::size_t id = 0; id < size; ++id) tokens[id] = "[PAD" + std::to_string(id) + "]";
  for (const auto& [token, id] : vocabulary.ids) {
    if (id >= size) {
      throw Error(ErrorCode::corrupt,
                  vocabulary.path.string() + ": token " + token + " has id " + std::to_string(id) +
                      ", and the model knows " + std::to_string(size),
                  token);
    }
    if (types[id] != kUnused) {
      throw Error(ErrorCode::corrupt,
                  vocabulary.path.string() + ": two tokens have the id " + std::to_string(id),
                  token);
    }
    const auto added = vocabulary.added.find(token);
    types[id] = added == vocabulary.added.end() ? kNormal : added->second;
    tokens[id] = types[id] == kControl ? token : gguf_spelling(token);
  }
  writer.set("tokenizer.ggml.tokens", gguf::Array{std::move(tokens)});
  writer.set("tokenizer.ggml.token_type", gguf::Array{std::move(types)});
}

}  // namespace

void set_vocabulary(const fs::path& folder, std::size_t size, gguf::Writer& writer) {
  const JsonFile config = JsonFile::read_if_present(folder / "tokenizer_config.json");
  const JsonFile map = JsonFile::read_if_present(folder / "special_tokens_map.json");
  Vocabulary vocabulary;
  if (is_there(folder / "tokenizer.json")) {
    vocabulary = read_tokenizer_json(folder / "tokenizer.json");
  } else if (is_there(folder / "vocab.txt")) {
    vocabulary = read_vocab_txt(folder / "vocab.txt", config);
  } else {
    throw Error(ErrorCode::not_found,
                folder.string() +
                    " holds neither tokenizer.json nor vocab.txt; get the model's "
                    "folder again, complete",
                folder.string());
  }
  writer.set("tokenizer.ggml.model", std::string("bert"));
  writer.set("tokenizer.ggml.pre", std::string("default"));
  set_roles(config, map, vocabulary, writer);
  set_tokens(vocabulary, size, writer);
  writer.set("tokenizer.ggml.normalizer.lowercase", vocabulary.lowercase);
  writer.set("tokenizer.ggml.normalizer.strip_accents", vocabulary.strip_accents);
}

}  // namespace lore::engine::convert
