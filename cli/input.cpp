#include "cli/input.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/utf8.hpp"
#include "lore/error.hpp"

namespace lore::cli {
namespace {

using Json = nlohmann::json;

std::string read_descriptor(int descriptor) {
  std::string text;
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_error("read", "standard input", errno);
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

Error bad_line(const std::string& name, const std::string& what) {
  return Error(ErrorCode::invalid_argument, name + " " + what, name);
}

void require_utf8(const InputText& input) {
  if (!utf8::is_valid(input.text)) {
    throw bad_line(input.name, "is not valid UTF-8; convert it, for example with iconv");
  }
}

InputText from_json(std::string_view line, const std::string& name) {
  const Json value = Json::parse(line, nullptr, false);
  if (value.is_string()) return {value.get<std::string>(), name, {}};
  if (!value.is_object() || !value.contains("text") || !value["text"].is_string()) {
    throw bad_line(name, "is neither a JSON string nor an object with \"text\"; correct it");
  }
  std::string id;
  if (value.contains("id") && !value["id"].is_null()) id = value["id"].dump();
  return {value["text"].get<std::string>(), name, std::move(id)};
}

std::vector<InputText> from_lines(std::string_view text, const std::string& source, bool json) {
  std::vector<InputText> inputs;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string name = "line " + std::to_string(++number) + " of " + source;
    if (json) {
      if (line.find_first_not_of(" \t") != std::string_view::npos) {
        inputs.push_back(from_json(line, name));
      }
    } else {
      inputs.push_back({std::string(line), name, {}});
    }
    if (!inputs.empty()) require_utf8(inputs.back());
  }
  return inputs;
}

}  // namespace

std::string read_standard_input(std::string_view flag) {
  std::string text;
  if (::isatty(STDIN_FILENO) != 1) text = read_descriptor(STDIN_FILENO);
  if (text.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "nothing was given: use " + std::string(flag) + " or standard input",
                std::string(flag));
  }
  return text;
}

std::vector<InputText> read_inputs(const std::vector<std::string>& arguments,
                                   const std::string& file) {
  std::vector<InputText> inputs;
  if (!arguments.empty() && !file.empty()) {
    throw Error(ErrorCode::invalid_argument,
                "texts are given as arguments and by --input; use one of the two", "--input");
  }
  if (!file.empty() && file != "-") {
    inputs = from_lines(read_file(file), file, file.ends_with(".jsonl"));
  } else if (arguments.empty()) {
    inputs = from_lines(read_standard_input("arguments, --input"), "standard input", false);
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    inputs.push_back({arguments[i], "text " + std::to_string(i + 1), {}});
    require_utf8(inputs.back());
  }
  if (inputs.empty()) {
    throw Error(ErrorCode::invalid_argument, file + " holds no text; choose another --input", file);
  }
  return inputs;
}

}  // namespace lore::cli
