#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/places.hpp"
#include "cli/render/progress.hpp"
#include "cli/render/style.hpp"
#include "lore/error.hpp"

namespace lore::cli {
namespace {

class BatchCommand : public Command {
 public:
  std::string name() const override { return "batch"; }
  std::string help() const override {
    return "Answer the questions of a file (.txt, .csv, .jsonl), one JSON object a line";
  }

  void declare(CLI::App& verb) override {
    verb.add_option("FILE", input_, "Questions: a line each, or with id and question")->required();
    index_.declare(verb);
    add_value(
        verb, "-o,--output", output_,
        "Write the answers here, in the order of the questions, each safe on the disk at once",
        "FILE");
    add_switch(
        verb, "--resume", options_.resume,
        "Go on with the file of -o: answered questions are left alone, failed ones repeated");
    add_value(verb, "--jobs", options_.jobs,
              "Questions that are answered together, sharing each pass over the model", "N")
        ->check(CLI::Range(1, 64))
        ->capture_default_str();
    add_switch(verb, "--json", json_, "Changes nothing: answers are JSON lines in any case");
    answer_.declare(verb);
  }

  std::string index_flag() const override { return locate_index(index_.index).string(); }

  int run(Console& console) override {
    options_.input = input_;
    options_.output = output_;
    options_.ask = answer_.options();
    if (options_.resume && output_.empty()) {
      throw Error(ErrorCode::invalid_argument,
                  "--resume goes on with a file of answers; name it by --output", "--resume");
    }
    set_on_interrupt(OnInterrupt::finish_in_hand);
    const ProgressLine line(console.style());
    BatchCallbacks callbacks;
    callbacks.stop = interrupted;
    callbacks.line = [&](std::string_view text) {
      console.out(text);
      console.out("\n");
      console.flush();
    };
    callbacks.progress = [&](std::size_t done, std::size_t total) {
      console.progress(line.of(done, total, "questions"), share_of(done, total));
    };
    callbacks.failed = [&](std::string_view id, std::string_view error) {
      console.warn("failed: question " + std::string(id) + ": " + std::string(error));
    };
    const BatchReport report = make_library(console).batch(locate_index(index_.index), options_,
                                                           callbacks, index_.embed_model);
    console.progress("");
    console.note(summary(report));
    return report.failed == 0 ? kDone : kSomeFailed;
  }

 private:
  static std::string summary(const BatchReport& report) {
    std::string text = human_count(report.answered) + " answered, " +
                       human_count(report.not_in_documents) + " not in the documents, " +
                       human_count(report.failed) + " failed";
    if (report.skipped > 0) text += ", " + human_count(report.skipped) + " done before";
    return text;
  }

  std::string input_;
  std::string output_;
  bool json_ = false;
  IndexFlags index_;
  AnswerFlags answer_;
  BatchOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_batch_command() { return std::make_unique<BatchCommand>(); }

}  // namespace lore::cli
