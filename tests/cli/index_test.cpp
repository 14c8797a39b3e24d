// index, status, check, show, search over real documents and the real embedding model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/utf8.hpp"
#include "tests/cli/small_collection.hpp"

namespace lore::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Json json_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return Json::parse(outcome.out, nullptr, false);
}

TEST(IndexCommandTest, AccountsForEveryFileAcrossRuns) {
  LORE_NEED_MODEL("minilm");
  const SmallCollection collection;
  Json report = json_of(collection.index({"--json"}));
  EXPECT_EQ(report["added"], 3);
  EXPECT_EQ(report["failed"].size(), 0U);
  EXPECT_GT(report["chunks"], 2);
  report = json_of(collection.index({"--json"}));
  EXPECT_EQ(report["unchanged"], 3);
  EXPECT_EQ(report["added"], 0);

  std::filesystem::rename(collection.docs / "pump.md", collection.docs / "club/pump2.md");
  std::filesystem::remove(collection.docs / "kitchen.html");
  collection.folder.write("docs/club/minutes.txt", "The club was dissolved on 3 August.\n");
  collection.folder.write("docs/new.txt", "A new text about whales.\n");
  report = json_of(collection.index({"--json"}));
  EXPECT_EQ(report["added"], 1);
  EXPECT_EQ(report["changed"], 1);
  EXPECT_EQ(report["moved"], 1);
  EXPECT_EQ(report["removed"], 1);
  EXPECT_EQ(report["unchanged"], 0);

  const Outcome text = collection.index();
  EXPECT_EQ(text.code, 0);
  EXPECT_THAT(text.out, HasSubstr("3 unchanged"));
  EXPECT_EQ(text.err, "");
}

TEST(IndexCommandTest, GlobsPathsAndIndexElsewhere) {
  LORE_NEED_MODEL("minilm");
  const SmallCollection collection;
  const std::string index = (collection.folder.path() / "elsewhere").string();
  Json report = json_of(run_lore({"index", "docs", "--include", "*.md", "--include", "*.txt",
                                  "--exclude", "club/*", "--index", index, "--json"},
                                 {.folder = collection.folder.path()}));
  EXPECT_EQ(report["added"], 1);
  EXPECT_FALSE(std::filesystem::exists(collection.docs / ".lore"));
  report = json_of(run_lore({"index", "docs/club", "docs/kitchen.html", "--index", index, "--json"},
                            {.folder = collection.folder.path()}));
  EXPECT_EQ(report["added"], 2);
  EXPECT_EQ(report["removed"], 0) << "documents outside of the given paths stay";
  const Json status = json_of(run_lore({"status", "--index", index, "--json"}));
  EXPECT_EQ(status["documents"], 3);
  expect_refusal(
      run_lore({"index", "docs/club", "docs/kitchen.html"}, {.folder = collection.folder.path()}),
      2, {"--index"});
}

TEST(IndexCommandTest, AFolderCanBeMovedWithItsIndex) {
  LORE_NEED_MODEL("minilm");
  const SmallCollection collection;
  ASSERT_EQ(collection.index().code, 0);
  const auto moved = collection.folder.path() / "moved here";
  std::filesystem::rename(collection.docs, moved);
  const Json hits =
      json_of(run_lore({"search", "alarm E14", "--json"}, {.folder = moved / "club"}));
  ASSERT_GT(hits.size(), 0U);
  EXPECT_EQ(hits[0]["document"], "pump.md");
  EXPECT_EQ(hits[0]["path"], (std::filesystem::canonical(moved) / "pump.md").string());
  EXPECT_EQ(json_of(run_lore({"index", "--json"}, {.folder = moved}))["unchanged"], 3);
}

/// A folder for the index may be named from anywhere and need not exist.
TEST(IndexCommandTest, TheIndexMayBeNamedByARelativePath) {
  LORE_NEED_MODEL("minilm");
  for (const std::string index : {"new", "./new", "../here/new", "deep/er/new", "new/"}) {
    const SmallCollection collection;
    const auto here = collection.folder.path() / "here";
    std::filesystem::create_directories(here);
    for (const char* given : {"../docs", "/docs"}) {
      const std::string docs = given[0] == '/' ? collection.docs.string() : given;
      ASSERT_EQ(run_lore({"index", docs, "--index", index}, {.folder = here}).code, 0) << index;
      const Json status =
          json_of(run_lore({"status", "--index", index, "--json"}, {.folder = here}));
      EXPECT_EQ(status["documents"], 3) << index << " of " << docs;
      const Json hits =
          json_of(run_lore({"search", "alarm E14", "--index", index, "--json"}, {.folder = here}));
      ASSERT_GT(hits.size(), 0U);
      EXPECT_EQ(hits[0]["path"], std::filesystem::canonical(collection.docs / "pump.md").string());
    }
  }
}

TEST(IndexCommandTest, ASymlinkedIndexFolderWorksAsAnyOther) {
  LORE_NEED_MODEL("minilm");
  const SmallCollection collection;
  std::filesystem::create_directories(collection.folder.path() / "disk/index");
  std::filesystem::create_directory_symlink(collection.folder.path() / "disk/index",
                                            collection.docs / ".lore");
  EXPECT_EQ(json_of(collection.index({"--json"}))["added"], 3);
  EXPECT_EQ(json_of(collection.index({"--json"}))["unchanged"], 3);
  const Json hits = json_of(collection.run({"search", "alarm E14", "--json"}));
  ASSERT_GT(hits.size(), 0U);
  EXPECT_TRUE(std::filesystem::exists(hits[0]["path"].get<std::string>())) << hits[0]["path"];
  const Json answer =
      json_of(collection.run({"ask", "What does alarm E14 mean?", "--no-generate", "--json"}));
  EXPECT_FALSE(answer["citations"][0]["stale"]);
}

TEST(IndexCommandTest, GlobsOfOneRunForgetNothingAndIgnoreFilesDo) {
  LORE_NEED_MODEL("minilm");
  const SmallCollection collection;
  collection.folder.write("docs/.notes/hidden.md", "A hidden note about whales.\n");
  ASSERT_EQ(json_of(collection.index({"--json"}))["added"], 3);
  EXPECT_EQ(json_of(collection.index({"--include", ".notes/**", "--json"}))["added"], 1);
  for (const std::vector<std::string>& globs :
       {std::vector<std::string>{"--include", "*.md"}, {"--exclude", "club"}, {}}) {
    std::vector<std::string> arguments = globs;
    arguments.emplace_back("--json");
    EXPECT_EQ(json_of(collection.index(arguments))["removed"], 0);
  }
  EXPECT_EQ(json_of(collection.run({"status", "--json"}))["documents"], 4);
  std::filesystem::remove(collection.docs / "kitchen.html");
  EXPECT_EQ(json_of(collection.index({"--include", "*.md", "--json"}))["removed"], 1);
  collection.folder.write("docs/.loreignore", "club/\n");
  EXPECT_EQ(json_of(collection.index({"--json"}))["removed"], 1);
  expect_refusal(collection.index({"--include", "*.nothing"}), 1,
                 {"nothing to index", "--include"});
  EXPECT_EQ(json_of(collection.run({"status", "--json"}))["documents"], 2);
}

TEST(IndexCommandTest, AnEmptyFolderThatHadDocumentsIsADiskThatIsNotMounted) {
  LORE_NEED_MODEL("minilm");
  const SmallCollection collection;
  const std::string index = (collection.folder.path() / "index").string();
  ASSERT_EQ(collection.index({"--index", index}).code, 0);
  std::filesystem::rename(collection.docs, collection.folder.path() / "unmounted");
  std::filesystem::create_directory(collection.docs);
  expect_refusal(collection.index({"--index", index}), 1,
                 {"docs", "3 documents", "delete the index folder"});
  EXPECT_EQ(json_of(run_lore({"status", "--index", index, "--json"}))["documents"], 3);
  std::filesystem::remove(collection.docs);
  std::filesystem::rename(collection.folder.path() / "unmounted", collection.docs);
  EXPECT_EQ(json_of(collection.index({"--index", index, "--json"}))["unchanged"], 3);
}

TEST(IndexCommandTest, TheIndexIsNeverAFolderToIndex) {
  LORE_NEED_MODEL("minilm");
  const SmallCollection collection;
  RunOptions options{.folder = collection.folder.path()};
  expect_refusal(run_lore({"index", "docs", "--index", "docs"}, options), 2,
                 {"--index", "docs/.lore"});
  expect_refusal(run_lore({"index", "docs/club", "docs", "--index", "docs/club"}, options), 2,
                 {"--index", "docs/club"});
  ASSERT_EQ(collection.index().code, 0);
  options.environment["LORE_INDEX"] = "docs";
  EXPECT_EQ(json_of(run_lore({"index", "docs", "--json"}, options))["unchanged"], 3)
      << "docs/.lore is meant, as by the other verbs";
}

TEST(IndexCommandTest, SettingsThatCannotWorkAreNotRecorded) {
  LORE_NEED_MODEL("minilm");
  const SmallCollection collection;
  expect_refusal(collection.index({"--chunk-tokens", "5"}), 2, {"--chunk-tokens"});
  EXPECT_FALSE(std::filesystem::exists(collection.docs / ".lore"));
  ASSERT_EQ(collection.index().code, 0);
  expect_refusal(collection.index({"--chunk-tokens", "5"}), 2, {"--chunk-tokens"});
  EXPECT_EQ(json_of(collection.index({"--json"}))["unchanged"], 3);
}

TEST(IndexCommandTest, StatusTellsThatAnOlderVersionIsKept) {
  LORE_NEED_MODEL("minilm");
  const SmallCollection collection;
  std::filesystem::copy_file(source_dir() / "examples/documents/lease-scan.pdf",
                             collection.docs / "lease.pdf");
  ASSERT_EQ(collection.index().code, 0);
  collection.folder.write("docs/lease.pdf", "%PDF-1.7\n1 0 obj\n<< /Type /Catalog");
  collection.folder.write("docs/new.pdf", "");
  EXPECT_EQ(collection.index().code, 4);
  const Outcome again = collection.index();
  EXPECT_EQ(again.code, 4);
  EXPECT_THAT(again.err, HasSubstr("--retry"));
  const Json failed = json_of(collection.run({"status", "--json"}))["failed"];
  ASSERT_EQ(failed.size(), 2U);
  EXPECT_TRUE(failed[0]["older_version_kept"]);
  EXPECT_FALSE(failed[1]["older_version_kept"]);
  EXPECT_THAT(collection.run({"status"}).out, HasSubstr("indexed of it before is kept"));
}

TEST(IndexCommandTest, SearchShowsWhatShowPrints) {
  LORE_NEED_MODEL("minilm");
  const SmallCollection collection;
  ASSERT_EQ(collection.index().code, 0);
  for (const char* mode : {"hybrid", "vector", "text"}) {
    const Json hits = json_of(collection.run(
        {"search", "When does the pump stop by itself?", "--mode", mode, "--json", "-k", "3"}));
    ASSERT_GE(hits.size(), 1U) << mode;
    EXPECT_EQ(hits[0]["document"], "pump.md") << mode;
    EXPECT_EQ(hits[0]["rank"], 1);
    for (const Json& hit : hits) {
      const Json document =
          json_of(collection.run({"show", hit["document"].get<std::string>(), "--json"}));
      const auto text = document["text"].get<std::string>();
      EXPECT_EQ(utf8::slice(text, hit["start"], hit["end"]), hit["text"].get<std::string>());
    }
  }
  const Outcome shown = collection.run({"show", "minutes.txt"});
  EXPECT_EQ(shown.code, 0);
  EXPECT_THAT(shown.out, HasSubstr("Ms Okafor was elected treasurer"));
  const Outcome text = collection.run({"search", "bread dough", "--explain"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("1. kitchen.html"), HasSubstr("similarity")));
  EXPECT_THAT(text.out, testing::Not(HasSubstr("\x1b"))) << "no escapes into a pipe";
}

TEST(IndexCommandTest, NothingFoundIsAnEmptyListAndCodeThree) {
  LORE_NEED_MODEL("minilm");
  const SmallCollection collection;
  ASSERT_EQ(collection.index().code, 0);
  const Outcome json = collection.run({"search", "zyzzyva", "--mode", "text", "--json"});
  EXPECT_EQ(json.code, 3);
  EXPECT_EQ(json.out, "[]\n");
  EXPECT_EQ(collection.run({"search", "x", "--filter", "*.docx"}).code, 3);
}

TEST(IndexCommandTest, StatusAndCheck) {
  LORE_NEED_MODEL("minilm");
  const SmallCollection collection;
  ASSERT_EQ(collection.index().code, 0);
  const Json status = json_of(collection.run({"status", "--json"}));
  EXPECT_EQ(status["documents"], 3);
  EXPECT_EQ(status["embed_model"]["name"], "minilm");
  EXPECT_EQ(status["embed_model"]["dimension"], 384);
  EXPECT_EQ(status["settings"]["chunk_tokens"], "256");
  EXPECT_THAT(collection.run({"status"}).out, HasSubstr("club/minutes.txt"));
  EXPECT_TRUE(json_of(collection.run({"check", "--json"}))["sound"]);
  EXPECT_EQ(collection.run({"check", "--repair"}).code, 0);
}

TEST(IndexCommandTest, RecordedSettingsHoldUntilOthersAreAskedFor) {
  LORE_NEED_MODEL("minilm");
  const SmallCollection collection;
  const Json first = json_of(collection.index({"--chunk-tokens", "48", "--json"}));
  Json report = json_of(collection.index({"--json"}));
  EXPECT_EQ(report["unchanged"], 3) << "48 is recorded";
  report = json_of(collection.index({"--chunk-tokens", "200", "--json"}));
  EXPECT_EQ(report["changed"], 3);
  EXPECT_LT(report["chunks"], first["chunks"]);
}

TEST(IndexCommandTest, APdfWithAPageThatCannotBeReadIsAFailureThatKeepsTheOthers) {
  LORE_NEED_MODEL("minilm");
  const TemporaryFolder folder;
  folder.write("torn.pdf",
               "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
               "2 0 obj<</Type/Pages/Count 2/Kids[3 0 R 4 0 R]>>endobj\n"
               "3 0 obj<</Type/Page/MediaBox[0 0 600 800]/Contents 5 0 R/Resources<</Font<</F "
               "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj\n"
               "4 0 obj<</Type/Page/MediaBox[0 0 600 800]/Contents 9 0 R>>endobj\n"
               "5 0 obj<</Length 44>>stream\nBT /F 12 Tf 72 700 Td (A torn handbook) Tj ET \n"
               "endstream endobj\ntrailer<</Size 6/Root 1 0 R>>\n");
  folder.write("empty.html", "");
  folder.write("picture.png", std::string("\x89PNG\r\n\x1A\n\0", 9));
  const Outcome indexed = run_lore({"index"}, {.folder = folder.path()});
  EXPECT_EQ(indexed.code, 4) << indexed.err;
  EXPECT_THAT(indexed.err, HasSubstr("torn.pdf: page 2 of 2 could not be read"));
  EXPECT_THAT(indexed.out, HasSubstr("empty.html: no text on its only page (scanned or empty)"));
  EXPECT_THAT(indexed.err, HasSubstr("1 file of another kind was left out"));
  const Outcome again = run_lore({"index", "--json", "-q"}, {.folder = folder.path()});
  EXPECT_EQ(again.code, 4);
  EXPECT_THAT(again.err, Not(HasSubstr("left out")));
  const Json report = Json::parse(again.out);
  ASSERT_EQ(report["failed"].size(), 1U);
  EXPECT_EQ(report["failed"][0]["pages_read"], 1);
  EXPECT_EQ(report["unsupported"], 1);
  const Json hits = json_of(run_lore({"search", "handbook", "--json"}, {.folder = folder.path()}));
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_EQ(hits[0]["text"], "A torn handbook");
  EXPECT_THAT(run_lore({"status"}, {.folder = folder.path()}).out, HasSubstr("page 2 of 2"));
}

TEST(IndexCommandTest, RealPdfsWithLabelsAndAPassword) {
  LORE_NEED_MODEL("minilm");
  const TemporaryFolder folder;
  const auto examples = source_dir() / "examples/documents";
  for (const char* name : {"pump-manual.pdf", "lease-scan.pdf"}) {
    std::filesystem::copy_file(examples / name, folder.path() / name);
  }
  const Outcome indexed = run_lore({"index", "--json"}, {.folder = folder.path()});
  EXPECT_EQ(indexed.code, 0) << indexed.err;
  const Json report = Json::parse(indexed.out);
  EXPECT_EQ(report["added"], 2);
  EXPECT_GT(report["pages_without_text"], 0) << "the scan is reported and no failure";
  const Json hits = json_of(
      run_lore({"search", "torque of the anchor bolts", "--json"}, {.folder = folder.path()}));
  ASSERT_GT(hits.size(), 0U);
  EXPECT_EQ(hits[0]["document"], "pump-manual.pdf");
  EXPECT_GE(hits[0]["page"], 1);
  const Json page = json_of(
      run_lore({"show", "pump-manual.pdf", "--page", "4", "--json"}, {.folder = folder.path()}));
  EXPECT_EQ(page["pages"].size(), 1U);
  const auto text = page["text"].get<std::string>();
  EXPECT_THAT(text, HasSubstr("85 Nm"));
  EXPECT_EQ(utf8::slice(text, page["pages"][0]["start"], page["pages"][0]["end"]), text);
  const Json whole =
      json_of(run_lore({"show", "pump-manual.pdf", "--json"}, {.folder = folder.path()}));
  EXPECT_EQ(page["offset"], whole["pages"][3]["start"]);
  EXPECT_EQ(utf8::slice(whole["text"].get<std::string>(), page["offset"],
                        page["offset"].get<std::size_t>() + utf8::length(text)),
            text);
  expect_refusal(run_lore({"show", "pump-manual.pdf", "--page", "99"}, {.folder = folder.path()}),
                 2, {"--page 99", "pages"});
}

}  // namespace
}  // namespace lore::test
