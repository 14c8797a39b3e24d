#include "cli/app.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/installation.hpp"
#include "cli/interrupt.hpp"
#include "cli/places.hpp"
#include "cli/settings.hpp"
#include "cli/suggestions.hpp"
#include "lore/error.hpp"
#include "lore/library.hpp"

namespace lore::cli {
namespace {

constexpr const char* kDescription =
    "lore answers questions from your own documents, offline, with citations that are checked.";
constexpr const char* kFooter =
    "Start with: lore index FOLDER, then in that folder: lore ask \"…\"\n"
    "lore VERB --help tells the flags of a verb. Each flag has a variable (Env) and can stand in\n"
    "config.json, in the index's folder or in ~/.config/lore. Exit codes: 0 done, 1 failed,\n"
    "2 wrong usage, 3 not in the documents, 4 finished but some files or questions failed,\n"
    "130 interrupted.";

std::string version_line() { return "lore " + std::string(version()); }

struct Verb {
  CLI::App* app;
  std::unique_ptr<Command> command;
  /// CLI11 looks for these before settings and what follows "--" could give them.
  std::vector<CLI::Option*> required;
};

/// All verbs on one CLI::App.
class Face {
 public:
  Face() : app_(kDescription, "lore") {
    app_.footer(kFooter);
    app_.set_help_flag("-h,--help", "Tell about the flags");
    app_.set_version_flag("--version", version_line(), "Tell the version");
    app_.option_defaults()->always_capture_default(false);
    for (auto* make :
         {make_index_command, make_search_command, make_ask_command, make_batch_command,
          make_embed_command, make_generate_command, make_status_command, make_check_command,
          make_show_command, make_chat_command, make_open_command, make_serve_command,
          make_mcp_command, make_doctor_command, make_config_command, make_completions_command}) {
      add(app_, make());
    }
    model_ = app_.add_subcommand("model", "Look at models, and make model files");
    model_->set_help_flag("-h,--help", "Tell about the flags");
    for (auto* make : {make_model_show_command, make_model_tokenize_command,
                       make_model_convert_command, make_model_bench_command}) {
      add(*model_, make());
    }
  }

  int run(std::vector<std::string> arguments, Console& console);

 private:
  void add(CLI::App& parent, std::unique_ptr<Command> command);
  int parse(std::vector<std::string>& arguments, Console& console, bool& ended);
  int refuse(const CLI::ParseError& error, Console& console);
  int refuse_unknown_verb(const CLI::App& parent, const std::string& word, Console& console);
  Verb* chosen();
  void apply_settings_to(Verb& verb);
  static void require(const Verb& verb, bool arguments_only);

  CLI::App app_;
  CLI::App* model_ = nullptr;
  std::vector<Verb> verbs_;
};

void Face::add(CLI::App& parent, std::unique_ptr<Command> command) {
  CLI::App* app = parent.add_subcommand(command->name(), command->help());
  app->set_help_flag("-h,--help", "Tell about the flags");
  command->declare(*app);
  command->common.declare(*app);
  app->set_version_flag("--version", version_line(), "Tell the version")->group("Common");
  Verb verb{app, std::move(command), {}};
  for (CLI::Option* option : app->get_options()) {
    if (option->get_required()) verb.required.push_back(option->required(false));
  }
  verbs_.push_back(std::move(verb));
}

std::string full_name(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : full_name(*parent) + " " + app.get_name();
}

bool has_verb(const CLI::App& parent, const std::string& name) {
  const std::vector<const CLI::App*> verbs = parent.get_subcommands({});
  return std::any_of(verbs.begin(), verbs.end(),
                     [&](const CLI::App* verb) { return verb->get_name() == name; });
}

std::string help_of(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return app.help(parent == nullptr ? "" : full_name(*parent));
}

Verb* Face::chosen() {
  const auto found = std::find_if(verbs_.begin(), verbs_.end(),
                                  [](const Verb& verb) { return verb.app->parsed(); });
  return found == verbs_.end() ? nullptr : &*found;
}

int Face::refuse_unknown_verb(const CLI::App& parent, const std::string& word, Console& console) {
  std::vector<std::string> names;
  for (const CLI::App* verb : parent.get_subcommands({})) names.push_back(verb->get_name());
  const auto meant = nearest(word, names);
  std::string message = full_name(parent) + ": there is no verb '" + word + "'";
  message += meant ? "; did you mean '" + *meant + "'?" : "";
  console.warn(message + " See: " + full_name(parent) + " --help");
  return kWrongUsage;
}

/// CLI11 says what is wrong; which flag was meant is ours to say.
int Face::refuse(const CLI::ParseError& error, Console& console) {
  Verb* verb = chosen();
  const CLI::App& app = verb != nullptr ? *verb->app : app_;
  std::string message = error.what();
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
      for (const std::string& name : option->get_fnames()) names.push_back("--" + name);
    }
    const std::vector<std::string> rest = app.remaining(true);
    const auto flag = std::find_if(rest.begin(), rest.end(),
                                   [](const std::string& word) { return word.starts_with('-'); });
    if (flag != rest.end()) {
      const std::string name = flag->substr(0, flag->find('='));
      const auto meant = nearest(name, names);
      message = "unknown flag " + name + (meant ? "; did you mean " + *meant + "?" : ".");
    } else if (!rest.empty()) {
      message = "unexpected argument '" + rest.front() + "'.";
    }
  } else {
    std::replace(message.begin(), message.end(), '\n', ' ');
    message += '.';
  }
  console.warn(full_name(app) + ": " + message + " See: " + full_name(app) + " --help");
  return kWrongUsage;
}

int Face::parse(std::vector<std::string>& arguments, Console& console, bool& ended) {
  ended = true;
  if (arguments.empty()) {
    console.warn(app_.help());
    return kWrongUsage;
  }
  const std::string& first = arguments.front();
  if (!first.starts_with('-') && !has_verb(app_, first)) {
    return refuse_unknown_verb(app_, first, console);
  }
  if (first == model_->get_name()) {
    if (arguments.size() == 1) {
      console.warn(help_of(*model_));
      return kWrongUsage;
    }
    if (!arguments[1].starts_with('-') && !has_verb(*model_, arguments[1])) {
      return refuse_unknown_verb(*model_, arguments[1], console);
    }
  }
  // What follows "--" is text, whatever it looks like.
  const auto marker = std::find(arguments.begin(), arguments.end(), "--");
  std::vector<std::string> texts;
  if (marker != arguments.end()) {
    texts.assign(marker + 1, arguments.end());
    arguments.erase(marker, arguments.end());
  }
  try {
    app_.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    const Verb* verb = chosen();
    if (!texts.empty() && verb != nullptr) {
      for (CLI::Option* option : verb->app->get_options()) {
        if (!option->get_positional()) continue;
        for (const std::string& text : texts) option->add_result(text);
        option->run_callback();
      }
    }
  } catch (const CLI::CallForHelp&) {
    const Verb* verb = chosen();
    if (verb != nullptr) {
      for (CLI::Option* option : verb->required) option->required();  // the help tells it
    }
    console.out(help_of(verb != nullptr ? *verb->app : model_->parsed() ? *model_ : app_));
    return kDone;
  } catch (const CLI::CallForVersion& error) {
    console.out(std::string(error.what()) + "\n");
    return kDone;
  } catch (const CLI::ParseError& error) {
    return refuse(error, console);
  }
  ended = false;
  return kDone;
}

void Face::apply_settings_to(Verb& verb) {
  std::vector<std::string> known;
  for (const Verb& other : verbs_) {
    for (std::string& name : setting_names(*other.app)) known.push_back(std::move(name));
  }
  const std::string name = verb.command->name();
  std::vector<std::filesystem::path> files{user_config()};
  // First where the index is: its own settings come before the user's.
  apply_settings(*verb.app, name, files, known, "index");
  const std::string index = verb.command->index_flag();
  if (!index.empty()) files.insert(files.begin(), std::filesystem::path(index) / "config.json");
  apply_settings(*verb.app, name, files, known);
}

/// `arguments_only`: what has no variable, so that no setting can give it either.
void Face::require(const Verb& verb, bool arguments_only) {
  for (const CLI::Option* option : verb.required) {
    if (option->count() > 0 || (arguments_only && !option->get_envname().empty())) continue;
    throw CLI::RequiredError(option->get_name());
  }
}

int Face::run(std::vector<std::string> arguments, Console& console) {
  bool ended = false;
  const int code = parse(arguments, console, ended);
  if (ended) return code;
  Verb* verb = chosen();
  if (verb == nullptr) {
    console.warn(app_.help());
    return kWrongUsage;
  }
  try {
    require(*verb, true);  // before an index and its settings are looked for
    apply_settings_to(*verb);
    require(*verb, false);
  } catch (const CLI::RequiredError& error) {
    return refuse(error, console);
  }
  const CommonFlags& common = verb->command->common;
  console.set(
      {common.quiet, common.verbose, common.no_color, common.no_progress, common.screen_reader});
  return verb->command->run(console);
}

int code_of(const Error& error) {
  switch (error.code()) {
    case ErrorCode::invalid_argument:
      return kWrongUsage;
    case ErrorCode::interrupted:
      return kInterrupted;
    default:
      return kFailed;
  }
}

int run_reporting(std::vector<std::string> arguments, Console& console) {
  try {
    const int code = Face().run(std::move(arguments), console);
    console.flush();
    return code;
  } catch (const Error& error) {
    console.warn(std::string("lore: ") + error.what());
    return code_of(error);
  } catch (const std::bad_alloc&) {
    console.warn(
        "lore: there is not enough memory for this; close other programs or use a smaller "
        "model");
    return kFailed;
  } catch (const std::exception& error) {
    console.warn(std::string("lore: ") + error.what());
    return kFailed;
  }
}

/// Results that were finished before something failed still go out.
void deliver(Console& console, int& code) {
  try {
    console.flush();
  } catch (const Error& error) {
    if (code == kDone) code = kFailed;
    console.warn(std::string("lore: ") + error.what());
  }
}

}  // namespace

Library Command::make_library(Console& console, std::size_t together) const {
  LibraryOptions options;
  options.models = models_folder();
  options.get_models = find_installation().get_models;
  options.threads = common.threads;
  options.kernels = common.kernels;
  options.together = together;
  options.worker_command = {"/proc/self/exe", std::string(kWorkerVerb)};
  options.messages = [&console](Severity severity, std::string_view message) {
    switch (severity) {
      case Severity::debug:
        return console.detail(message);
      case Severity::info:
        return console.note(message);
      case Severity::warning:
        return console.warn(message);
    }
  };
  return Library(std::move(options));
}

int run(int argc, char** argv) {
  ignore_broken_pipes();
  std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (!arguments.empty() && arguments.front() == kWorkerVerb) {
    return run_extraction_worker(std::span(arguments).subspan(1), find_installation().reader_files);
  }
  set_on_interrupt(OnInterrupt::end_at_once);
  Console console;
  try {
    int code = run_reporting(std::move(arguments), console);
    deliver(console, code);
    return code;
  } catch (const BrokenPipe&) {
    end_by_broken_pipe();
  }
}

}  // namespace lore::cli
