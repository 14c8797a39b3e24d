#include "cli/open_file.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

#include "lore/error.hpp"

namespace lore::cli {
namespace {

struct Viewer {
  const char* program;
  const char* page_flag;
};

constexpr std::array<Viewer, 4> kViewers = {{
    {"evince", "--page-index"},
    {"okular", "--page"},
    {"atril", "--page-index"},
    {"zathura", "--page"},
}};

bool is_installed(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string folders = path == nullptr ? "/usr/bin:/bin" : path;
  folders += ':';
  for (std::size_t begin = 0, end; (end = folders.find(':', begin)) != std::string::npos;
       begin = end + 1) {
    const std::string file = folders.substr(begin, end - begin) + "/" + program;
    if (::access(file.c_str(), X_OK) == 0) return true;
  }
  return false;
}

/// Starts a program that outlives us, with no part in our terminal.
void start(std::vector<std::string> words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setsid() >= 0 && ::fork() == 0) {
      const int nothing = ::open("/dev/null", O_RDWR);
      for (const int end : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, end);
      ::execvp(arguments.front(), arguments.data());
    }
    ::_exit(0);
  }
  if (child > 0) ::waitpid(child, nullptr, 0);
}

}  // namespace

void open_file(const std::filesystem::path& file, std::size_t page) {
  std::error_code failed;
  if (!std::filesystem::exists(file, failed)) {
    throw Error(ErrorCode::not_found, file.string() + " is not there any more", file.string());
  }
  if (page > 0) {
    for (const Viewer& viewer : kViewers) {
      if (!is_installed(viewer.program)) continue;
      return start({viewer.program, viewer.page_flag, std::to_string(page), file.string()});
    }
  }
  if (!is_installed("xdg-open")) {
    throw Error(ErrorCode::not_found,
                "there is no program to show " + file.string() +
                    " with; install xdg-utils, or a PDF viewer such as evince",
                file.string());
  }
  start({"xdg-open", file.string()});
}

}  // namespace lore::cli
