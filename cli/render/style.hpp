// Colours and links of a terminal; plain text elsewhere.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace lore::cli {

/// Wraps text in escapes where `enabled`, returns it as it is elsewhere.
class Style {
 public:
  /// `spoken`: a screen reader reads it out, and signs that divide would be named one by one.
  explicit Style(bool enabled, bool spoken = false) : enabled_(enabled), spoken_(spoken) {}

  std::string bold(std::string_view text) const { return wrap("1", text); }
  std::string dim(std::string_view text) const { return wrap("2", text); }
  std::string green(std::string_view text) const { return wrap("32", text); }
  std::string yellow(std::string_view text) const { return wrap("33", text); }
  std::string red(std::string_view text) const { return wrap("31", text); }
  std::string_view dot() const { return spoken_ ? ", " : " · "; }
  std::string_view arrow() const { return spoken_ ? ", " : " › "; }  ///< to what is inside
  /// A hyperlink (OSC 8) to a file, and to a page of it.
  std::string link(std::string_view text, const std::filesystem::path& file,
                   std::optional<std::size_t> page) const;

 private:
  std::string wrap(std::string_view code, std::string_view text) const;

  bool enabled_;
  bool spoken_;
};

/// "file:///a%20b.pdf#page=3".
std::string file_address(const std::filesystem::path& file, std::optional<std::size_t> page);

/// What a file says, for a terminal: control characters, with which a hostile document could take
/// it over, become spaces, as do page breaks line ends and invalid UTF-8 U+FFFD; line ends and tabs
/// stay. Everything that comes from a file, its name included, goes through this or one_line().
std::string printable(std::string_view text);

/// Control characters of a document do nothing in a terminal: they become spaces. Blanks and line
/// ends are folded into one space; at most `limit` code points, "…" where cut.
std::string one_line(std::string_view text, std::size_t limit);

/// "1.2 GB", "300 bytes".
std::string human_bytes(std::uint64_t bytes);
/// "1,234,567".
std::string human_count(std::uint64_t count);
/// "4.2 s", "3 min 10 s".
std::string human_seconds(double seconds);
/// "1 page", "2 pages"; "1 entry", "2 entries".
std::string counted(std::uint64_t count, std::string_view one, std::string_view many);
/// `digits` after the point.
std::string fixed(double value, int digits);

}  // namespace lore::cli
