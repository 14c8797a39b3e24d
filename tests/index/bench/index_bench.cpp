// How long storing and searching take. Not a test: prints milliseconds, to compare in one run.
//   index_bench [vectors] [dimension] [words a passage] [most numbers of an exact vector file]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>

#include "index/open.hpp"
#include "tests/index/support.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::index {
namespace {

struct Time {
  double wall = 0;       // milliseconds
  double processor = 0;  // of this process: what counts where others load the machine
};

Time time_of(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t before = std::clock();
  body();
  return {
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count(),
      1e3 * static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC};
}

// Words with the frequencies of a language: the n-th is met about 1/n as often as the first.
std::string passage(std::mt19937_64& random, std::size_t words) {
  std::string text;
  std::uniform_real_distribution<double> uniform(0, 1);
  for (std::size_t i = 0; i < words; ++i) {
    const auto rank = static_cast<int>(std::exp(uniform(random) * 10.8));  // up to 49,000
    if (i > 0) text += ' ';
    for (int value = rank * 7919 + 13; value > 0; value /= 19) {
      text += static_cast<char>('a' + value % 19);
    }
  }
  return text;
}

void print(const char* what, Time time, double rounds = 1) {
  std::printf("%-44s %10.2f ms, processor %10.2f ms\n", what, time.wall / rounds,
              time.processor / rounds);
}

void run(std::size_t vectors, std::size_t dimension, std::size_t words, std::size_t exact_codes) {
  const lore::test::TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path() / ".lore";
  WriterOptions options;
  options.exact_codes = exact_codes;
  auto writer = open_writer(folder, test::model(dimension), options);
  std::mt19937_64 random(1);
  constexpr std::size_t kChunks = 1000;
  Time storing;
  std::string question;
  for (std::size_t at = 0; at < vectors; at += kChunks) {
    std::string text = passage(random, words);
    for (std::size_t i = 1; i < kChunks; ++i) text += "\n\n" + passage(random, words);
    if (at == 0) question = text.substr(0, 40);
    const DocumentRecord record = test::document("document " + std::to_string(at), {text});
    const std::vector<float> rows = test::vectors_for(record, at, dimension);
    const Time taken = time_of([&] { writer->put(record, rows); });
    storing.wall += taken.wall;
    storing.processor += taken.processor;
  }
  std::printf("%zu vectors of %zu dimensions\n", vectors, dimension);
  print("put of a document of 1,000 chunks", storing, static_cast<double>(vectors / kChunks));
  const std::vector<float> query = test::unit_vector(vectors / 2, dimension);
  SearchQuery by_vector = test::vector_query(query);
  SearchQuery by_text = test::text_query(question);
  SearchQuery hybrid = by_vector;
  hybrid.text = question;
  hybrid.mode = SearchMode::hybrid;
  const auto search = [&](const char* name, Reader& reader, const SearchQuery& what) {
    print((std::string(name) + ", first").c_str(), time_of([&] { (void)reader.search(what); }));
    constexpr int kRounds = 10;
    const Time warm = time_of([&] {
      for (int i = 0; i < kRounds; ++i) (void)reader.search(what);
    });
    print((std::string(name) + ", warm").c_str(), warm, kRounds);
  };
  {
    const auto reader = Reader::open(folder);
    search("vector search without a vector file", *reader, by_vector);
  }
  print("publish", time_of([&] { writer->publish(); }));
  std::unique_ptr<Reader> reader;
  print("open for reading", time_of([&] { reader = Reader::open(folder); }));
  search("vector search", *reader, by_vector);
  search("text search", *reader, by_text);
  search("hybrid search", *reader, hybrid);
  by_vector.path_filter = "document 0";
  search("vector search in one document", *reader, by_vector);
  print("check", time_of([&] {
          for (const std::string& problem : reader->check().problems) std::puts(problem.c_str());
        }));
  print("put of a small document", time_of([&] {
          const DocumentRecord record = test::document("small", {"a small document"});
          writer->put(record, test::vectors_for(record, 1, dimension));
        }));
  print("remove of 1,000 chunks", time_of([&] { writer->remove(writer->find("document 0")->id); }));
  std::printf("bytes of the folder a chunk: %.0f\n",
              static_cast<double>(reader->counts().bytes) / static_cast<double>(vectors));
}

}  // namespace
}  // namespace lore::index

int main(int count, char** arguments) {
  const auto number = [&](int at, std::size_t otherwise) {
    return count > at ? static_cast<std::size_t>(std::strtoull(arguments[at], nullptr, 10))
                      : otherwise;
  };
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  lore::index::run(number(1, 100'000), number(2, 384), number(3, 150),
                   number(4, lore::index::VectorIndex::kExactCodes));
}
