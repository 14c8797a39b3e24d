// A folder of small documents about things that have answers, and its index.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/lore_process.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::test {

using Json = nlohmann::json;

inline constexpr std::string_view kPump =
    "# Pump P7\n\nThe pump P7 stops by itself at a pressure of 6 bar.\n\n"
    "## Alarms\n\nAlarm E14 means that the inlet pressure is too low. Open the inlet valve and "
    "press "
    "RESET.\n\nAlarm E41 means that the motor is too hot. Let it cool down for 20 minutes.\n";
inline constexpr std::string_view kMinutes =
    "Minutes of the garden club, 4 May.\n\nMs Okafor was elected treasurer with nine votes. "
    "The summer party takes place on 12 July in the orchard.\n";
inline constexpr std::string_view kKitchen =
    "<html><head><title>Kitchen rules</title></head><body><h1>Kitchen rules</h1>"
    "<p>Bread dough rests for 90 minutes before it is baked at 230 degrees.</p></body></html>";

/// Documents in `docs`, indexed when asked for.
class SmallCollection {
 public:
  SmallCollection() : docs(folder.path() / "docs") {
    folder.write("docs/pump.md", kPump);
    folder.write("docs/club/minutes.txt", kMinutes);
    folder.write("docs/kitchen.html", kKitchen);
  }

  Outcome index(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), "index");
    return run_lore(more, {.folder = docs});
  }
  /// Runs a verb in the folder of the documents.
  Outcome run(const std::vector<std::string>& arguments, RunOptions options = {}) const {
    if (options.folder.empty()) options.folder = docs;
    return run_lore(arguments, options);
  }

  TemporaryFolder folder;
  std::filesystem::path docs;
};

/// One sentence on standard error that says what and how to go on, nothing on standard output.
inline void expect_refusal(const Outcome& outcome, int code,
                           const std::vector<std::string>& words) {
  EXPECT_EQ(outcome.code, code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.messages().size(), 1U) << outcome.err;
  for (const std::string& word : words) {
    EXPECT_NE(outcome.err.find(word), std::string::npos)
        << "no '" << word << "' in: " << outcome.err;
  }
}

}  // namespace lore::test

/// Skips the test, visibly, where a model that the command will look for is not on this machine.
#define LORE_NEED_MODEL(name)          \
  if (!::lore::test::model_path(name)) \
  GTEST_SKIP() << "model not on this machine: run scripts/get-models.sh " << (name)
