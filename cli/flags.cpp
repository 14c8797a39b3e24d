#include "cli/flags.hpp"

#include <algorithm>

namespace lore::cli {
namespace {

constexpr std::string_view kPrefix = "LORE_";

}  // namespace

std::string variable_of(const std::string& long_name) {
  std::string variable(kPrefix);
  for (const char c : long_name.substr(long_name.find_first_not_of('-'))) {
    const bool lower = c >= 'a' && c <= 'z';
    variable += c == '-' ? '_' : lower ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return variable;
}

std::string setting_of(const std::string& variable) {
  std::string name = variable.substr(kPrefix.size());
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return name;
}

CLI::Option* with_variable(CLI::Option* option, std::string variable) {
  if (variable.empty()) {
    const std::vector<std::string>& names = option->get_lnames();
    variable = variable_of(names.empty() ? option->get_snames().front() : names.front());
  }
  return option->envname(std::move(variable));
}

void CommonFlags::declare(CLI::App& verb) {
  add_value(verb, "-t,--threads", threads, "Threads to compute with; 0 takes all there are", "N")
      ->check(CLI::Range(0U, 512U))
      ->group("Common");
  add_value(verb, "--kernels", kernels,
            "Instruction set: auto (the widest), scalar, sse41, avx2, avxvnni, avx512, amx or neon",
            "NAME")
      ->group("Common");
  add_switch(verb, "-q,--quiet", quiet, "Say nothing but results and errors")->group("Common");
  add_switch(verb, "-v,--verbose", verbose, "Say more about what is done")->group("Common");
  add_switch(verb, "--no-color", no_color, "No colour and no links, on a terminal too")
      ->group("Common");
  add_switch(verb, "--no-progress", no_progress, "No progress line, on a terminal too")
      ->group("Common");
  add_switch(verb, "--screen-reader", screen_reader,
             "Lines that stay, whole sentences, no colours and no signs to be read out")
      ->group("Common");
}

void IndexFlags::declare(CLI::App& verb) {
  add_value(verb, "--index", index,
            "The index's folder; without it, the nearest .lore from here upward", "PATH");
  add_value(verb, "--embed-model", embed_model,
            "Where the model is that the index was made with, if not found by its name", "MODEL");
}

void SamplingFlags::declare(CLI::App& verb) {
  const auto add = [&](const std::string& names, auto& value, const std::string& help) {
    return add_value(verb, names, value, help, "X")->group("Sampling")->capture_default_str();
  };
  add("--temp", values.temperature, "Temperature; 0 always takes the most probable token");
  add("--top-k", values.top_k, "Draw from so many tokens; 0 from all");
  add("--top-p", values.top_p, "Draw from the most probable tokens that sum up to this");
  add("--min-p", values.min_p, "Leave out tokens below this share of the best one's probability");
  add("--repeat-penalty", values.repeat_penalty,
      "Divide logits of recent tokens by this; 1 is off");
  add("--frequency-penalty", values.frequency_penalty, "Subtract this for each recent occurrence");
  add("--presence-penalty", values.presence_penalty, "Subtract this from all recent tokens once");
  add("--seed", values.seed, "The same seed draws the same tokens");
}

void AnswerFlags::declare(CLI::App& verb) {
  add_value(verb, "-k,--top-passages", values.k, "Passages to answer from", "N", "LORE_K")
      ->capture_default_str();
  add_value(verb, "--context-tokens", values.context_tokens,
            "Tokens of the whole prompt; passages are cut to what fits", "N")
      ->capture_default_str();
  add_value(verb, "-m,--model", values.model,
            "Model that writes the answer: a name or a .gguf file (qwen-1.5b, else smollm2)",
            "MODEL");
  add_value(verb, "-n,--max-tokens", values.max_tokens, "Tokens of an answer at most", "N")
      ->capture_default_str();
  add_switch(verb, "--no-generate", no_generate,
             "Answer with the best sentences themselves, without a language model");
  add_switch(verb, "--strict", values.strict,
             "Leave out statements that the cited pages do not support");
  add_value(verb, "--filter", values.filter, "Only documents whose path fits this glob", "GLOB");
  sampling_.declare(verb);
}

AskOptions AnswerFlags::options() const {
  AskOptions options = values;
  options.generate = !no_generate;
  options.sampling = sampling_.values;
  return options;
}

void declare_json(CLI::App& verb, bool& json) {
  add_switch(verb, "--json", json, "Give the result as JSON");
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    text += word;
  }
  return text;
}

}  // namespace lore::cli
