#include "pipeline/chat_prompt.hpp"

#include <algorithm>
#include <utility>

namespace lore::pipeline {
namespace {

using engine::ChatMessage;
using engine::TokenId;

/// A text that no template and no person writes, in place of the message with this number.
std::string marker(std::size_t number) {
  return "\xEE\x80\x80lore-message-" + std::to_string(number) + "\xEE\x80\x81";  // U+E000, U+E001
}

bool holds_special_text(const engine::Tokenizer& tokenizer, std::string_view text) {
  return tokenizer.ids(text, {.add_special = false, .parse_special = true}) !=
         tokenizer.ids(text, {.add_special = false, .parse_special = false});
}

void append(std::vector<TokenId>& ids, const std::vector<TokenId>& more) {
  ids.insert(ids.end(), more.begin(), more.end());
}

/// Encodes the template's own text with its special tokens and each message as plain text.
std::vector<TokenId> encode_apart(const engine::Model& model,
                                  const std::vector<ChatMessage>& messages, bool add_special) {
  std::vector<ChatMessage> marked = messages;
  for (std::size_t i = 0; i < marked.size(); ++i) marked[i].content = marker(i);
  const std::string rendered = model.chat_template()->render(marked, true);
  const engine::Tokenizer& tokenizer = model.tokenizer();
  std::vector<TokenId> ids;
  std::size_t at = 0;
  while (at < rendered.size()) {
    std::size_t next = rendered.size();
    std::size_t which = messages.size();
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const std::size_t found = rendered.find(marker(i), at);
      if (found < next) {
        next = found;
        which = i;
      }
    }
    const bool first = at == 0;
    append(ids, tokenizer.ids(std::string_view(rendered).substr(at, next - at),
                              {.add_special = add_special && first, .parse_special = true}));
    if (which == messages.size()) break;
    append(ids,
           tokenizer.ids(messages[which].content, {.add_special = false, .parse_special = false}));
    at = next + marker(which).size();
  }
  return ids;
}

std::string joined(const std::vector<ChatMessage>& messages) {
  std::string text;
  for (const ChatMessage& message : messages) {
    if (message.content.empty()) continue;
    if (!text.empty()) text += "\n\n";
    text += message.content;
  }
  return text;
}

/// A model that adds an end token to every text would end the answer before it begins.
void drop_added_end(std::vector<TokenId>& ids, const engine::Tokenizer& tokenizer,
                    std::string_view rendered) {
  const auto end = tokenizer.eos();
  if (end && ids.size() > 1 && ids.back() == *end && !rendered.ends_with(tokenizer.token(*end))) {
    ids.pop_back();
  }
}

}  // namespace

std::vector<TokenId> encode_chat(const engine::Model& model,
                                 const std::vector<ChatMessage>& messages, bool add_special) {
  const engine::Tokenizer& tokenizer = model.tokenizer();
  const bool has_template = model.chat_template() != nullptr;
  const std::string rendered =
      has_template ? model.chat_template()->render(messages, true) : joined(messages);
  const bool unsafe = std::any_of(messages.begin(), messages.end(), [&](const ChatMessage& m) {
    return holds_special_text(tokenizer, m.content);
  });
  std::vector<TokenId> ids =
      unsafe && has_template
          ? encode_apart(model, messages, add_special)
          : tokenizer.ids(rendered, {.add_special = add_special, .parse_special = has_template});
  drop_added_end(ids, tokenizer, rendered);
  return ids;
}

}  // namespace lore::pipeline
