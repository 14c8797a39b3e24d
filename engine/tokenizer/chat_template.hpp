// Rendering the chat template that a model carries (Jinja).
#pragma once

#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lore::engine {

struct ChatMessage {
  std::string role;  ///< "system", "user", "assistant"
  std::string content;
};

/// A compiled template. Set up as Hugging Face's apply_chat_template does it (trim_blocks,
/// lstrip_blocks, break and continue, raise_exception, strftime_now, tojson without escapes of
/// HTML). Rendering is bounded: a template that recurses, loops or grows without end is an error.
///
/// Thread safety: immutable after construction.
class ChatTemplate {
 public:
  /// The local time that strftime_now formats.
  using Clock = std::function<std::tm()>;

  /// Throws Error{unsupported} that quotes the construct which is not understood, with its line.
  /// An empty `clock` is the system's. `origin`: the file that carries the template; where given,
  /// errors begin with it and say the way out.
  ChatTemplate(std::string_view source, std::string bos_token, std::string eos_token,
               Clock clock = {}, std::string origin = {});
  ~ChatTemplate();
  ChatTemplate(ChatTemplate&&) noexcept;
  ChatTemplate& operator=(ChatTemplate&&) noexcept;

  /// Throws Error{invalid_argument} with the template's own words where it refuses the messages,
  /// Error{unsupported} that names the template's line where it fails otherwise.
  std::string render(const std::vector<ChatMessage>& messages, bool add_generation_prompt) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lore::engine
