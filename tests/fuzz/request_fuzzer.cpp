// Any text as the body of a request, and as lines for `lore mcp`: it is refused, or understood.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cli/mcp/connection.hpp"
#include "cli/serve/completion_request.hpp"
#include "lore/error.hpp"

namespace {

using lore::cli::Fields;
using lore::cli::Json;
namespace mcp = lore::cli::mcp;

void read_as_body(std::string_view text) {
  try {
    const Fields fields = Fields::parse(text);
    static_cast<void>(lore::cli::serve::streaming_of(fields));
    static_cast<void>(lore::cli::serve::completion_request(fields, 4096));
    static_cast<void>(lore::cli::serve::messages_of(fields));
  } catch (const lore::Error&) {
    // Most inputs are no requests.
  }
}

void read_as_messages(std::string_view text) {
  const auto echo = [](const Json& parameters, mcp::Call&) { return parameters; };
  mcp::Connection connection([](const std::string&) {}, {{"ping", echo}}, {{"tools/call", echo}});
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    connection.receive(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  read_as_body(text);
  read_as_messages(text);
  return 0;
}
