#include "pipeline/citation_filter.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "pipeline/citations/citations.hpp"

namespace lore::pipeline {
namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();

/// Whether the line that the text ends with has said something that a mark can stand behind.
bool has_words(std::string_view text) {
  return !split_answer(text.substr(text.rfind('\n') + 1)).empty();
}

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

std::string_view trimmed_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n.!?\"');:*");
  return last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
}

}  // namespace

bool BracketState::accept_inside(char byte) {
  if (byte == ']') {
    inside_ = false;
    const std::size_t number = std::exchange(number_, 0);
    return std::any_of(given_.begin(), given_.end(),
                       [&](std::size_t given) { return fits(given) && given == number; });
  }
  if (!is_digit(byte) || (number_ == 0 && byte == '0')) return false;
  number_ = number_ * 10 + static_cast<std::size_t>(byte - '0');
  const std::string digits = std::to_string(number_);
  return std::any_of(given_.begin(), given_.end(), [&](std::size_t given) {
    return fits(given) && std::to_string(given).starts_with(digits);
  });
}

bool BracketState::accept(std::string_view bytes) {
  for (const char byte : bytes) {
    if (inside_) {
      if (!accept_inside(byte)) return false;
    } else if (byte == '[') {
      inside_ = true;
      number_ = 0;
    }
  }
  return true;
}

CitationFilter::CitationFilter(const engine::Tokenizer& tokenizer) : tokenizer_(tokenizer) {
  const auto size = static_cast<engine::TokenId>(tokenizer.size());
  for (engine::TokenId id = 0; id < size; ++id) {
    if (tokenizer.is_end_of_generation(id)) ends_.push_back(id);
    std::string piece = tokenizer.piece(id);
    if (piece.empty()) continue;
    if (piece == "[" || piece == " [") bare_openers_.push_back(id);
    const bool opens = piece.find('[') != std::string::npos;
    const bool closes = piece.front() == ']' || is_digit(piece.front());
    if (opens) openers_.push_back({id, piece});
    if (closes) closers_.push_back({id, std::move(piece)});
  }
}

void CitationFilter::begin(std::vector<std::size_t> given, std::string refusal,
                           SupportingPassage supporting) {
  given_ = std::move(given);
  refusal_ = std::move(refusal);
  supporting_ = std::move(supporting);
  interrupted_.reset();
  forbidden_outside_.clear();
  for (const Piece& piece : openers_) {
    // Without passages an opened bracket could never be closed.
    const bool fits = !given_.empty() && BracketState(given_).accept(piece.bytes);
    if (!fits) forbidden_outside_.push_back(piece.id);
  }
}

bool CitationFilter::ends(engine::TokenId id) const {
  return std::find(ends_.begin(), ends_.end(), id) != ends_.end();
}

/// Whether the text's last sentence is complete, were `next` to follow, and names no passage.
bool CitationFilter::owes_citation(std::string_view text, engine::TokenId next) const {
  const std::string_view written = trimmed_end(text);
  const bool refuses =
      !refusal_.empty() && written.find(trimmed_end(refusal_)) != std::string_view::npos;
  if (refuses || written.ends_with(']')) return false;
  if (ends(next)) return true;
  const std::vector<AnswerSentence> sentences = split_answer(text);
  if (sentences.empty() || !sentences.back().citations.empty()) return false;
  // "The steps are:" states nothing yet.
  if (text.substr(0, text.find_last_not_of(" \t\r\n") + 1).ends_with(':')) return false;
  const std::string piece = tokenizer_.piece(next);
  if (piece.find('\n') != std::string::npos) return true;
  return split_answer(std::string(text) + piece).size() > sentences.size();
}

/// The number that the open bracket at the end of `text` has to hold; 0 where any may.
std::size_t CitationFilter::number_for(std::string_view text) const {
  if (!supporting_) return 0;
  const std::vector<AnswerSentence> sentences = split_answer(text.substr(0, text.rfind('[')));
  if (sentences.empty() || !sentences.back().citations.empty()) return 0;
  return supporting_(sentences.back().text);
}

void CitationFilter::forbid_inside(const BracketState& state, std::span<float> logits) const {
  std::vector<std::pair<engine::TokenId, float>> kept;
  for (const Piece& piece : closers_) {
    BracketState next = state;
    const auto index = static_cast<std::size_t>(piece.id);
    if (index < logits.size() && next.accept(piece.bytes))
      kept.emplace_back(piece.id, logits[index]);
  }
  // A vocabulary without any digit could not cite at all: then leave the model free.
  if (kept.empty()) return;
  std::fill(logits.begin(), logits.end(), kForbidden);
  for (const auto& [id, logit] : kept) logits[static_cast<std::size_t>(id)] = logit;
}

void CitationFilter::require_citation(std::span<float> logits) const {
  if (bare_openers_.empty()) return;
  std::vector<std::pair<engine::TokenId, float>> kept;
  for (const engine::TokenId id : bare_openers_) {
    kept.emplace_back(id, logits[static_cast<std::size_t>(id)]);
  }
  std::fill(logits.begin(), logits.end(), kForbidden);
  for (const auto& [id, logit] : kept) {
    logits[static_cast<std::size_t>(id)] = std::max(logit, std::numeric_limits<float>::lowest());
  }
}

void CitationFilter::operator()(std::string_view text, std::span<float> logits) {
  BracketState state(given_);
  state.accept(text);
  if (state.inside()) {
    state.restrict_to(number_for(text));
    forbid_inside(state, logits);
    return;
  }
  // A mark stands behind what it is for: small models like to begin with one and repeat a passage.
  if (!has_words(text)) {
    for (const Piece& piece : openers_) logits[static_cast<std::size_t>(piece.id)] = kForbidden;
  }
  for (const engine::TokenId id : forbidden_outside_) {
    logits[static_cast<std::size_t>(id)] = kForbidden;
  }
  if (given_.empty() || text.empty()) return;
  if (interrupted_ && text.ends_with(']')) {
    // After a mark small models like to end, with half of what they had to say unsaid.
    std::fill(logits.begin(), logits.end(), kForbidden);
    logits[static_cast<std::size_t>(*std::exchange(interrupted_, std::nullopt))] = 0;
    return;
  }
  const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
  const auto next = static_cast<engine::TokenId>(best);
  if (!owes_citation(text, next)) return;
  if (!ends(next)) interrupted_ = next;
  require_citation(logits);
}

}  // namespace lore::pipeline
