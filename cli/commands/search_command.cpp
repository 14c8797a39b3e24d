#include "cli/command.hpp"
#include "cli/places.hpp"
#include "cli/render/passages.hpp"
#include "lore/error.hpp"
#include "lore/json.hpp"

namespace lore::cli {
namespace {

class SearchCommand : public Command {
 public:
  std::string name() const override { return "search"; }
  std::string help() const override { return "Find the passages nearest to a question or words"; }

  void declare(CLI::App& verb) override {
    verb.add_option("QUERY", query_, "What to look for");
    index_.declare(verb);
    add_value(verb, "-k,--top-passages", options_.k, "Passages to show", "N", "LORE_K")
        ->capture_default_str();
    add_value(verb, "--mode", mode_, "hybrid (meaning and words), vector (meaning) or text (words)",
              "MODE")
        ->check(CLI::IsMember({"hybrid", "vector", "text"}))
        ->capture_default_str();
    add_value(verb, "--filter", options_.filter, "Only documents whose path fits this glob",
              "GLOB");
    add_switch(verb, "--explain", explain_, "Tell the rank and score in each list");
    declare_json(verb, json_);
  }

  std::string index_flag() const override { return locate_index(index_.index).string(); }

  int run(Console& console) override {
    const std::string query = joined(query_);
    options_.mode = search_kind(mode_).value();  // the flag takes no other name
    Library library = make_library(console);
    DocumentIndex index = library.open(locate_index(index_.index), index_.embed_model);
    const SearchResponse found = index.search(query, options_);
    if (json_) {
      console.out(to_json(found.passages) + "\n");
    } else if (found.passages.empty()) {
      console.note("nothing found for: " + query);
    } else {
      console.out(render_hits(found.passages, explain_, console.style()));
    }
    return found.passages.empty() ? kNotInDocuments : kDone;
  }

 private:
  std::vector<std::string> query_;
  IndexFlags index_;
  SearchOptions options_;
  std::string mode_ = "hybrid";
  bool explain_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_search_command() { return std::make_unique<SearchCommand>(); }

}  // namespace lore::cli
