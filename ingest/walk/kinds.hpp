// Which kinds of files there are, beyond what the door shows.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "ingest/ingest.hpp"

namespace lore::ingest {

/// How much of a file's start sniff() wants to see.
inline constexpr std::size_t kSniffBytes = 8192;

/// What a file's name alone says.
Format format_of_name(const std::filesystem::path& name);

/// For people: what a file is that lore cannot read.
std::string describe_unknown(std::string_view head);

/// The first bytes of a file. Throws Error{not_found, io}. Never opens anything but a regular file.
std::string read_head(const std::filesystem::path& path);

/// The Failure for a system call that failed on `path` with `number`: "vanished" where the file is
/// no longer there, "unreadable" else.
Failure system_failure(const std::filesystem::path& path, int number);

}  // namespace lore::ingest
