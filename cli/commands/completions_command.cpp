#include "cli/command.hpp"
#include "cli/shell/completions.hpp"

namespace lore::cli {
namespace {

class CompletionsCommand : public Command {
 public:
  std::string name() const override { return "completions"; }
  std::string help() const override {
    return "Print a script that makes a shell complete verbs, flags and models";
  }

  void declare(CLI::App& verb) override {
    app_ = verb.get_parent();
    verb.add_option("SHELL", shell_, "bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  }

  int run(Console& console) override {
    console.out(completion_script(*app_, shell_));
    return kDone;
  }

 private:
  const CLI::App* app_ = nullptr;
  std::string shell_;
};

}  // namespace

std::unique_ptr<Command> make_completions_command() {
  return std::make_unique<CompletionsCommand>();
}

}  // namespace lore::cli
