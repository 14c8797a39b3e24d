// The files of the web page, as they are in the program.
#pragma once

#include <string_view>

namespace lore::cli::serve {

/// The bytes of web/NAME; "" where there is none.
std::string_view embedded_file(std::string_view name);

}  // namespace lore::cli::serve
