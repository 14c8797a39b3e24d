#include "cli/command.hpp"
#include "cli/last_answer.hpp"
#include "cli/open_file.hpp"
#include "cli/places.hpp"

namespace lore::cli {
namespace {

class OpenCommand : public Command {
 public:
  std::string name() const override { return "open"; }
  std::string help() const override {
    return "Open the file of a citation of the last answer, a PDF at its page";
  }

  void declare(CLI::App& verb) override {
    verb.add_option("N", number_, "The citation's number")->required();
    add_value(verb, "--index", index_,
              "The index's folder; without it, the nearest .lore from here upward", "PATH");
  }

  std::string index_flag() const override { return locate_index(index_).string(); }

  int run(Console& console) override {
    const CitedPlace place = last_citation(locate_index(index_), number_);
    open_file(place.file, place.page);
    console.note(shown(place.file) +
                 (place.page > 0 ? ", page " + std::to_string(place.page) : ""));
    return kDone;
  }

 private:
  std::size_t number_ = 0;
  std::string index_;
};

}  // namespace

std::unique_ptr<Command> make_open_command() { return std::make_unique<OpenCommand>(); }

}  // namespace lore::cli
