// lore in one file: unpacks what it carries, once, and becomes the program in it.
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "packaging/single_file/archive.hpp"
#include "packaging/single_file/place.hpp"
#include "packaging/single_file/text.hpp"
#include "packaging/single_file/unpack.hpp"

namespace single_file {
namespace {

constexpr int kFailed = 1;

int fail(const Text& problem) {
  const Text message = Text("lore: ") + problem.view();
  const Descriptor errors(STDERR_FILENO);
  write_all(errors, message.view());
  write_all(errors, "\n");
  return kFailed;
}

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

/// Returns only where `home` will not do.
void run_from(std::string_view home, Archive& archive, char** arguments, Text& problems) {
  if (!home.starts_with('/')) return;
  Place place(home, archive.name());
  Text problem;
  if (place.prepare(archive, problem)) {
    const Text program = place.folder() + "/" + kProgram;
    ::execve(program.c_str(), arguments, environ);
    problem = Text("cannot be run there: ") + std::strerror(errno);
  }
  if (!problems.empty()) problems += ", ";
  constexpr std::size_t kShown = 1000;  // so that the sentence goes on behind it
  problems += home.substr(0, kShown);
  problems += " (";
  problems += problem.view();
  problems += ")";
}

int run(char** arguments) {
  Archive archive;
  Text problem;
  if (!archive.open(problem)) return fail(problem);
  Text problems;
  const std::string_view cache = variable("XDG_CACHE_HOME");
  const std::string_view user = variable("HOME");
  if (!cache.empty())
    run_from((Text(cache) + "/lore").view(), archive, arguments, problems);
  else if (!user.empty())
    run_from((Text(user) + "/.cache/lore").view(), archive, arguments, problems);
  const std::string_view temporary = variable("TMPDIR");
  Text shared(temporary.empty() ? "/tmp" : temporary);
  shared += "/lore-";
  shared += std::uint64_t{::geteuid()};
  run_from(shared.view(), archive, arguments, problems);
  problem = Text("it has to unpack itself (");
  problem += archive.unpacked_bytes() / 1'000'000 + 1;
  problem += " MB) before it can run, and found no place: ";
  problem += problems.view();
  problem += "; name a folder with room for it in the variable XDG_CACHE_HOME";
  return fail(problem);
}

}  // namespace
}  // namespace single_file

int main(int /*count*/, char** arguments) { return single_file::run(arguments); }
