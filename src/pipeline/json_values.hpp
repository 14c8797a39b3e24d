// The parts that JSON shapes are made of.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "lore/types.hpp"

namespace lore::pipeline {

/// Keeps the order in which members were added, which is the documented one.
using Json = nlohmann::ordered_json;

Json json_of(const Passage& passage);
Json json_of(const Citation& citation);
Json json_of(const FailedFile& failure);
/// One line; invalid UTF-8 becomes U+FFFD.
std::string dump(const Json& value);
/// Appends "[…]" of float32 numbers.
void append_numbers(std::string& text, std::span<const float> numbers);

}  // namespace lore::pipeline
