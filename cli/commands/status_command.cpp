#include "cli/command.hpp"
#include "cli/places.hpp"
#include "cli/render/report.hpp"
#include "lore/json.hpp"

namespace lore::cli {
namespace {

class StatusCommand : public Command {
 public:
  std::string name() const override { return "status"; }
  std::string help() const override { return "Tell what is indexed and what could not be read"; }

  void declare(CLI::App& verb) override {
    add_value(verb, "--index", index_,
              "The index's folder; without it, the nearest .lore from here upward", "PATH");
    declare_json(verb, json_);
  }

  std::string index_flag() const override { return locate_index(index_).string(); }

  int run(Console& console) override {
    Library library = make_library(console);
    const IndexStatus status = library.open(locate_index(index_)).status();
    console.out(json_ ? to_json(status) + "\n" : render_status(status, console.style()));
    return kDone;
  }

 private:
  std::string index_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_status_command() { return std::make_unique<StatusCommand>(); }

}  // namespace lore::cli
