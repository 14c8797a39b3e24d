// Stands for lore in a single file of the test's own: tells how it was started, waits for its input
// to end, and leaves with code 7.
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <iterator>

int main(int count, char** arguments) {
  for (int i = 0; i < count; ++i) std::cout << "argument " << arguments[i] << '\n';
  std::array<char, 4096> path{};
  if (::readlink("/proc/self/exe", path.data(), path.size() - 1) > 0) {
    std::cout << "program " << path.data() << '\n';
  }
  for (const char* name : {"LD_LIBRARY_PATH", "TINY"}) {
    const char* value = std::getenv(name);
    std::cout << name << ' ' << (value == nullptr ? "none" : value) << '\n';
  }
  std::cout << std::flush;
  for (std::istreambuf_iterator<char> in(std::cin), end; in != end;) ++in;
  return 7;
}
