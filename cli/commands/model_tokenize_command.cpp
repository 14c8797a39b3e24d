#include "cli/command.hpp"
#include "cli/input.hpp"
#include "cli/render/style.hpp"
#include "lore/json.hpp"

namespace lore::cli {
namespace {

class TokenizeCommand : public Command {
 public:
  std::string name() const override { return "tokenize"; }
  std::string help() const override { return "Cut texts into a model's tokens"; }

  void declare(CLI::App& verb) override {
    verb.add_option("TEXT", texts_, "Texts; without any, the lines of standard input");
    add_value(verb, "-m,--model", model_, "A name or a .gguf file", "MODEL")->required();
    add_value(
        verb, "--input", input_,
        "Texts from a file: a line each (.txt), or a JSON string or an object with \"text\" a "
        "line (.jsonl)",
        "FILE");
    add_switch(verb, "--special", options_.parse_special,
               "Text of special tokens means those tokens");
    add_switch(verb, "--no-bos", no_bos_, "Leave out the tokens that the model adds to a text");
    declare_json(verb, json_);
  }

  int run(Console& console) override {
    options_.add_special = !no_bos_;
    std::vector<std::string> texts;
    for (InputText& input : read_inputs(texts_, input_)) texts.push_back(std::move(input.text));
    const std::vector<Tokenization> results =
        make_library(console).tokenize(model_, texts, options_);
    for (const Tokenization& tokens : results) {
      console.out(json_ ? to_json(tokens) + "\n" : table(tokens));
    }
    return kDone;
  }

 private:
  static std::string table(const Tokenization& tokens) {
    constexpr std::size_t kPieceLength = 60;
    std::string text;
    for (std::size_t i = 0; i < tokens.ids.size(); ++i) {
      text += std::to_string(tokens.ids[i]) + "\t" + one_line(tokens.pieces[i], kPieceLength) +
              "\t[" + std::to_string(tokens.spans[i].first) + "," +
              std::to_string(tokens.spans[i].second) + ")\n";
    }
    return text + counted(tokens.ids.size(), "token", "tokens") + "\n";
  }

  std::vector<std::string> texts_;
  std::string model_;
  std::string input_;
  TokenizeOptions options_;
  bool no_bos_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_model_tokenize_command() {
  return std::make_unique<TokenizeCommand>();
}

}  // namespace lore::cli
