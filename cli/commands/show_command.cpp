#include "cli/command.hpp"
#include "cli/places.hpp"
#include "cli/render/style.hpp"
#include "cli/stored_page.hpp"
#include "lore/json.hpp"

namespace lore::cli {
namespace {

class ShowCommand : public Command {
 public:
  std::string name() const override { return "show"; }
  std::string help() const override {
    return "Print the stored text of a document, which all positions refer to";
  }

  void declare(CLI::App& verb) override {
    verb.add_option("DOCUMENT", document_, "Its path as stored, or a unique ending of it")
        ->required();
    add_value(verb, "--index", index_,
              "The index's folder; without it, the nearest .lore from here upward", "PATH");
    add_value(verb, "--page", page_,
              "Only this page, counted from 1; with --json, \"offset\" is where it starts in the "
              "document, and the positions of the page count from there",
              "N");
    declare_json(verb, json_);
  }

  std::string index_flag() const override { return locate_index(index_).string(); }

  int run(Console& console) override {
    Library library = make_library(console);
    StoredDocument document = library.open(locate_index(index_)).document(document_);
    if (page_) keep_page(document, *page_);
    if (json_) {
      console.out(to_json(document) + "\n");
      return kDone;
    }
    // As it is stored, to the byte, so that a script can count in it; a terminal is spared the
    // control characters of a hostile document.
    console.out(console.output_is_terminal() ? printable(document.text) + "\n" : document.text);
    return kDone;
  }

 private:
  std::string document_;
  std::string index_;
  std::optional<std::size_t> page_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_show_command() { return std::make_unique<ShowCommand>(); }

}  // namespace lore::cli
