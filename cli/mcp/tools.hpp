// The tools that an assistant gets: search, ask, get, status.
#pragma once

#include "cli/index_pool.hpp"
#include "cli/mcp/connection.hpp"

namespace lore::cli::mcp {

/// Of "tools/list".
Json list_tools();
/// Of "tools/call". What a tool cannot do is a result that says so, with "isError", so that the
/// assistant can read it and try otherwise. Throws ProtocolError for an unknown tool.
Json call_tool(IndexPool& indexes, const Json& parameters, Call& call);

}  // namespace lore::cli::mcp
