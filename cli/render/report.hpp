// What indexing did, what is indexed, and whether it is sound.
#pragma once

#include <string>

#include "cli/render/style.hpp"
#include "lore/types.hpp"

namespace lore::cli {

std::string render_report(const IndexReport& report, const Style& style);
/// One line: the file, the reason, what was read all the same.
std::string render_failure(const FailedFile& failure);
std::string render_status(const IndexStatus& status, const Style& style);
std::string render_check(const CheckOutcome& outcome, const Style& style);
std::string render_model(const ModelDescription& model);

}  // namespace lore::cli
