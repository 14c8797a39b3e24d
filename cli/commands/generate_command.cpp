#include <unistd.h>

#include "cli/command.hpp"
#include "cli/input.hpp"
#include "cli/render/style.hpp"
#include "lore/error.hpp"
#include "lore/json.hpp"

namespace lore::cli {
namespace {

class GenerateCommand : public Command {
 public:
  std::string name() const override { return "generate"; }
  std::string help() const override { return "Continue a prompt with a language model"; }

  void declare(CLI::App& verb) override {
    add_value(verb, "-m,--model", options_.model, "A name or a .gguf file", "MODEL")
        ->capture_default_str();
    add_value(verb, "-p,--prompt", prompt_, "The prompt; without it, standard input", "TEXT");
    add_value(verb, "-n,--max-tokens", options_.max_tokens, "Tokens to generate at most", "N")
        ->capture_default_str();
    add_value(verb, "-c,--context", options_.context,
              "Tokens of prompt and answer at most; 0 takes the model's, up to 4096", "N")
        ->capture_default_str();
    add_value(verb, "--cache-type", options_.cache_type, "Numbers of the cache: f16, f32 or q8_0",
              "TYPE")
        ->check(CLI::IsMember({"f32", "f16", "q8_0"}))
        ->capture_default_str();
    sampling_.declare(verb);
    add_list(verb, "--stop", options_.stop, "End before this text; may be repeated", "TEXT");
    chat_option_ =
        with_variable(verb.add_flag("--chat,!--raw", chat_,
                                    "Wrap the prompt in the model's chat template (the default "
                                    "where it carries one), or take it as it is (--raw)"))
            ->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    add_value(verb, "--system", options_.system, "System message of a chat", "TEXT");
    add_switch(verb, "--no-special", no_special_,
               "Text of special tokens in a raw prompt is plain text");
    add_switch(verb, "--no-bos", no_bos_, "Leave out the tokens that the model adds to a text");
    add_switch(verb, "--ignore-eos", options_.ignore_end, "Go on past the model's own end");
    add_value(verb, "--logprobs", options_.logprobs,
              "Report so many most probable tokens at each place (with --json)", "N");
    add_switch(verb, "--timings", timings_, "Tell the speed on standard error");
    declare_json(verb, json_);
  }

  int run(Console& console) override {
    if (chat_option_->count() > 0 && !chat_ && !options_.system.empty()) {
      throw Error(ErrorCode::invalid_argument,
                  "--system needs a chat, and --raw takes the prompt as it is; use one of them",
                  "--system");
    }
    if (options_.logprobs > 0 && !json_) {
      throw Error(ErrorCode::invalid_argument, "--logprobs is for the JSON result; add --json",
                  "--logprobs");
    }
    const std::string prompt = prompt_ ? *prompt_ : read_standard_input("--prompt");
    if (!options_.system.empty()) options_.chat = true;
    if (chat_option_->count() > 0) options_.chat = chat_;
    options_.parse_special = !no_special_;
    options_.add_special = !no_bos_;
    options_.sampling = sampling_.values;
    options_.report_logprobs = json_;
    TextGenerator generator = make_library(console).generator(options_);
    const auto stream = [&](std::string_view piece) {
      console.stream(console.output_is_terminal() ? printable(piece) : std::string(piece));
      return true;
    };
    const GeneratedText generated =
        json_ ? generator.generate(prompt) : generator.generate(prompt, stream);
    console.out(json_ ? to_json(generated) + "\n" : "\n");
    if (timings_) tell_timings(generated, console);
    return kDone;
  }

 private:
  static std::string speed(std::size_t tokens, double ms) {
    std::string text = counted(tokens, "token", "tokens") + " in " + fixed(ms, 0) + " ms";
    if (ms > 0) text += " (" + fixed(static_cast<double>(tokens) / ms * 1000, 1) + " tokens/s)";
    return text;
  }

  static void tell_timings(const GeneratedText& generated, Console& console) {
    console.warn("load " + fixed(generated.load_ms, 0) + " ms, prompt " +
                 speed(generated.prompt_ids.size(), generated.prompt_ms) + ", generated " +
                 speed(generated.tokens.size(), generated.decode_ms));
  }

  GenerateOptions options_;
  CLI::Option* chat_option_ = nullptr;
  bool chat_ = true;
  SamplingFlags sampling_;
  std::optional<std::string> prompt_;
  bool no_special_ = false;
  bool no_bos_ = false;
  bool timings_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_generate_command() { return std::make_unique<GenerateCommand>(); }

}  // namespace lore::cli
