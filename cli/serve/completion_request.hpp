// What a chat or a completion asks for, in OpenAI's words.
#pragma once

#include <string>
#include <vector>

#include "cli/json_fields.hpp"
#include "lore/options.hpp"
#include "lore/types.hpp"

namespace lore::cli::serve {

/// The sampling fields, limits and stops that both kinds share. Nothing is sampled (temperature 0)
/// unless a temperature is given. Throws Error{invalid_argument} for what makes no sense or cannot
/// be done.
GenerateRequest completion_request(const Fields& fields, std::size_t context);
/// "messages"; a content may be a string or parts of type text.
std::vector<ChatMessage> messages_of(const Fields& fields);
/// Whether it is to be streamed, and with a last event that tells the usage.
struct Streaming {
  bool on = false;
  bool usage = false;
};
Streaming streaming_of(const Fields& fields);

}  // namespace lore::cli::serve
