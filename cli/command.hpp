// What every verb is.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/console.hpp"
#include "cli/flags.hpp"
#include "lore/library.hpp"

namespace lore::cli {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongUsage = 2;
inline constexpr int kNotInDocuments = 3;
inline constexpr int kSomeFailed = 4;
inline constexpr int kInterrupted = 130;

/// The name of the hidden verb that parses PDFs in a process of its own.
inline constexpr std::string_view kWorkerVerb = "extract-worker";

/// One verb: declares its flags, then runs. Its members are the flags' values.
class Command {
 public:
  virtual ~Command() = default;
  virtual std::string name() const = 0;
  virtual std::string help() const = 0;
  virtual void declare(CLI::App& verb) = 0;
  /// Returns the exit code. Throws Error, BrokenPipe.
  virtual int run(Console& console) = 0;
  /// The index whose config.json counts for this verb; "" where it has none.
  virtual std::string index_flag() const { return {}; }

  CommonFlags common;

 protected:
  /// `together`: texts that are written at the same time.
  Library make_library(Console& console, std::size_t together = 1) const;
};

std::unique_ptr<Command> make_index_command();
std::unique_ptr<Command> make_search_command();
std::unique_ptr<Command> make_ask_command();
std::unique_ptr<Command> make_batch_command();
std::unique_ptr<Command> make_embed_command();
std::unique_ptr<Command> make_generate_command();
std::unique_ptr<Command> make_status_command();
std::unique_ptr<Command> make_check_command();
std::unique_ptr<Command> make_show_command();
std::unique_ptr<Command> make_serve_command();
std::unique_ptr<Command> make_mcp_command();
std::unique_ptr<Command> make_chat_command();
std::unique_ptr<Command> make_open_command();
std::unique_ptr<Command> make_config_command();
std::unique_ptr<Command> make_doctor_command();
std::unique_ptr<Command> make_completions_command();
std::unique_ptr<Command> make_model_show_command();
std::unique_ptr<Command> make_model_tokenize_command();
std::unique_ptr<Command> make_model_convert_command();
std::unique_ptr<Command> make_model_bench_command();

}  // namespace lore::cli
