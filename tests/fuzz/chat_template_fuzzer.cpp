// Any text as a chat template: it is refused, or renders within its limits.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/tokenizer/chat_template.hpp"
#include "lore/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  try {
    const lore::engine::ChatTemplate chat(source, "<s>", "</s>");
    static_cast<void>(chat.render({{"system", "Be brief."}, {"user", "Why?"}}, true));
  } catch (const lore::Error&) {
    // Most inputs are no templates.
  }
  return 0;
}
