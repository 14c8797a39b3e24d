// The labelled sentences: no false one may be verified, and few of the true ones may be missed.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/utf8.hpp"
#include "pipeline/citations/citations.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::pipeline {
namespace {

TEST(LabelledSentences, NoFalseOneIsVerifiedAndMostTrueOnesAre) {
  std::map<std::string, std::string> pages;
  std::string missed;
  std::size_t supported = 0;
  std::size_t verified = 0;
  std::size_t unsupported = 0;
  for (const std::string& line :
       test::read_lines(test::source_dir() / "tests/pipeline/citations/labelled.jsonl")) {
    const auto entry = nlohmann::json::parse(line);
    if (entry.contains("page")) {
      pages[entry.at("page").get<std::string>()] = entry.at("text").get<std::string>();
      continue;
    }
    const auto sentence = entry.at("sentence").get<std::string>();
    const std::string& page = pages.at(entry.at("cites").get<std::string>());
    const std::string_view cited[] = {page};
    const CitationCheck check = verify(sentence, cited);
    const std::string said = sentence + " — " + std::string(status_name(check.status)) + " " +
                             std::to_string(check.share) + ": " +
                             std::string(utf8::slice(page, check.quote.start, check.quote.end));
    if (entry.at("supported").get<bool>()) {
      ++supported;
      if (check.status == CitationStatus::verified) {
        ++verified;
      } else {
        missed += said + "\n";
      }
    } else {
      ++unsupported;
      EXPECT_NE(check.status, CitationStatus::verified) << said << " (" << entry.at("kind") << ")";
    }
  }
  EXPECT_GE(supported, 100U);
  EXPECT_GE(unsupported, 100U);
  EXPECT_GE(static_cast<double>(verified), 0.85 * static_cast<double>(supported))
      << verified << " of " << supported << "; missed:\n"
      << missed;
}

}  // namespace
}  // namespace lore::pipeline
