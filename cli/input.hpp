// Texts from arguments, standard input and files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lore::cli {

struct InputText {
  std::string text;
  std::string name;     ///< for messages: "line 3 of texts.txt", "text 2"
  std::string id_json;  ///< a JSON value; "" where none is given
};

/// The arguments; or the lines of `file` (.jsonl: a JSON string, or an object with "text" and maybe
/// "id", a line; any other name: plain lines); or those of standard input. An empty line of plain
/// text is an empty text; empty lines of .jsonl are left out. Throws Error{not_found, io};
/// Error{invalid_argument} for no text at all, for texts from two places, and, naming the line, for
/// what is no JSON or no UTF-8.
std::vector<InputText> read_inputs(const std::vector<std::string>& arguments,
                                   const std::string& file);

/// All of standard input. Throws Error{invalid_argument} that names `flag` where it is a terminal
/// or holds nothing.
std::string read_standard_input(std::string_view flag);

}  // namespace lore::cli
