// Any text as a sentence, a page and a question, parted by zero bytes: quotes lie in the page, and
// what is chosen for a prompt keeps its budget.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/utf8.hpp"
#include "pipeline/citations/citations.hpp"

namespace {

std::string_view next_part(std::string_view& rest) {
  const std::size_t end = rest.find('\0');
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return part;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace pipeline = lore::pipeline;
  using pipeline::CitationStatus;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string_view sentence = next_part(rest);
  const std::string_view page = next_part(rest);
  const std::string_view pages[] = {page};
  const std::size_t length = lore::utf8::decode(page).size();

  const pipeline::CitationCheck check = pipeline::verify(sentence, pages, rest);
  if (check.quote.start > check.quote.end || check.quote.end > length) std::abort();
  if (check.status == CitationStatus::verified && check.quote.start == check.quote.end)
    std::abort();

  const std::vector<pipeline::ContextPassage> passages = {{page, 0.5, 2}, {rest, 0.4, 2}};
  std::size_t used = 0;
  for (const std::string& text : pipeline::choose_context(
           sentence, passages, 40, [](std::string_view t) { return t.size(); })) {
    if (!lore::utf8::is_valid(text)) std::abort();
    used += text.size();
  }
  if (used > 40) std::abort();
  for (const pipeline::AnswerSentence& part : pipeline::split_answer(page)) {
    if (part.span.start >= part.span.end || part.span.end > length) std::abort();
  }
  return 0;
}
