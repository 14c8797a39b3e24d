#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "cli/chat/conversation.hpp"
#include "cli/chat/line_reader.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/open_file.hpp"
#include "cli/places.hpp"
#include "cli/render/passages.hpp"
#include "cli/suggestions.hpp"
#include "lore/error.hpp"

namespace lore::cli {
namespace {

constexpr const char* kHelp =
    "/sources      the passages of the last answer\n"
    "/open N       open the file of citation N at its page\n"
    "/save FILE    write the conversation as Markdown\n"
    "/clear        begin anew\n"
    "/model NAME   go on with another model\n"
    "/help         this\n"
    "/exit         leave (or Ctrl-D)\n"
    "Anything else is a question. Ctrl-C stops an answer.\n";

class ChatCommand : public Command {
 public:
  std::string name() const override { return "chat"; }
  std::string help() const override {
    return "Talk with the indexed documents, or with a model alone";
  }

  void declare(CLI::App& verb) override {
    index_.declare(verb);
    add_switch(verb, "--plain", plain_, "Talk with the model alone, without any documents");
    add_value(verb, "--system", system_, "System message, of a conversation without documents",
              "TEXT");
    answer_.declare(verb);
  }

  std::string index_flag() const override {
    return plain_ ? std::string() : locate_index(index_.index).string();
  }

  int run(Console& console) override {
    if (!system_.empty() && !plain_) {
      throw Error(ErrorCode::invalid_argument,
                  "--system is for a conversation without documents; add --plain", "--system");
    }
    Library library = make_library(console);
    std::optional<DocumentIndex> index;
    if (!plain_) index = library.open(locate_index(index_.index), index_.embed_model);
    chat::Conversation conversation(library, index ? &*index : nullptr, answer_.options(), system_);
    set_on_interrupt(OnInterrupt::finish_in_hand);
    chat::LineReader reader(models_folder().parent_path() / "chat_history");
    if (reader.is_terminal()) console.note("/help tells the commands; Ctrl-D leaves.");
    std::string line;
    while (true) {
      const auto ended = reader.read(reader.is_terminal() ? "> " : "", line);
      if (ended == chat::LineReader::Ended::end) break;
      if (ended == chat::LineReader::Ended::interrupted ||
          line.find_first_not_of(" \t\n") == std::string::npos) {
        continue;
      }
      try {
        if (line.front() == '/') {
          if (!command(line, conversation, console)) break;
        } else {
          say(line, conversation, console);
        }
      } catch (const Error& error) {
        tell(error, console);
      }
      console.flush();
    }
    return kDone;
  }

 private:
  static void tell(const Error& error, Console& console) {
    if (error.code() == ErrorCode::interrupted) {
      console.out("\n(stopped)\n\n");
      clear_interrupt();
    } else {
      console.flush();
      console.warn(std::string("lore: ") + error.what());
    }
  }

  void say(const std::string& question, chat::Conversation& conversation, Console& console) {
    const Style style = console.style();
    clear_interrupt();
    bool streamed = false;
    chat::Callbacks callbacks;
    callbacks.stop = interrupted;
    callbacks.asked = [&](const std::string& asked) {
      console.out(style.dim("(" + one_line(asked, 300) + ")") + "\n");
      console.flush();
    };
    callbacks.text = [&](std::string_view text) {
      streamed = true;
      console.stream(printable(text));
    };
    const chat::Turn& turn = conversation.say(question, callbacks);
    console.out((turn.grounded ? render_answer(*turn.grounded, streamed, style) : "\n") + "\n");
  }

  /// False ends the conversation.
  static bool command(const std::string& line, chat::Conversation& conversation, Console& console) {
    const std::size_t blank = line.find(' ');
    const std::string word = line.substr(0, blank);
    const std::string rest =
        blank == std::string::npos ? "" : line.substr(line.find_first_not_of(' ', blank));
    if (word == "/exit" || word == "/quit") return false;
    if (word == "/help") {
      console.out(kHelp);
    } else if (word == "/clear") {
      conversation.clear();
    } else if (word == "/sources") {
      sources(conversation, console);
    } else if (word == "/open") {
      open(conversation, rest);
    } else if (word == "/save") {
      if (rest.empty()) throw Error(ErrorCode::invalid_argument, "/save needs a file: /save FILE");
      write_file_atomically(rest, conversation.transcript());
      console.out("Written to " + rest + "\n");
    } else if (word == "/model") {
      if (rest.empty())
        throw Error(ErrorCode::invalid_argument, "/model needs a name: /model NAME");
      conversation.use_model(rest);
    } else {
      static const std::vector<std::string> words = {"/sources", "/open", "/save", "/clear",
                                                     "/model",   "/help", "/exit"};
      const auto meant = nearest(word, words);
      throw Error(ErrorCode::invalid_argument,
                  "there is no " + word +
                      (meant ? "; did you mean " + *meant + "?" : "; /help tells what there is"));
    }
    return true;
  }

  static const Answer& last_answer(const chat::Conversation& conversation) {
    if (conversation.turns().empty() || !conversation.turns().back().grounded) {
      throw Error(ErrorCode::invalid_argument, "there is no answer from documents yet");
    }
    return *conversation.turns().back().grounded;
  }

  static void sources(const chat::Conversation& conversation, Console& console) {
    console.out(render_hits(last_answer(conversation).passages, false, console.style()));
  }

  static void open(const chat::Conversation& conversation, const std::string& number) {
    std::size_t n = 0;
    std::from_chars(number.data(), number.data() + number.size(), n);
    for (const Citation& citation : last_answer(conversation).citations) {
      if (citation.n == n) return open_file(citation.path, citation.paged ? citation.page : 0);
    }
    throw Error(ErrorCode::invalid_argument, "the last answer has no citation " + number);
  }

  IndexFlags index_;
  AnswerFlags answer_;
  std::string system_;
  bool plain_ = false;
};

}  // namespace

std::unique_ptr<Command> make_chat_command() { return std::make_unique<ChatCommand>(); }

}  // namespace lore::cli
