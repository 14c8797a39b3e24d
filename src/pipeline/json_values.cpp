#include "pipeline/json_values.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "lore/json.hpp"

namespace lore::pipeline {
namespace {

constexpr int kFloatDigits = 9;  // max_digits10 of float32

std::string_view format_float(float value, std::array<char, 32>& buffer) {
  if (!std::isfinite(value)) return "null";  // JSON has no other word for it
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::general, kFloatDigits);
  return {buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data())};
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

Json json_of(const Passage& passage) {
  Json vector = nullptr;
  if (passage.vector_rank || passage.similarity) {
    vector = {{"rank", or_null(passage.vector_rank)},
              {"similarity",
               passage.similarity ? Json(json_number(*passage.similarity)) : Json(nullptr)}};
  }
  Json lexical = nullptr;
  if (passage.lexical_rank || passage.bm25) {
    lexical = {{"rank", or_null(passage.lexical_rank)}, {"bm25", or_null(passage.bm25)}};
  }
  return {{"rank", passage.rank},
          {"score", passage.score},
          {"document", passage.document},
          {"path", passage.path.string()},
          {"page", passage.page},
          {"page_end", passage.page_end},
          {"page_label", passage.page_label},
          {"page_end_label", passage.page_end_label},
          {"heading", passage.heading},
          {"start", passage.start},
          {"end", passage.end},
          {"text", passage.text},
          {"vector", std::move(vector)},
          {"lexical", std::move(lexical)}};
}

Json json_of(const Citation& citation) {
  return {{"n", citation.n},
          {"document", citation.document},
          {"path", citation.path.string()},
          {"page", citation.page},
          {"page_label", citation.page_label},
          {"start", citation.start},
          {"end", citation.end},
          {"quote", citation.quote},
          {"status", status_name(citation.status)},
          {"stale", citation.stale},
          {"sentence", citation.sentence}};
}

Json json_of(const FailedFile& failure) {
  return {{"path", failure.path.string()},
          {"reason", failure.reason},
          {"pages_read", failure.pages_read},
          {"code", failure.code},
          {"older_version_kept", failure.older_version_kept}};
}

std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void append_numbers(std::string& text, std::span<const float> numbers) {
  std::array<char, 32> buffer{};
  text += '[';
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text += ',';
    text += format_float(numbers[i], buffer);
  }
  text += ']';
}

}  // namespace lore::pipeline

namespace lore {

double json_number(float value) {
  if (!std::isfinite(value)) return static_cast<double>(value);
  std::array<char, 32> buffer{};
  const std::string_view text = pipeline::format_float(value, buffer);
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace lore
