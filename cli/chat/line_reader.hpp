// Lines that a person types: edited, remembered, pasted whole. The only place that knows libedit.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace lore::cli::chat {

/// From a terminal, with editing and a history; from anything else, line by line.
class LineReader {
 public:
  enum class Ended {
    line,         ///< something was entered
    interrupted,  ///< Ctrl-C: what stood there is forgotten
    end,          ///< Ctrl-D, or the end of the input
  };

  /// `history`: the file that remembers lines; what cannot be read or written is left alone.
  explicit LineReader(std::filesystem::path history);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// What is pasted may hold several lines and is entered as one.
  Ended read(const std::string& prompt, std::string& line);
  bool is_terminal() const;

 private:
  class Editor;
  std::unique_ptr<Editor> editor_;  // null: no terminal
};

}  // namespace lore::cli::chat
