#include "tests/engine/golden/decoders.hpp"

#include "tests/engine/tokenizer/tokenizer_fixtures.hpp"

namespace lore::test {
namespace {

std::vector<double> numbers(const nlohmann::json& list) {
  std::vector<double> result;
  if (list.is_null()) return result;
  for (const auto& item : list) result.push_back(item.is_null() ? 0 : item.get<double>());
  return result;
}

}  // namespace

std::vector<Prompt> read_prompts(const std::filesystem::path& golden, const Decoder& decoder) {
  std::vector<Prompt> prompts;
  const auto path = golden / (std::string("decoder-") + decoder.golden + ".jsonl");
  for (const auto& line : read_json_lines(path)) {
    Prompt prompt;
    prompt.name = line["prompt"];
    prompt.text = line["text"];
    prompt.ids = line["ids"].get<std::vector<engine::TokenId>>();
    prompt.logprobs = numbers(line["logprobs"]);
    prompt.peer_logprobs = numbers(line["llama_logprobs"]);
    for (const auto& pair : line["top50"]) prompt.top.emplace_back(pair[0], pair[1]);
    prompt.greedy = line["greedy"].get<std::vector<engine::TokenId>>();
    prompt.greedy_margin = numbers(line["greedy_margin"]);
    prompt.peer_divergence = line["kl_llama_mean_from1"];
    prompts.push_back(std::move(prompt));
  }
  return prompts;
}

}  // namespace lore::test
