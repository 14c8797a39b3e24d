// Messages to the token ids of a model's own chat format.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.hpp"

namespace lore::pipeline {

/// Renders `messages` by the model's template and encodes the result, ready for an answer. Text of
/// special tokens inside a message stays plain text: a document that holds "<|im_end|>" cannot end
/// its own message. Without a template (a base model): the contents, a blank line between two.
/// `add_special`: with the tokens that the model adds (never twice where the template prints them).
/// Throws Error{invalid_argument} where the template refuses the messages.
std::vector<engine::TokenId> encode_chat(const engine::Model& model,
                                         const std::vector<engine::ChatMessage>& messages,
                                         bool add_special = true);

}  // namespace lore::pipeline
