// A conversation, over an index or with a model alone.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lore/library.hpp"

namespace lore::cli::chat {

struct Turn {
  std::string question;
  std::string asked;  ///< the question as it was asked of the documents
  std::string answer;
  std::optional<Answer> grounded;
};

struct Callbacks {
  std::function<void(std::string_view)> text;
  /// The question that stands by itself, where it is another one than was typed.
  std::function<void(const std::string&)> asked;
  StopFlag stop;
};

/// Thread safety: one thread at a time.
class Conversation {
 public:
  /// `index`: null for a conversation with the model alone.
  Conversation(Library& library, DocumentIndex* index, AskOptions options, std::string system);

  /// Answers and remembers. A question that leans on what was said before ("and how often?") is
  /// first made to stand by itself. An answer that is stopped is not remembered; then Error
  /// {interrupted} is thrown.
  const Turn& say(const std::string& question, const Callbacks& callbacks);

  const std::vector<Turn>& turns() const { return turns_; }
  void clear() { turns_.clear(); }
  /// Another model goes on. Throws Error{not_found, …}, and then the old one stays.
  void use_model(const std::string& model);
  /// As Markdown, with the sources.
  std::string transcript() const;

 private:
  std::string stand_alone(const std::string& question, const StopFlag& stop);
  std::string free_answer(const std::string& question, const Callbacks& callbacks);
  TextGenerator* generator();

  Library& library_;
  DocumentIndex* index_;
  AskOptions options_;
  std::string system_;
  std::optional<TextGenerator> generator_;
  std::vector<Turn> turns_;
};

}  // namespace lore::cli::chat
