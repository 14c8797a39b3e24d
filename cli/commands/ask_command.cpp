#include "cli/command.hpp"
#include "cli/last_answer.hpp"
#include "cli/places.hpp"
#include "cli/render/passages.hpp"
#include "cli/render/style.hpp"
#include "lore/json.hpp"

namespace lore::cli {
namespace {

class AskCommand : public Command {
 public:
  std::string name() const override { return "ask"; }
  std::string help() const override {
    return "Answer a question from the indexed documents, with checked citations";
  }

  void declare(CLI::App& verb) override {
    verb.add_option("QUESTION", question_, "What you want to know");
    index_.declare(verb);
    answer_.declare(verb);
    declare_json(verb, json_);
  }

  std::string index_flag() const override { return locate_index(index_.index).string(); }

  int run(Console& console) override {
    Library library = make_library(console);
    DocumentIndex index = library.open(locate_index(index_.index), index_.embed_model);
    const AskOptions options = answer_.options();
    AskCallbacks callbacks;
    if (!json_) {
      callbacks.passages = [&](const std::vector<Passage>& passages) {
        if (console.shows_progress()) console.note(render_sources(passages));
      };
      // A strict answer is known only when all of it is checked.
      if (!options.strict) {
        callbacks.text = [&](std::string_view piece) {
          streamed_ = true;
          console.stream(printable(piece));
        };
      }
    }
    const Answer answer = index.ask(joined(question_), options, callbacks);
    keep_last_answer(index.folder(), answer);
    if (json_) {
      console.out(to_json(answer) + "\n");
    } else {
      console.out(render_answer(answer, streamed_, console.style()));
    }
    tell_timings(answer, console);
    return answer.status == AnswerStatus::answered ? kDone : kNotInDocuments;
  }

 private:
  static void tell_timings(const Answer& answer, Console& console) {
    const AnswerTimings& t = answer.timings;
    console.detail("embed " + fixed(t.embed, 0) + " ms, retrieve " + fixed(t.retrieve, 0) +
                   " ms, prompt " + std::to_string(answer.prompt_tokens) + " tokens in " +
                   fixed(t.prefill, 0) + " ms, answer " + std::to_string(answer.generated_tokens) +
                   " tokens in " + fixed(t.decode, 0) + " ms, total " + fixed(t.total, 0) + " ms");
  }

  std::vector<std::string> question_;
  IndexFlags index_;
  AnswerFlags answer_;
  bool json_ = false;
  bool streamed_ = false;
};

}  // namespace

std::unique_ptr<Command> make_ask_command() { return std::make_unique<AskCommand>(); }

}  // namespace lore::cli
