// The golden prompts of the decoders.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "engine/engine.hpp"

namespace lore::test {

/// A model and the name of its golden data.
struct Decoder {
  const char* file;    // in the folder of models
  const char* golden;  // decoder-NAME.jsonl
};
inline std::ostream& operator<<(std::ostream& out, const Decoder& decoder) {
  return out << decoder.golden;
}

inline constexpr Decoder kDecoders[] = {{"smollm2", "smollm2"},
                                        {"qwen-0.5b", "qwen05"},
                                        {"qwen-1.5b", "qwen15"},
                                        {"gemma-270m", "gemma3"}};

/// A prompt and what an exact engine makes of it. Numbers of the peer are llama.cpp's.
struct Prompt {
  std::string name;
  std::string text;
  std::vector<engine::TokenId> ids;
  std::vector<double> logprobs;                         // [ids] of each token; the first is 0
  std::vector<double> peer_logprobs;                    // the same by the peer, or empty
  std::vector<std::pair<engine::TokenId, double>> top;  // the best 50 after the last token
  std::vector<engine::TokenId> greedy;
  std::vector<double> greedy_margin;  // best logit minus second best at each step
  double peer_divergence = 0;         // KL of the peer, mean over the positions from 1 on
};

std::vector<Prompt> read_prompts(const std::filesystem::path& golden, const Decoder& decoder);

}  // namespace lore::test
