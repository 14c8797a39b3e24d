// The path of headings above a place, and the context line made of it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ingest/ingest.hpp"

namespace lore::ingest {

/// A context line and what it costs.
struct Context {
  std::string line;        ///< "Title > Heading > Heading", without line ends; may be empty
  std::size_t tokens = 0;  ///< of the line and its newline, with the tokens that a model adds
};

/// The sections of one document: 0 is what stands before the first heading, i + 1 what stands below
/// heading i. Borrows the document. Thread safety: one thread at a time.
class Sections {
 public:
  /// Context lines have at most `context_limit` tokens, counted with those that a model adds.
  Sections(const Document& document, std::size_t context_limit, CountTokens count_tokens);

  /// The titles of the headings above the text of a section, outermost first.
  std::vector<std::string> path(std::size_t section) const;

  /// The context line of a section. Where the whole is too long, outer headings go first, then the
  /// title, then words at the end of the innermost heading.
  const Context& context(std::size_t section);

 private:
  Context make_context(std::span<const std::string> path) const;

  const Document& document_;
  std::size_t context_limit_;
  CountTokens count_tokens_;
  std::vector<std::vector<std::size_t>> paths_;   // of each heading, itself last
  std::vector<std::optional<Context>> contexts_;  // of each section, made when asked for
};

}  // namespace lore::ingest
