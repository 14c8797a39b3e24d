#include "engine/tokenizer/vocabulary_tokenizer.hpp"

#include <limits>

#include "lore/error.hpp"

namespace lore::engine {

VocabularyTokenizer::VocabularyTokenizer(const gguf::Metadata& metadata,
                                         const VocabularyDefaults& defaults)
    : vocabulary_(metadata, defaults), matcher_(vocabulary_) {}

Encoding VocabularyTokenizer::run(std::string_view text, const EncodeOptions& options,
                                  bool with_spans) const {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw Error(ErrorCode::limit_exceeded,
                "a text of " + std::to_string(text.size()) +
                    " bytes is too long to tokenize at once; split it below 2 GiB");
  }
  const std::vector<Fragment> fragments = matcher_.split(text, options.parse_special);
  const auto starts_with = [&](std::optional<TokenId> id) {
    return !fragments.empty() && id && fragments.front().token == *id;
  };
  const auto ends_with = [&](std::optional<TokenId> id) {
    return !fragments.empty() && id && fragments.back().token == *id;
  };

  TokenSink out{{}, with_spans};
  out.encoding.ids.reserve(text.size() / 4 + 2);
  if (with_spans) out.encoding.spans.reserve(text.size() / 4 + 2);
  if (options.add_special && vocabulary_.add_bos() && !starts_with(bos())) out.add(*bos(), 0, 0);
  bool after_token = true;
  for (const Fragment& fragment : fragments) {
    if (fragment.token != Fragment::kText) {
      out.add(fragment.token, fragment.begin, fragment.end);
      after_token = true;
    } else {
      encode_fragment(text, fragment, after_token, out);
      after_token = false;
    }
  }
  if (options.add_special && vocabulary_.add_eos() && !ends_with(eos())) {
    out.add(*eos(), text.size(), text.size());
  }
  return std::move(out.encoding);
}

std::string_view VocabularyTokenizer::token(TokenId id) const {
  return vocabulary_.contains(id) ? vocabulary_.text(id) : std::string_view{};
}

bool VocabularyTokenizer::is_control(TokenId id) const {
  return vocabulary_.contains(id) && vocabulary_.kind(id) == TokenKind::control;
}

std::string VocabularyTokenizer::piece(TokenId id, bool special) const {
  if (!vocabulary_.contains(id)) return {};
  const TokenKind kind = vocabulary_.kind(id);
  if (kind == TokenKind::control || kind == TokenKind::unknown) {
    return special ? std::string(vocabulary_.text(id)) : std::string{};
  }
  if (kind == TokenKind::user_defined) return std::string(vocabulary_.text(id));
  return normal_piece(id);
}

std::string VocabularyTokenizer::decode(const std::vector<TokenId>& ids, bool special) const {
  std::string text;
  bool first = strips_leading_space();
  for (const TokenId id : ids) {
    const std::string part = piece(id, special);
    const bool strip = first && !is_control(id) && part.starts_with(' ');
    text.append(part, strip ? 1 : 0, std::string::npos);
    if (!is_control(id)) first = false;
  }
  return text;
}

}  // namespace lore::engine
