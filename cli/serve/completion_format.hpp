// How chats and completions are written, as OpenAI documents them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/json_fields.hpp"

namespace lore::cli::serve {

enum class CompletionKind { chat, text };

/// One answer, whole or piece by piece. `logprobs`: null where nobody has asked for them.
class CompletionFormat {
 public:
  /// With an id of its own and the time that it is. `model`: as clients call it.
  CompletionFormat(CompletionKind kind, std::string model);

  Json whole(std::string_view text, Json logprobs, std::string_view finish, Json usage) const;

  /// The first event of a chat tells who speaks.
  Json first() const;
  Json piece(std::string_view text, Json logprobs) const;
  Json last(std::string_view finish) const;
  /// An event without a choice, after the last one.
  Json usage_event(Json usage) const;

  static Json usage(std::size_t prompt_tokens, std::size_t written_tokens);
  bool is_chat() const { return kind_ == CompletionKind::chat; }

 private:
  Json object(std::string_view name, Json choices) const;
  Json event(Json delta, Json logprobs, Json finish) const;
  std::string_view event_name() const;

  CompletionKind kind_;
  std::string model_;
  std::string id_;
  std::int64_t created_;
};

}  // namespace lore::cli::serve
