// Python's string operations, on UTF-8, counted in code points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lore::engine::jinja {

/// Python's str.isspace of one character.
bool is_space(char32_t code_point);

/// The first `most` bytes at most, in whole characters.
std::string_view cut(std::string_view text, std::size_t most);

/// repr() of a string: in single quotes, or double ones where that saves an escape.
std::string quoted(std::string_view text);

/// & < > " and ' as HTML entities, as Python's markupsafe writes them.
std::string escape_html(std::string_view text);

/// Takes away white space, or the characters of `set` where it is not empty.
enum class Side { left, right, both };
std::string strip(std::string_view text, Side side, std::string_view set = {});

std::string upper(std::string_view text);
std::string lower(std::string_view text);
/// str.title() and str.capitalize().
std::string title(std::string_view text);
std::string capitalize(std::string_view text);

/// At most `limit` cuts (negative: all). An empty separator splits at runs of white space and drops
/// empty ends.
std::vector<std::string> split(std::string_view text, std::string_view separator,
                               std::int64_t limit = -1);
std::vector<std::string> split_from_right(std::string_view text, std::string_view separator,
                                          std::int64_t limit);
std::vector<std::string> split_lines(std::string_view text, bool keep_ends = false);

/// At most `limit` replacements (negative: all).
std::string replace(std::string_view text, std::string_view from, std::string_view to,
                    std::int64_t limit = -1);

}  // namespace lore::engine::jinja
