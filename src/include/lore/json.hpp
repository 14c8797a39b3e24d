// The JSON shapes that scripts may rely on, as text without line breaks. Numbers can be read back
// exactly (float32 has 9 significant digits); text that is not UTF-8 has U+FFFD in its place.
#pragma once

#include <span>
#include <string>

#include "lore/api.hpp"
#include "lore/types.hpp"

namespace lore {

LORE_API std::string to_json(std::span<const Passage> passages);
LORE_API std::string to_json(const Answer& answer);
/// With "id" before the question; `id_json` is a JSON value.
LORE_API std::string to_json(const Answer& answer, const std::string& id_json);
LORE_API std::string to_json(const IndexReport& report);
LORE_API std::string to_json(const IndexStatus& status);
LORE_API std::string to_json(const CheckOutcome& outcome);
LORE_API std::string to_json(const StoredDocument& document);
LORE_API std::string to_json(const ModelDescription& model);
LORE_API std::string to_json(const Tokenization& tokens);
LORE_API std::string to_json(const GeneratedText& generated);
LORE_API std::string to_json(const MachineLimits& limits);
LORE_API std::string to_json(const ModelSpeed& speed);
/// The number that prints with as many digits as float32 needs to be read back (9 at most).
LORE_API double json_number(float value);
/// [0.25,-1,…]
LORE_API std::string to_json(std::span<const float> numbers);

}  // namespace lore
