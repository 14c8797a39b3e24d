// The JSON shapes that scripts may rely on, as text without line breaks. Numbers can be read back
// exactly (float32 has 9 significant digits); text that is not UTF-8 has U+FFFD in its place.
#pragma once

#include <span>
#include <string>

#include "lore/types.hpp"

namespace lore {

std::string to_json(std::span<const Passage> passages);
std::string to_json(const Answer& answer);
/// With "id" before the question; `id_json` is a JSON value.
std::string to_json(const Answer& answer, const std::string& id_json);
std::string to_json(const IndexReport& report);
std::string to_json(const IndexStatus& status);
std::string to_json(const CheckOutcome& outcome);
std::string to_json(const StoredDocument& document);
std::string to_json(const ModelDescription& model);
std::string to_json(const Tokenization& tokens);
std::string to_json(const GeneratedText& generated);
std::string to_json(const MachineLimits& limits);
std::string to_json(const ModelSpeed& speed);
/// [0.25,-1,…]
std::string to_json(std::span<const float> numbers);

}  // namespace lore
