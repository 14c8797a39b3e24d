// Writes small PDFs for tests: sound ones, and ones that lie.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lore::ingest::pdf::test {

/// Collects objects and writes them with a cross-reference table. Numbers start at 1.
class PdfBuilder {
 public:
  /// Adds an object's text ("<</Type/Page …>>"); its number.
  int add(std::string text);

  /// Keeps a number for an object whose text comes later with set().
  int reserve() { return add("null"); }
  void set(int number, std::string text);

  /// Adds a stream; /Length is written unless `dictionary` has one.
  int add_stream(std::string_view data, std::string_view dictionary = "");

  /// Adds a page with the standard font /F1 (Helvetica, WinAnsi) and these contents; its number.
  /// `more` goes into the page's dictionary.
  int add_page(std::string_view content, std::string_view more = "");

  /// The resources that add_page() gives: a dictionary with /F1.
  static std::string resources(std::string_view more_fonts = "");

  /// The file: a catalog, the pages that were added, the table. `catalog` goes into the catalog.
  std::string build(std::string_view catalog = "");

  /// The file with this catalog number, pages or not.
  std::string build_with_root(int root) const;

 private:
  std::vector<std::string> objects_;
  std::vector<int> pages_;
};

/// "BT /F1 size Tf x y Td (text) Tj ET": one line of text.
std::string text_at(double x, double y, std::string_view text, double size = 12,
                    std::string_view font = "F1");

/// Compresses with zlib (/FlateDecode).
std::string deflated(std::string_view data);

/// That many MiB of `byte`, compressed to about a thousandth.
std::string deflated_run(char byte, std::size_t mebibytes);

}  // namespace lore::ingest::pdf::test
