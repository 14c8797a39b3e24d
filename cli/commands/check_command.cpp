#include "cli/command.hpp"
#include "cli/places.hpp"
#include "cli/render/report.hpp"
#include "lore/json.hpp"

namespace lore::cli {
namespace {

class CheckCommand : public Command {
 public:
  std::string name() const override { return "check"; }
  std::string help() const override {
    return "Compare everything in the index that can be compared (exit code 1 where not sound)";
  }

  void declare(CLI::App& verb) override {
    add_value(verb, "--index", index_,
              "The index's folder; without it, the nearest .lore from here upward", "PATH");
    add_switch(verb, "--repair", repair_, "Put right what can be rebuilt");
    declare_json(verb, json_);
  }

  std::string index_flag() const override { return locate_index(index_).string(); }

  int run(Console& console) override {
    Library library = make_library(console);
    const std::filesystem::path folder = locate_index(index_);
    const CheckOutcome outcome = repair_ ? library.repair(folder) : library.open(folder).check();
    console.out(json_ ? to_json(outcome) + "\n" : render_check(outcome, console.style()));
    if (outcome.problems.empty()) return kDone;
    console.warn(repair_ ? "lore: the index " + shown(folder) +
                               " cannot be repaired; delete that folder and index again"
                         : "lore: the index " + shown(folder) +
                               " is not sound; put it right with: lore check --repair");
    return kFailed;
  }

 private:
  std::string index_;
  bool repair_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_check_command() { return std::make_unique<CheckCommand>(); }

}  // namespace lore::cli
