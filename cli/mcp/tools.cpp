#include "cli/mcp/tools.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/utf8.hpp"
#include "cli/render/passages.hpp"
#include "cli/render/style.hpp"
#include "cli/stored_page.hpp"
#include "lore/error.hpp"
#include "lore/json.hpp"

namespace lore::cli::mcp {
namespace {

constexpr std::size_t kMostPassages = 50;
/// Characters that one call hands out: what fits into an assistant's context beside other things.
constexpr std::size_t kMostCharacters = 60000;
constexpr std::size_t kDefaultSearch = 8;

struct Outcome {
  std::string text;  ///< for the assistant to read
  Json data;         ///< the same for programs
};

Json text_property(const char* description) {
  return {{"type", "string"}, {"description", description}};
}
Json count_property(const char* description, std::size_t most) {
  return {{"type", "integer"}, {"minimum", 1}, {"maximum", most}, {"description", description}};
}

Json schema(Json properties, Json required) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

std::string place(const Passage& passage) {
  std::string text = passage.document;
  if (passage.paged) {
    text += ", page " + std::to_string(passage.page);
    if (passage.page_end > passage.page) text += "–" + std::to_string(passage.page_end);
  }
  for (const std::string& heading : passage.heading) text += " › " + heading;
  return text;
}

Outcome search(DocumentIndex& index, const Fields& fields, Call&) {
  const auto query = fields.text("query");
  if (!query) fields.refuse("query", "is missing");
  SearchOptions options;
  options.k = fields.count("k", 1, kMostPassages).value_or(kDefaultSearch);
  options.filter = fields.text("filter").value_or("");
  const SearchResponse found = index.search(*query, options);
  std::string text;
  for (const Passage& passage : found.passages) {
    text +=
        "[" + std::to_string(passage.rank) + "] " + place(passage) + "\n" + passage.text + "\n\n";
  }
  if (found.passages.empty()) text = "No passage was found.";
  return {std::move(text), {{"results", Json::parse(to_json(found.passages))}}};
}

Outcome ask(DocumentIndex& index, const Fields& fields, Call& call) {
  const auto question = fields.text("question");
  if (!question) fields.refuse("question", "is missing");
  AskOptions options;
  options.k = fields.count("k", 1, kMostPassages).value_or(options.k);
  options.filter = fields.text("filter").value_or("");
  options.strict = fields.flag("strict").value_or(options.strict);
  AskCallbacks callbacks;
  callbacks.stop = [&] { return call.cancelled(); };
  callbacks.passages = [&](const std::vector<Passage>& passages) {
    call.progress(1, "reading " + std::to_string(passages.size()) + " passages");
  };
  double written = 1;
  callbacks.text = [&](std::string_view) {
    written += 1;
    call.progress(written, "writing");
  };
  const Answer answer = index.ask(*question, options, callbacks);
  std::string text = render_answer(answer, false, Style(false));
  return {std::move(text), Json::parse(to_json(answer))};
}

Outcome get(DocumentIndex& index, const Fields& fields, Call&) {
  const auto name = fields.text("document");
  if (!name) fields.refuse("document", "is missing");
  const StoredDocument document = index.document(*name);
  const std::size_t pages = std::max<std::size_t>(document.pages.size(), 1);
  const std::size_t first = fields.count("page", 1, pages).value_or(1);
  const std::size_t last =
      fields.count("page_end", first, pages).value_or(fields.has("page") ? first : pages);
  std::string text;
  std::size_t shown = first;
  for (; shown <= last; ++shown) {
    const std::string_view page =
        document.pages.empty() ? std::string_view(document.text) : page_text(document, shown);
    if (!text.empty() && text.size() + page.size() > kMostCharacters) break;
    if (pages > 1)
      text += "--- page " + std::to_string(shown) + " of " + std::to_string(pages) + " ---\n";
    text.append(page).append("\n");
  }
  const bool more = shown <= last;
  if (text.size() > kMostCharacters) {
    text = std::string(utf8::slice(text, 0, kMostCharacters)) + "\n(cut here)";
  }
  if (more) text += "(more follows: call again with page " + std::to_string(shown) + ")";
  Json data = {{"document", document.document},
               {"title", document.title},
               {"pages", pages},
               {"page", first},
               {"page_end", shown - 1},
               {"text", text}};
  return {std::move(text), std::move(data)};
}

Outcome status(DocumentIndex& index, const Fields&, Call&) {
  const IndexStatus found = index.status();
  std::string text = counted(found.documents, "document", "documents") + ", " +
                     counted(found.pages, "page", "pages") + ", " +
                     counted(found.chunks, "passage", "passages") + "\n";
  for (const DocumentInfo& document : found.listed) {
    text += document.document;
    if (!document.title.empty()) text += " (" + document.title + ")";
    text += "\n";
    if (text.size() > kMostCharacters) {
      text += "…\n";
      break;
    }
  }
  for (const FailedFile& failure : found.failed) {
    text += "not readable: " + failure.path.string() + ": " + failure.reason + "\n";
  }
  return {std::move(text), Json::parse(to_json(found))};
}

struct Tool {
  const char* name;
  const char* title;
  const char* description;
  Json (*input)();
  Outcome (*run)(DocumentIndex&, const Fields&, Call&);
};

Json search_input() {
  return schema({{"query", text_property("What to look for: a question or key words")},
                 {"k", count_property("How many passages; 8 if absent", kMostPassages)},
                 {"filter", text_property("Only documents whose path fits this glob, manuals/**")}},
                {"query"});
}
Json ask_input() {
  return schema(
      {{"question", text_property("A question in whole words")},
       {"k", count_property("Passages to answer from; 5 if absent", kMostPassages)},
       {"filter", text_property("Only documents whose path fits this glob, manuals/**")},
       {"strict",
        {{"type", "boolean"}, {"description", "Leave out what the cited pages do not support"}}}},
      {"question"});
}
Json get_input() {
  return schema({{"document", text_property("Path as search or status gives it")},
                 {"page", count_property("First page, from 1", 1000000)},
                 {"page_end", count_property("Last page", 1000000)}},
                {"document"});
}
Json status_input() { return schema(Json::object(), Json::array()); }

const std::array<Tool, 4>& tools() {
  static const std::array<Tool, 4> all = {{
      {"search", "Search the documents",
       "Finds the passages of the user's own indexed documents that fit a query best, by meaning "
       "and by words. Each comes with its document, page and headings. Prefer this to guessing "
       "about anything that the user's documents may say.",
       search_input, search},
      {"ask", "Ask the documents",
       "Has a small local model answer a question from the indexed documents alone, with "
       "citations that were checked against the cited pages. Says so where the documents do not "
       "answer. Takes some seconds; use search to read the passages yourself.",
       ask_input, ask},
      {"get", "Read pages of a document",
       "Gives the text of a document, or of some of its pages: to read on around a passage that "
       "search has found.",
       get_input, get},
      {"status", "What is indexed",
       "Lists the indexed documents, and the files that could not be read.", status_input, status},
  }};
  return all;
}

Json result_of(const Outcome& outcome) {
  return {{"content", Json::array({{{"type", "text"}, {"text", outcome.text}}})},
          {"structuredContent", outcome.data},
          {"isError", false}};
}

Json failure_of(const std::string& message) {
  return {{"content", Json::array({{{"type", "text"}, {"text", message}}})}, {"isError", true}};
}

}  // namespace

Json list_tools() {
  Json list = Json::array();
  for (const Tool& tool : tools()) {
    list.push_back(
        {{"name", tool.name},
         {"title", tool.title},
         {"description", tool.description},
         {"inputSchema", tool.input()},
         {"annotations",
          {{"readOnlyHint", true}, {"openWorldHint", false}, {"idempotentHint", true}}}});
  }
  return {{"tools", std::move(list)}};
}

Json call_tool(IndexPool& indexes, const Json& parameters, Call& call) {
  const auto name = parameters.find("name");
  const auto found = std::find_if(tools().begin(), tools().end(), [&](const Tool& tool) {
    return name != parameters.end() && *name == tool.name;
  });
  if (found == tools().end()) throw ProtocolError{kInvalidParameters, "there is no such tool"};
  const auto arguments = parameters.find("arguments");
  Json object = arguments == parameters.end() || arguments->is_null() ? Json::object() : *arguments;
  if (!object.is_object()) throw ProtocolError{kInvalidParameters, "arguments must be an object"};
  try {
    IndexPool::Lease index = indexes.take();
    return result_of(found->run(*index, Fields(std::move(object)), call));
  } catch (const Error& error) {
    return failure_of(error.what());
  }
}

}  // namespace lore::cli::mcp
