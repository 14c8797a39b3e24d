// lore model show | convert
#include "cli/command.hpp"
#include "cli/places.hpp"
#include "cli/render/report.hpp"
#include "lore/json.hpp"

namespace lore::cli {
namespace {

class ShowModelCommand : public Command {
 public:
  std::string name() const override { return "show"; }
  std::string help() const override { return "Tell what a model file says of itself"; }

  void declare(CLI::App& verb) override {
    verb.add_option("MODEL", model_, "A name or a .gguf file")->required();
    declare_json(verb, json_);
  }

  int run(Console& console) override {
    const ModelDescription model = make_library(console).describe_model(model_, true);
    console.out(json_ ? to_json(model) + "\n" : render_model(model));
    return kDone;
  }

 private:
  std::string model_;
  bool json_ = false;
};

class ConvertModelCommand : public Command {
 public:
  std::string name() const override { return "convert"; }
  std::string help() const override {
    return "Make a .gguf file from a folder of BERT-family safetensors";
  }

  void declare(CLI::App& verb) override {
    verb.add_option("FOLDER", folder_,
                    "With model.safetensors, config.json, and vocab.txt or tokenizer.json")
        ->required();
    add_value(verb, "-o,--output", output_, "The file to write", "FILE.gguf")->required();
    add_value(verb, "--type", type_, "Numbers of the weights: f32, f16 or q8_0", "TYPE")
        ->check(CLI::IsMember({"f32", "f16", "q8_0"}))
        ->capture_default_str();
    declare_json(verb, json_);
  }

  int run(Console& console) override {
    Library library = make_library(console);
    library.convert_model(folder_, output_, type_);
    if (json_) {
      console.out(to_json(library.describe_model(output_, true)) + "\n");
    } else {
      console.note("wrote " + shown(output_));
    }
    return kDone;
  }

 private:
  std::string folder_;
  std::string output_;
  std::string type_ = "f16";
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_model_show_command() { return std::make_unique<ShowModelCommand>(); }
std::unique_ptr<Command> make_model_convert_command() {
  return std::make_unique<ConvertModelCommand>();
}

}  // namespace lore::cli
