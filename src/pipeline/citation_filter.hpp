// Grammar for citations: between "[" and "]" only the numbers of given passages can be sampled, and
// an answer neither ends nor begins another sentence before the last one has cited.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.hpp"

namespace lore::pipeline {

/// Where a text stands: outside of brackets, inside with the digits so far, or already wrong.
/// A bracket holds one number and nothing else: "[3]".
class BracketState {
 public:
  /// `given`: the numbers that fit. It must outlive the state.
  explicit BracketState(std::span<const std::size_t> given) : given_(given) {}

  /// From here on only this number fits, one of those given; 0 for any.
  void restrict_to(std::size_t number) { only_ = number; }

  /// Takes the next bytes. False when they cannot be part of a valid answer.
  bool accept(std::string_view bytes);
  bool inside() const { return inside_; }

 private:
  bool accept_inside(char byte);
  bool fits(std::size_t given) const { return only_ == 0 || given == only_; }

  std::span<const std::size_t> given_;
  std::size_t only_ = 0;
  bool inside_ = false;
  std::size_t number_ = 0;  // read so far inside the bracket; 0: no digit yet
};

/// The number of the passage that supports a sentence best; 0 where none does.
using SupportingPassage = std::function<std::size_t(std::string_view sentence)>;

/// Changes logits so that only such texts can be sampled. Built once a model (it looks at every
/// piece of the vocabulary), then set to a question's passages.
///
/// Thread safety: one thread at a time.
class CitationFilter {
 public:
  /// `tokenizer` must outlive the filter.
  explicit CitationFilter(const engine::Tokenizer& tokenizer);

  /// For answers from the passages of these numbers, which count from 1. `refusal` may stand
  /// without a citation. Where `supporting` names a passage for a sentence, the sentence's mark is
  /// that number: small models know what to say more often than whom to cite.
  void begin(std::vector<std::size_t> given, std::string refusal,
             SupportingPassage supporting = {});
  /// As GenerationRequest::filter, called for one token after another. `logits`: [vocabulary],
  /// float32.
  void operator()(std::string_view text, std::span<float> logits);

 private:
  struct Piece {
    engine::TokenId id;
    std::string bytes;
  };

  bool owes_citation(std::string_view text, engine::TokenId next) const;
  std::size_t number_for(std::string_view text) const;
  void forbid_inside(const BracketState& state, std::span<float> logits) const;
  void require_citation(std::span<float> logits) const;
  bool ends(engine::TokenId id) const;

  const engine::Tokenizer& tokenizer_;

  std::vector<Piece> openers_;                 // pieces with a "["
  std::vector<Piece> closers_;                 // pieces that start with a digit or "]"
  std::vector<engine::TokenId> bare_openers_;  // exactly "[" or " ["
  std::vector<engine::TokenId> ends_;          // tokens that end a generation
  std::vector<engine::TokenId> forbidden_outside_;
  std::vector<std::size_t> given_;
  std::string refusal_;
  SupportingPassage supporting_;
  std::optional<engine::TokenId> interrupted_;  // what the model meant to say before it had to cite
};

}  // namespace lore::pipeline
