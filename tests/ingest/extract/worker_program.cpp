// What `lore` does under its hidden command: the child process that reads one PDF.
#include <string>
#include <vector>

#include "ingest/ingest.hpp"

int main(int count, char** arguments) {
  const std::vector<std::string> rest(arguments + 1, arguments + count);
  return lore::ingest::worker_main(rest);
}
