#include <algorithm>

#include "cli/command.hpp"
#include "cli/input.hpp"
#include "cli/interrupt.hpp"
#include "cli/render/progress.hpp"
#include "cli/render/style.hpp"
#include "cli/render/vectors.hpp"
#include "lore/error.hpp"

namespace lore::cli {
namespace {

class EmbedCommand : public Command {
 public:
  std::string name() const override { return "embed"; }
  std::string help() const override { return "Turn texts into vectors"; }

  void declare(CLI::App& verb) override {
    verb.add_option("TEXT", texts_, "Texts; without any, the lines of standard input");
    add_value(verb, "-m,--model", options_.model, "A name or a .gguf file", "MODEL",
              "LORE_EMBED_MODEL")
        ->capture_default_str();
    add_value(
        verb, "--input", input_,
        "Texts from a file: a line each (.txt), or an object with \"text\" and maybe \"id\" a "
        "line (.jsonl)",
        "FILE");
    add_value(verb, "--pooling", options_.pooling,
              "How token vectors become one: mean, cls, last, or none to keep them all", "KIND");
    with_variable(verb.add_flag("--normalize,!--no-normalize", options_.normalize,
                                "Bring vectors to length 1 (the default)"));
    add_value(verb, "--input-type", options_.input_type,
              "Put the model's prefix before each text: query, passage or none", "TYPE")
        ->check(CLI::IsMember({"query", "passage", "none"}))
        ->capture_default_str();
    add_value(verb, "--dimensions", options_.dimensions, "Keep only so many first dimensions", "N");
    add_switch(verb, "--truncate", options_.truncate,
               "Cut texts over the model's limit instead of refusing them");
    add_switch(verb, "--special", options_.parse_special,
               "Text of special tokens means those tokens");
    add_value(verb, "-f,--format", format_, "json, jsonl, npy, f32 or csv", "FORMAT")
        ->check(CLI::IsMember({"json", "jsonl", "npy", "f32", "csv"}))
        ->capture_default_str();
    add_switch(verb, "--json", json_, "The same as --format json, which is the default");
    add_value(verb, "-o,--output", output_,
              "Write here, and what the numbers are to FILE.json beside it", "FILE");
    add_value(verb, "--batch-tokens", options_.batch_tokens, "Tokens computed together at most",
              "N")
        ->capture_default_str();
  }

  int run(Console& console) override {
    if (json_ && format_ != "json") {
      throw Error(
          ErrorCode::invalid_argument,
          "--json is --format json, and --format " + format_ + " is asked for too; use one of them",
          "--json");
    }
    const VectorFormat format = parse_vector_format(format_);
    if (output_.empty() && is_binary(format) && console.output_is_terminal()) {
      throw Error(ErrorCode::invalid_argument,
                  "--format " + format_ + " is not for a terminal; write it to a file by --output",
                  "--format");
    }
    const std::vector<InputText> inputs = read_inputs(texts_, input_);
    TextEmbedder embedder = make_library(console).embedder(options_);
    VectorSet set;
    set.model_name = options_.model;
    set.dimension = embedder.dimension();
    set.every_token = embedder.pooling() == "none";
    std::vector<TextEmbedder::Tokens> tokens;
    std::size_t cut = 0;
    for (const InputText& input : inputs) {
      tokens.push_back(embedder.encode(input.text, input.name));
      if (tokens.back().cut) ++cut;
      set.items.push_back({input.id_json, tokens.back().ids.size()});
    }
    if (!output_.empty()) set_on_interrupt(OnInterrupt::finish_in_hand);
    const auto sink = open_sink(output_, console);
    write_all(embedder, tokens, format, set, *sink, console);
    if (sink->is_file()) {
      sink->write_beside(manifest_of(set, embedder.model(), embedder.pooling(), embedder.prefix(),
                                     options_.normalize, format_, cut));
    }
    sink->finish();
    if (cut > 0) {
      console.warn(counted(cut, "text was", "texts were") + " cut at the model's limit of " +
                   std::to_string(embedder.max_tokens()) + " tokens");
    }
    return kDone;
  }

 private:
  /// Groups large enough to fill batches, small enough that progress moves.
  void write_all(TextEmbedder& embedder, const std::vector<TextEmbedder::Tokens>& tokens,
                 VectorFormat format, const VectorSet& set, ByteSink& sink,
                 Console& console) const {
    constexpr std::size_t kBatchesAtOnce = 4;
    const ProgressLine line(console.style());
    VectorWriter writer(format, set, sink);
    std::size_t done = 0;
    while (done < tokens.size()) {
      if (interrupted()) {
        throw Error(ErrorCode::interrupted, "interrupted: nothing was written to " + output_);
      }
      std::size_t end = done;
      std::size_t sum = 0;
      while (end < tokens.size() && (end == done || sum < options_.batch_tokens * kBatchesAtOnce)) {
        sum += tokens[end++].ids.size();
      }
      writer.add(embedder.embed(std::span(tokens).subspan(done, end - done)), end - done);
      done = end;
      if (done < tokens.size())
        console.progress(line.of(done, tokens.size(), "texts"), share_of(done, tokens.size()));
    }
    writer.finish();
  }

  EmbedOptions options_;
  std::vector<std::string> texts_;
  std::string input_;
  std::string output_;
  std::string format_ = "json";
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_embed_command() { return std::make_unique<EmbedCommand>(); }

}  // namespace lore::cli
