#include <algorithm>
#include <array>
#include <iostream>
#include <string>

#include "cli/command.hpp"
#include "cli/mcp/tools.hpp"
#include "cli/places.hpp"

namespace lore::cli {
namespace {

/// Newest first.
constexpr std::array<std::string_view, 4> kVersions = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                       "2024-11-05"};

/// The client's version, where we know it; else the newest, and the client decides.
Json initialize(const Json& parameters) {
  const std::string asked = parameters.value("protocolVersion", "");
  const bool known = std::find(kVersions.begin(), kVersions.end(), asked) != kVersions.end();
  return {{"protocolVersion", known ? asked : std::string(kVersions.front())},
          {"capabilities", {{"tools", {{"listChanged", false}}}}},
          {"serverInfo", {{"name", "lore"}, {"title", "lore"}, {"version", version()}}},
          {"instructions",
           "The user's own documents, indexed on this machine. Search them before answering about "
           "anything they may cover, and cite document and page."}};
}

class McpCommand : public Command {
 public:
  std::string name() const override { return "mcp"; }
  std::string help() const override {
    return "Serve the index to an assistant that speaks the Model Context Protocol, on standard "
           "input and output";
  }

  void declare(CLI::App& verb) override { index_.declare(verb); }
  std::string index_flag() const override { return locate_index(index_.index).string(); }

  int run(Console& console) override {
    constexpr std::size_t kTogether = 4;
    Library library = make_library(console, kTogether);
    IndexPool indexes(library, locate_index(index_.index), index_.embed_model);
    indexes.take();  // what is wrong with it is told now
    const auto write = [&](const std::string& line) {
      console.out(line + "\n");
      console.flush();
    };
    const auto nothing = [](const Json&, mcp::Call&) { return Json::object(); };
    mcp::Connection connection(
        write,
        {{"initialize", [](const Json& parameters, mcp::Call&) { return initialize(parameters); }},
         {"ping", nothing},
         {"tools/list", [](const Json&, mcp::Call&) { return mcp::list_tools(); }}},
        {{"tools/call", [&](const Json& parameters, mcp::Call& call) {
            return mcp::call_tool(indexes, parameters, call);
          }}});
    std::string line;
    while (std::getline(std::cin, line)) connection.receive(line);
    connection.finish();
    return kDone;
  }

 private:
  IndexFlags index_;
};

}  // namespace

std::unique_ptr<Command> make_mcp_command() { return std::make_unique<McpCommand>(); }

}  // namespace lore::cli
