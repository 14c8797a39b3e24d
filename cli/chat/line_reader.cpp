#include "cli/chat/line_reader.hpp"

#include <histedit.h>
#include <poll.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <cwchar>
#include <iostream>
#include <optional>
#include <system_error>

#include "cli/interrupt.hpp"

namespace lore::cli::chat {
namespace {

constexpr int kHistoryLines = 1000;
constexpr int kTickMs = 100;  // how soon Ctrl-C is seen

// A terminal that is asked to marks what is pasted (xterm's bracketed paste).
constexpr std::string_view kMarkPastes = "\x1b[?2004h";
constexpr std::string_view kDoNotMark = "\x1b[?2004l";
constexpr std::wstring_view kPasteBegins = L"\x1b[200~";
constexpr std::wstring_view kPasteEnds = L"\x1b[201~";
constexpr wchar_t kCtrlD = 4;
// Stands for a line's end inside the line that is edited.
constexpr wchar_t kLineEnd = L'\x2424';
constexpr std::string_view kLineEndBytes = "\xE2\x90\xA4";

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

void tell_terminal(std::string_view escape) {
  if (::write(STDOUT_FILENO, escape.data(), escape.size()) < 0) return;  // it is only a wish
}

struct EndEditing {
  void operator()(EditLine* editor) const { ::el_end(editor); }
};
struct EndHistory {
  void operator()(History* history) const { ::history_end(history); }
};

}  // namespace

class LineReader::Editor {
 public:
  explicit Editor(std::filesystem::path file) : file_(std::move(file)) {
    // Characters are counted as the terminal shows them.
    if (std::setlocale(LC_CTYPE, "") == nullptr || MB_CUR_MAX == 1) {
      std::setlocale(LC_CTYPE, "C.UTF-8");
    }
    editor_.reset(::el_init("lore", stdin, stdout, stderr));
    history_.reset(::history_init());
    ::el_set(editor_.get(), EL_CLIENTDATA, this);
    ::el_set(editor_.get(), EL_PROMPT, &Editor::prompt_of);
    ::el_set(editor_.get(), EL_EDITOR, "emacs");
    ::el_wset(editor_.get(), EL_GETCFN, &Editor::next_of);
    HistEvent event{};
    ::history(history_.get(), &event, H_SETSIZE, kHistoryLines);
    ::history(history_.get(), &event, H_SETUNIQUE, 1);
    ::history(history_.get(), &event, H_LOAD, file_.c_str());
    ::el_set(editor_.get(), EL_HIST, &::history, history_.get());
  }

  Ended read(const std::string& prompt, std::string& line) {
    prompt_ = prompt;
    clear_interrupt();
    // Single keys from before the prompt is seen: what is typed at once is edited as the rest is.
    ::el_set(editor_.get(), EL_PREP_TERM, 1);
    tell_terminal(kMarkPastes);
    int count = 0;
    const char* entered = ::el_gets(editor_.get(), &count);
    tell_terminal(kDoNotMark);
    if (interrupted()) {
      clear_interrupt();
      ::el_reset(editor_.get());
      std::fputs("\n", stdout);
      return Ended::interrupted;
    }
    if (entered == nullptr || count <= 0) return Ended::end;
    line = entered;
    while (!line.empty() && line.back() == '\n') line.pop_back();
    if (!line.empty()) remember(line);
    replace_all(line, kLineEndBytes, "\n");
    return Ended::line;
  }

 private:
  void remember(const std::string& line) {
    HistEvent event{};
    ::history(history_.get(), &event, H_ENTER, line.c_str());
    std::error_code ignored;
    std::filesystem::create_directories(file_.parent_path(), ignored);
    ::history(history_.get(), &event, H_SAVE, file_.c_str());
  }

  static Editor& of(EditLine* editor) {
    void* self = nullptr;
    ::el_get(editor, EL_CLIENTDATA, &self);
    return *static_cast<Editor*>(self);
  }
  static char* prompt_of(EditLine* editor) { return of(editor).prompt_.data(); }
  static int next_of(EditLine* editor, wchar_t* out) { return of(editor).next(*out); }

  /// The next character for libedit: 1, or 0 at the end.
  int next(wchar_t& out) {
    while (true) {
      if (!ready_.empty()) {
        out = ready_.front();
        ready_.erase(0, 1);
        return 1;
      }
      wchar_t c = 0;
      if (!read_character(c)) return 0;
      take(c);
    }
  }

  /// Recognizes the marks of a paste; the rest becomes ready as it comes.
  void take(wchar_t c) {
    const std::wstring_view mark = pasting_ ? kPasteEnds : kPasteBegins;
    held_ += c;
    if (held_ == mark) {
      held_.clear();
      pasting_ = !pasting_;
    } else if (!mark.starts_with(held_) || (held_ == L"\x1b" && !has_more())) {
      for (const wchar_t one : held_) {
        const bool line_end = pasting_ && (one == L'\n' || one == L'\r');
        ready_ += line_end ? kLineEnd : one;
      }
      held_.clear();
    }
  }

  static bool has_more() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    return ::poll(&input, 1, 20) > 0;
  }

  bool read_byte(char& out) {
    if (byte_again_) {
      out = *byte_again_;
      byte_again_.reset();
      return true;
    }
    pollfd input{STDIN_FILENO, POLLIN, 0};
    while (::poll(&input, 1, kTickMs) <= 0) {
      if (interrupted()) return false;
    }
    return ::read(STDIN_FILENO, &out, 1) == 1;
  }

  bool read_character(wchar_t& out) {
    std::mbstate_t state{};
    char byte = 0;
    for (bool first = true; read_byte(byte); first = false) {
      const std::size_t used = std::mbrtowc(&out, &byte, 1, &state);
      if (used == static_cast<std::size_t>(-2)) continue;  // more bytes of it follow
      if (used == static_cast<std::size_t>(-1)) {
        out = L'\xFFFD';
        if (!first) byte_again_ = byte;  // it broke off the character before, and may be Enter
      }
      // What becomes of a Ctrl-D that was pressed before the terminal handed over single keys.
      if (out == L'\0') out = kCtrlD;
      return true;
    }
    return false;
  }

  std::filesystem::path file_;
  std::unique_ptr<EditLine, EndEditing> editor_;
  std::unique_ptr<History, EndHistory> history_;
  std::string prompt_;
  std::optional<char> byte_again_;
  std::wstring held_;   // perhaps the beginning of a mark
  std::wstring ready_;  // for libedit
  bool pasting_ = false;
};

LineReader::LineReader(std::filesystem::path history) {
  if (::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1) {
    editor_ = std::make_unique<Editor>(std::move(history));
  }
}
LineReader::~LineReader() = default;

bool LineReader::is_terminal() const { return editor_ != nullptr; }

LineReader::Ended LineReader::read(const std::string& prompt, std::string& line) {
  if (editor_) return editor_->read(prompt, line);
  return std::getline(std::cin, line) ? Ended::line : Ended::end;
}

}  // namespace lore::cli::chat
