#include "engine/family_defaults.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "lore/error.hpp"

namespace lore::engine {
namespace {

/// A row holds for a model whose name or file name contains `part` (lower case, '-' for '_' and
/// space). The first row that fits counts. Sources: the models' own cards.
struct PrefixRow {
  std::string_view part;
  std::string_view query;
  std::string_view passage;
};

constexpr std::string_view kBgeQuery = "Represent this sentence for searching relevant passages: ";
constexpr std::string_view kBgeChineseQuery = "为这个句子生成表示以用于检索相关文章：";
constexpr std::string_view kInstructQuery =
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ";

constexpr std::array kPrefixes = {
    PrefixRow{"e5-mistral", kInstructQuery, ""},
    PrefixRow{"e5-large-instruct", kInstructQuery, ""},
    PrefixRow{"multilingual-e5", "query: ", "passage: "},
    PrefixRow{"e5-small", "query: ", "passage: "},
    PrefixRow{"e5-base", "query: ", "passage: "},
    PrefixRow{"e5-large", "query: ", "passage: "},
    PrefixRow{"nomic-embed-text", "search_query: ", "search_document: "},
    PrefixRow{"modernbert-embed", "search_query: ", "search_document: "},
    PrefixRow{"bge-m3", "", ""},
    PrefixRow{"bge-small-zh", kBgeChineseQuery, ""},
    PrefixRow{"bge-base-zh", kBgeChineseQuery, ""},
    PrefixRow{"bge-large-zh", kBgeChineseQuery, ""},
    PrefixRow{"bge-small", kBgeQuery, ""},
    PrefixRow{"bge-base", kBgeQuery, ""},
    PrefixRow{"bge-large", kBgeQuery, ""},
    PrefixRow{"mxbai-embed", kBgeQuery, ""},
    PrefixRow{"snowflake-arctic-embed-l-v2", "query: ", ""},
    PrefixRow{"snowflake-arctic-embed-m-v2", "query: ", ""},
    PrefixRow{"snowflake-arctic-embed", kBgeQuery, ""},
    PrefixRow{"gte-qwen2", kInstructQuery, ""},
    PrefixRow{"embeddinggemma", "task: search result | query: ", "title: none | text: "},
};

std::string folded(std::string_view name) {
  std::string result(name);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) {
    if (c == '_' || c == ' ') return '-';
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return result;
}

/// The numbers of `<architecture>.pooling_type` in GGUF files.
Pooling pooling_of_number(std::uint64_t number, const ModelInfo& info) {
  switch (number) {
    case 0:
      return Pooling::none;
    case 1:
      return Pooling::mean;
    case 2:
      return Pooling::cls;
    case 3:
      return Pooling::last;
    default:
      throw Error(ErrorCode::unsupported,
                  info.path.string() + ": pooling type " + std::to_string(number) +
                      " (a reranker?) is not supported",
                  info.architecture + ".pooling_type");
  }
}

}  // namespace

FamilyDefaults family_defaults(const gguf::Metadata& metadata, const ModelInfo& info) {
  FamilyDefaults defaults;
  if (const auto number = metadata.get_unsigned(info.architecture + ".pooling_type")) {
    defaults.pooling = pooling_of_number(*number, info);
  }
  const std::string name = folded(info.name);
  const std::string file = folded(info.path.filename().string());
  for (const PrefixRow& row : kPrefixes) {
    const bool fits =
        name.find(row.part) != std::string::npos || file.find(row.part) != std::string::npos;
    if (!fits) continue;
    defaults.query_prefix = row.query;
    defaults.passage_prefix = row.passage;
    break;
  }
  return defaults;
}

}  // namespace lore::engine
