// Server-sent events that another thread produces: whoever computes never waits for a slow client.
#pragma once

#include <functional>

#include "cli/json_fields.hpp"
#include "cli/serve/http_server.hpp"

namespace lore::cli::serve {

/// Sends one event, `data: {…}`; false where nobody reads any more.
using SendEvent = std::function<bool(const Json&)>;

/// A response whose events `produce` sends, and "data: [DONE]" after them. Where it throws before
/// its first event, so does this; later, the error is the last event. While nothing comes, comments
/// keep the connection open. `produce` runs on a thread of its own; it must end soon when told that
/// nobody reads.
HttpResponse event_stream(std::function<void(const SendEvent&)> produce);

}  // namespace lore::cli::serve
