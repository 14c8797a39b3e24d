// Files of an archive, written into a folder.
#pragma once

#include <string_view>

#include "packaging/single_file/archive.hpp"
#include "packaging/single_file/descriptor.hpp"
#include "packaging/single_file/text.hpp"

namespace single_file {

inline constexpr const char* kProgram = "bin/lore";
inline constexpr const char* kLoader = "lib/ld-linux-x86-64.so.2";

/// Writes all files of `archive` into `folder`, which is empty and will be called `path`, and
/// beside them the list that is_whole() reads. The program is told its loader's place, below
/// `path`. False with the reason where that fails.
bool unpack(Archive& archive, const Descriptor& folder, std::string_view path, Text& problem);

/// Whether everything that unpack() wrote is still there, each file with its size, and the
/// program's loader where the program looks for it. Costs a few hundred microseconds.
bool is_whole(const Descriptor& folder);

}  // namespace single_file
