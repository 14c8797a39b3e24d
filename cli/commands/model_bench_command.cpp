#include "cli/command.hpp"
#include "cli/places.hpp"
#include "cli/render/speed.hpp"
#include "cli/render/vectors.hpp"
#include "lore/error.hpp"
#include "lore/json.hpp"

namespace lore::cli {
namespace {

class BenchModelCommand : public Command {
 public:
  std::string name() const override { return "bench"; }
  std::string help() const override {
    return "Measure a model here, beside what the machine could do: texts of 256 tokens, a prompt "
           "of 512, an answer of 48";
  }

  void declare(CLI::App& verb) override {
    verb.add_option("MODEL", model_, "A name or a .gguf file; not with --limits");
    add_switch(verb, "--limits", limits_,
               "Measure the machine alone: arithmetic and reading memory, with all threads");
    add_switch(verb, "--ops", operations_, "Tell where the time goes, operation by operation");
    add_value(verb, "--plot", plot_,
              "Draw the speeds over the context's length; takes about a minute more", "FILE.svg");
    declare_json(verb, json_);
  }

  int run(Console& console) override {
    check_flags();
    if (limits_) {
      const MachineLimits limits = make_library(console).measure_limits();
      console.out(json_ ? to_json(limits) + "\n" : render_limits(limits));
      return kDone;
    }
    std::unique_ptr<ByteSink> plot;
    if (!plot_.empty()) plot = open_sink(plot_, console);  // before minutes are spent
    BenchOptions options;
    options.operations = operations_;
    options.over_length = plot != nullptr;
    options.progress = [&](std::string_view what) { console.progress(what); };
    const ModelSpeed speed = make_library(console).measure_model(model_, options);
    console.progress("");
    console.out(json_ ? to_json(speed) + "\n" : render_speed(speed));
    if (plot) {
      plot->write(render_chart(chart_of(speed)));
      plot->finish();
      console.note("wrote " + shown(plot_));
    }
    return kDone;
  }

 private:
  void check_flags() const {
    if (model_.empty() && !limits_) {
      throw Error(ErrorCode::invalid_argument,
                  "name a MODEL to measure, or measure the machine alone by --limits", "MODEL");
    }
    if (limits_ && (!model_.empty() || operations_ || !plot_.empty())) {
      const std::string other = !model_.empty() ? "MODEL" : operations_ ? "--ops" : "--plot";
      throw Error(
          ErrorCode::invalid_argument,
          "--limits measures the machine without a model; leave out " + other + ", or --limits",
          "--limits");
    }
  }

  std::string model_;
  bool limits_ = false;
  bool operations_ = false;
  std::string plot_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_model_bench_command() {
  return std::make_unique<BenchModelCommand>();
}

}  // namespace lore::cli
