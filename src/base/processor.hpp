// What the system says of its processor.
#pragma once

#include <cstddef>
#include <string>

namespace lore {

/// "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", or the architecture where the system tells no
/// name.
std::string processor_name();

/// Of the last-level cache of one processor, which its cores share; 0 where the system does not
/// tell.
std::size_t last_level_cache_bytes();

}  // namespace lore
