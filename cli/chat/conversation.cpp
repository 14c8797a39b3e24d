#include "cli/chat/conversation.hpp"

#include <algorithm>
#include <utility>

#include "cli/render/passages.hpp"
#include "cli/render/style.hpp"
#include "lore/error.hpp"

namespace lore::cli::chat {
namespace {

/// Turns that a follow-up question can lean on.
constexpr std::size_t kRemembered = 3;
constexpr std::size_t kQuestionTokens = 64;
constexpr std::size_t kAnswerTokens = 1024;
constexpr std::size_t kShownOfAnswer = 300;  // code points

constexpr const char* kRewrite =
    "Rewrite the last question so that it can be understood without the conversation: put in the "
    "names that its pronouns and gaps stand for. Keep its language and its meaning. If it can be "
    "understood alone already, repeat it word for word. Write the question and nothing else.";

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\"";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) - first + 1));
}

}  // namespace

Conversation::Conversation(Library& library, DocumentIndex* index, AskOptions options,
                           std::string system)
    : library_(library), index_(index), options_(std::move(options)), system_(std::move(system)) {
  if (index_ == nullptr) generator();
}

void Conversation::use_model(const std::string& model) {
  TextGenerator other = library_.generator({.model = model});
  generator_.emplace(std::move(other));
  options_.model = model;
  options_.generate = true;
}

/// Null where there is no model, none was asked for, and documents can answer without.
TextGenerator* Conversation::generator() {
  if (generator_) return &*generator_;
  if (index_ != nullptr && !options_.generate) return nullptr;
  if (!options_.model) options_.model = library_.default_generator();
  if (!options_.model && index_ != nullptr) {
    options_.generate = false;
    return nullptr;
  }
  if (!options_.model) options_.model = kDefaultGenerator;  // loading says how to get it
  generator_.emplace(library_.generator({.model = *options_.model}));
  return &*generator_;
}

std::string Conversation::stand_alone(const std::string& question, const StopFlag& stop) {
  if (turns_.empty() || generator() == nullptr || !generator_->model().has_chat_template) {
    return question;
  }
  std::string conversation;
  const std::size_t first = turns_.size() - std::min(turns_.size(), kRemembered);
  for (std::size_t i = first; i < turns_.size(); ++i) {
    conversation += "Question: " + turns_[i].asked +
                    "\nAnswer: " + one_line(turns_[i].answer, kShownOfAnswer) + "\n";
  }
  GenerateRequest request;
  request.messages = {{"system", kRewrite}, {"user", conversation + "Last question: " + question}};
  request.max_tokens = kQuestionTokens;
  request.stop = {"\n"};
  request.cancelled = stop;
  const GeneratedText rewritten = generator_->generate(request);
  const std::string text = trimmed(rewritten.text);
  // A model that begins to talk has not understood the task.
  const bool usable = rewritten.finish != "length" && rewritten.finish != "cancelled" &&
                      !text.empty() && text.size() < question.size() + kShownOfAnswer;
  return usable ? text : question;
}

std::string Conversation::free_answer(const std::string& question, const Callbacks& callbacks) {
  std::size_t first = 0;  // turn that still fits
  while (true) {
    GenerateRequest request;
    if (!system_.empty()) request.messages.push_back({"system", system_});
    for (std::size_t i = first; i < turns_.size(); ++i) {
      request.messages.push_back({"user", turns_[i].question});
      request.messages.push_back({"assistant", turns_[i].answer});
    }
    request.messages.push_back({"user", question});
    request.max_tokens = kAnswerTokens;
    request.sampling = options_.sampling;
    request.cancelled = callbacks.stop;
    request.on_text = [&](std::string_view text) {
      callbacks.text(text);
      return true;
    };
    try {
      const GeneratedText generated = generator()->generate(request);
      if (generated.finish == "cancelled") {
        throw Error(ErrorCode::interrupted, "stopped");
      }
      return generated.text;
    } catch (const Error& error) {
      // What was said first is forgotten first.
      if (error.code() != ErrorCode::limit_exceeded || first == turns_.size()) throw;
      ++first;
    }
  }
}

const Turn& Conversation::say(const std::string& question, const Callbacks& callbacks) {
  Turn turn{question, question, {}, std::nullopt};
  if (index_ == nullptr) {
    turn.answer = free_answer(question, callbacks);
  } else {
    turn.asked = stand_alone(question, callbacks.stop);
    if (turn.asked != question) callbacks.asked(turn.asked);
    AskCallbacks asking;
    if (!options_.strict) asking.text = callbacks.text;
    asking.stop = callbacks.stop;
    turn.grounded = index_->ask(turn.asked, options_, asking);
    turn.answer = turn.grounded->status == AnswerStatus::answered ? turn.grounded->answer
                                                                  : "Not in the documents.";
  }
  turns_.push_back(std::move(turn));
  return turns_.back();
}

std::string Conversation::transcript() const {
  const Style plain(false);
  std::string text;
  for (const Turn& turn : turns_) {
    text += "**" + turn.question + "**\n\n" + turn.answer + "\n\n";
    if (turn.grounded && !turn.grounded->citations.empty()) {
      text += render_citations(*turn.grounded, plain) + "\n";
    }
  }
  return text;
}

}  // namespace lore::cli::chat
