#include "base/processor.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string_view>

namespace lore {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view kKey = "model name";
    const std::size_t colon = line.find(':');
    if (!line.starts_with(kKey) || colon == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(' ', colon + 1);
    if (begin != std::string::npos) return line.substr(begin);
  }
  utsname system{};
  return uname(&system) == 0 ? system.machine : "unknown";
}

std::size_t last_level_cache_bytes() {
  long most = 0;
  for (const int level : {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE}) {
    most = std::max(most, sysconf(level));
  }
  return static_cast<std::size_t>(most);
}

}  // namespace lore
