// How a template's failures are said.
#pragma once

#include <string>

#include "lore/error.hpp"

namespace lore::engine::jinja {

/// A construct that is not understood, when a template is compiled.
inline Error syntax_error(int line, const std::string& what) {
  return Error(ErrorCode::unsupported,
               "the chat template cannot be used (line " + std::to_string(line) + "): " + what,
               "chat_template");
}

/// What a template does with values of the wrong kind, when it is rendered. The evaluator adds the
/// line.
inline Error render_error(const std::string& what) {
  return Error(ErrorCode::unsupported, "the chat template failed: " + what, "chat_template");
}

}  // namespace lore::engine::jinja
