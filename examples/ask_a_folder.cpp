// Indexes a folder and answers one question from it.
//
//   ask_a_folder MODELS FOLDER QUESTION
//
// MODELS is the folder that scripts/get-models.sh fills. The answer quotes the documents; with a
// generator there ("qwen-1.5b"), leave out `.generate = false` to have it written.

#include <iostream>
#include <string>
#include <vector>

#include "lore/library.hpp"

namespace {

// PDFs are parsed in a child process, so that none of them can take this one down. The child is
// this program again, called with this word.
constexpr const char* kWorkerWord = "--read-one-document";

int ask(const std::filesystem::path& models, const std::filesystem::path& folder,
        const std::string& question) {
  lore::Library library(
      {.models = models, .worker_command = {"/proc/self/exe", kWorkerWord}, .messages = {}});
  const lore::IndexReport report = library.index({.paths = {folder}});
  std::cout << report.added + report.changed << " documents read, " << report.unchanged
            << " unchanged, " << report.failed.size() << " failed\n";

  lore::DocumentIndex index = library.open(report.index);
  const lore::Answer answer = index.ask(question, {.generate = false});
  if (answer.status != lore::AnswerStatus::answered) {
    std::cout << "not in the documents\n";
    return 3;
  }
  std::cout << answer.answer << '\n';
  for (const lore::Citation& citation : answer.citations) {
    std::cout << '[' << citation.n << "] " << citation.document << ", page " << citation.page_label
              << " (" << lore::status_name(citation.status) << "): " << citation.quote << '\n';
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (!words.empty() && words.front() == kWorkerWord) {
    return lore::run_extraction_worker(std::span(words).subspan(1));
  }
  if (words.size() != 3) {
    std::cerr << "usage: ask_a_folder MODELS FOLDER QUESTION\n";
    return 2;
  }
  try {
    return ask(words[0], words[1], words[2]);
  } catch (const lore::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
