// Everything that goes wrong for people: one clear sentence, the documented code, nothing lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>

#include "base/file.hpp"
#include "tests/cli/small_collection.hpp"

namespace lore::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class BadInputTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!model_path("minilm")) GTEST_SKIP() << "model not on this machine: minilm";
  }
  /// A models folder that another user can read.
  std::string home() {
    const auto models = collection.folder.path() / "home/models";
    std::filesystem::create_directories(models);
    std::filesystem::copy_file(*model_path("minilm"), models / "minilm.gguf");
    std::filesystem::permissions(collection.folder.path(), std::filesystem::perms(0755));
    return (collection.folder.path() / "home").string();
  }
  Json report(const Outcome& outcome, int code) {
    EXPECT_EQ(outcome.code, code) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
  }
  static void allow_writing(const std::filesystem::path& folder, bool allowed) {
    namespace fs = std::filesystem;
    const auto set = [&](const fs::path& path) {
      fs::permissions(path, fs::perms::owner_write,
                      allowed ? fs::perm_options::add : fs::perm_options::remove);
    };
    set(folder);
    for (const auto& entry : fs::recursive_directory_iterator(folder)) set(entry.path());
  }
  /// More documents than can be embedded before the test looks.
  void write_many() {
    for (int i = 0; i < 200; ++i) {
      std::string text;
      for (int j = 0; j < 300; ++j) {
        text += "Sentence " + std::to_string(j) + " of text " + std::to_string(i) + ". ";
      }
      collection.folder.write("docs/t" + std::to_string(i) + ".txt", text);
    }
  }
  void expect_whole(std::size_t documents) {
    const Json status = Json::parse(collection.run({"status", "--json"}).out, nullptr, false);
    EXPECT_EQ(status["documents"], documents);
    EXPECT_EQ(collection.run({"check"}).code, 0);
  }
  SmallCollection collection;
};

TEST_F(BadInputTest, AnEmptyFolderAndAMissingOne) {
  const TemporaryFolder empty;
  expect_refusal(run_lore({"index"}, {.folder = empty.path()}), 1,
                 {"nothing to index", empty.path().string(), "--include"});
  EXPECT_TRUE(std::filesystem::is_empty(empty.path())) << "no index is left behind";
  expect_refusal(run_lore({"index", "/nonexistent/docs"}), 1, {"/nonexistent/docs"});
}

TEST_F(BadInputTest, NoIndex) {
  const TemporaryFolder empty;
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"ask", "x"},
                                                    {"search", "x"},
                                                    {"status"},
                                                    {"check"},
                                                    {"show", "x"}}) {
    expect_refusal(run_lore(arguments, {.folder = empty.path()}), 1, {"lore index", "--index"});
  }
  expect_refusal(run_lore({"search", "x", "--index", "/nonexistent/i"}), 1, {"/nonexistent/i"});
  expect_refusal(run_lore({"batch", "q.txt"}, {.folder = empty.path()}), 1, {"lore index"});
}

TEST_F(BadInputTest, FilesThatCannotBeReadAreListedAndTheRestIsIndexed) {
  collection.folder.write("docs/zero.pdf", "");
  collection.folder.write("docs/torn.pdf", "%PDF-1.7\n1 0 obj\n<< /Type /Catalog");
  const Outcome outcome = collection.index({"--json"});
  const Json first = report(outcome, 4);
  EXPECT_EQ(first["added"], 3);
  ASSERT_EQ(first["failed"].size(), 2U);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("torn.pdf"), HasSubstr("zero.pdf")));
  const Json second = report(collection.index({"--json"}), 4);
  EXPECT_EQ(second["unchanged"], 3);
  EXPECT_EQ(second["failed"].size(), 2U) << "told until they are mended";
  EXPECT_THAT(collection.run({"status"}).out, HasSubstr("zero.pdf"));
  std::filesystem::remove(collection.docs / "zero.pdf");
  std::filesystem::remove(collection.docs / "torn.pdf");
  EXPECT_EQ(report(collection.index({"--json"}), 0)["failed"].size(), 0U);
}

TEST_F(BadInputTest, APasswordProtectedPdfNeedsItsPassword) {
  const auto locked = source_dir() / "tests/ingest/pdf/data/aes-256-password.pdf";
  std::filesystem::copy_file(locked, collection.docs / "locked.pdf");
  const Outcome outcome = collection.index({"--json"});
  const Json failed = report(outcome, 4)["failed"];
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_THAT(failed[0]["reason"].get<std::string>(), HasSubstr("password"));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("locked.pdf"), HasSubstr("--password")));
  EXPECT_EQ(report(collection.index({"--password", "wrong", "--json"}), 4)["failed"].size(), 1U);
  const Json opened =
      report(collection.index({"--password", "wrong", "--password", "geheim", "--json"}), 0);
  EXPECT_EQ(opened["added"], 1);
  EXPECT_EQ(opened["failed"].size(), 0U);
}

TEST_F(BadInputTest, AnUnreadableFileAsAnotherUser) {
  RunOptions options{.folder = collection.docs, .other_user = is_root()};
  options.environment["LORE_HOME"] = home();
  std::filesystem::permissions(collection.docs, std::filesystem::perms(0777));
  std::filesystem::permissions(collection.docs / "pump.md", std::filesystem::perms::none);
  std::filesystem::permissions(collection.docs / "club", std::filesystem::perms::none);
  const Outcome outcome = run_lore({"index", "--json"}, options);
  const Json object = report(outcome, 4);
  EXPECT_EQ(object["added"], 1);
  EXPECT_EQ(object["failed"].size(), 2U) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("pump.md"), HasSubstr("club"), HasSubstr("ermission")));
  // The right to read changes neither size nor time.
  std::filesystem::permissions(collection.docs / "pump.md", std::filesystem::perms(0644));
  std::filesystem::permissions(collection.docs / "club", std::filesystem::perms(0755));
  EXPECT_EQ(report(run_lore({"index", "--json"}, options), 0)["added"], 2);
}

TEST_F(BadInputTest, AReadOnlyFolderAsAnotherUser) {
  RunOptions options{.folder = collection.docs, .other_user = is_root()};
  options.environment["LORE_HOME"] = home();
  allow_writing(collection.docs, false);
  expect_refusal(run_lore({"index"}, options), 1, {".lore", "ermission", "--index"});
  EXPECT_FALSE(std::filesystem::exists(collection.docs / ".lore"));
  // Made by one who may write: then searching works for others, and writing is refused.
  allow_writing(collection.docs, true);
  ASSERT_EQ(collection.index().code, 0);
  allow_writing(collection.docs, false);
  const Outcome found = run_lore({"search", "alarm E14", "--json"}, options);
  EXPECT_EQ(found.code, 0) << found.err;
  expect_refusal(run_lore({"index"}, options), 1, {".lore", "--index"});
  expect_whole(3);
  allow_writing(collection.docs, true);
}

TEST_F(BadInputTest, AFullDiskLosesNothingThatWasDone) {
  const TinyDisk disk(collection.folder.path() / "disk", 3000);
  if (!disk.ready()) GTEST_SKIP() << "this machine lets us mount no small disk";
  const std::string index = (collection.folder.path() / "disk/index").string();
  ASSERT_EQ(collection.index({"--index", index}).code, 0);
  disk.fill(16);
  std::string text;
  for (int i = 0; i < 4000; ++i) text += "Sentence number " + std::to_string(i) + " stands here. ";
  collection.folder.write("docs/long.txt", text);
  const Outcome full = collection.index({"--index", index});
  EXPECT_EQ(full.code, 1) << full.out << full.err;
  EXPECT_THAT(full.err, HasSubstr("space"));
  disk.free_again();
  const Json status =
      Json::parse(collection.run({"status", "--index", index, "--json"}).out, nullptr, false);
  EXPECT_EQ(status["documents"], 3);
  EXPECT_EQ(collection.run({"check", "--index", index}).code, 0);
}

TEST_F(BadInputTest, OutputThatCannotBeWritten) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  ASSERT_EQ(collection.index().code, 0);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"search", "alarm"},
        {"status"},
        {"show", "pump.md"},
        {"--help"},
        {"ask", "What does alarm E14 mean?", "--no-generate"}}) {
    const Outcome outcome = collection.run(arguments, {.output = "/dev/full"});
    EXPECT_EQ(outcome.code, 1) << arguments[0];
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("standard output"), HasSubstr("space")));
  }
}

TEST_F(BadInputTest, TheWrongModelForAnIndex) {
  LORE_NEED_MODEL("minilm-q8_0");
  ASSERT_EQ(collection.index().code, 0);
  expect_refusal(collection.index({"--embed-model", "minilm-q8_0"}), 1,
                 {".lore", "minilm-q8_0", "--index"});
  expect_refusal(collection.index({"--pooling", "cls"}), 1, {"cls", "mean"});
  expect_refusal(collection.run({"search", "x", "--embed-model", "minilm-q8_0"}), 1,
                 {"minilm-q8_0", "--embed-model"});
  expect_whole(3);
}

TEST_F(BadInputTest, ModelsThatAreNone) {
  const std::string torn =
      collection.folder.write("torn.gguf", read_file(*model_path("minilm")).substr(0, 5000))
          .string();
  const std::string empty = collection.folder.write("empty.gguf", "").string();
  const std::string other = collection.folder.write("other.gguf", "this is a text").string();
  for (const std::string& path : {torn, empty, other}) {
    expect_refusal(run_lore({"embed", "x", "-m", path}), 1, {path});
    expect_refusal(run_lore({"model", "show", path}), 1, {path});
    expect_refusal(collection.index({"--embed-model", path}), 1, {path});
    expect_refusal(run_lore({"generate", "-p", "x", "-m", path}), 1, {path});
  }
  EXPECT_FALSE(std::filesystem::exists(collection.docs / ".lore"));
  expect_refusal(run_lore({"embed", "x", "-m", "nomodel"}), 1, {"'nomodel'", "get-models.sh"});
}

TEST_F(BadInputTest, LyingModelFilesAreRefusedByName) {
  LORE_REQUIRE_SHARED(folder, "gguf");
  for (const char* name : {"ggml-vocab-llama-gguf-v1.gguf", "gguf-unknown-type.gguf",
                           "gguf-v2-f32.gguf", "gpt2_smollm_tokenizer.gguf",
                           "ollama-api-test-6-bytes.gguf", "test-be-v3.gguf", "test-le-v3.gguf"}) {
    ASSERT_TRUE(std::filesystem::exists(folder / name)) << name;
    expect_refusal(run_lore({"model", "show", (folder / name).string()}), 1, {name});
  }
}

TEST_F(BadInputTest, QuestionsThatCannotBeAsked) {
  ASSERT_EQ(collection.index().code, 0);
  std::string question;
  for (int i = 0; i < 600; ++i) question += "pressure ";
  expect_refusal(collection.run({"ask", question}), 1, {"602 tokens", "512"});
  expect_refusal(collection.run({"search", question}), 1, {"602 tokens", "512"});
  expect_refusal(collection.run({"ask", "wh\xFFy"}), 2, {"UTF-8"});
  expect_refusal(collection.run({"ask", ""}), 2, {"empty"});
  expect_refusal(collection.run({"ask"}), 2, {"empty"});
  if (model_path("smollm2")) {
    expect_refusal(collection.run({"ask", "What does alarm E14 mean?", "-m", "smollm2",
                                   "--context-tokens", "40"}),
                   1, {"--context-tokens 40"});
  }
}

TEST_F(BadInputTest, ASecondWriterIsToldAndReadersAreNotHeldUp) {
  ASSERT_EQ(collection.index().code, 0);
  write_many();
  Running first({"index"}, {.folder = collection.docs});
  // Repairing needs the lock for a moment only: whoever comes first, the other one waits for it.
  Outcome second;
  for (int i = 0; i < 100 && second.code != 1; ++i) second = collection.run({"check", "--repair"});
  expect_refusal(second, 1, {"process"});
  EXPECT_EQ(collection.run({"search", "alarm", "--mode", "text"}).code, 0);
  first.signal(SIGINT);
  const Outcome ended = first.finish();
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_EQ(collection.run({"check"}).code, 0);
}

TEST_F(BadInputTest, CtrlCKeepsWhatIsDoneAndTheNextRunGoesOn) {
  write_many();
  Running run({"index", "--json"}, {.folder = collection.docs});
  const auto documents = [&] {
    const Json status = Json::parse(collection.run({"status", "--json"}).out, nullptr, false);
    return status.is_object() ? status["documents"].get<std::size_t>() : 0;
  };
  for (int i = 0; i < 400 && documents() < 5; ++i) ::usleep(20'000);
  run.signal(SIGINT);
  const Outcome outcome = run.finish();
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("interrupted"), HasSubstr("of 203")));
  EXPECT_GT(documents(), 0U);
  EXPECT_LT(documents(), 203U);
  EXPECT_EQ(collection.run({"check"}).code, 0);
  // The first two in the order of the walk; the globs leave the rest as it is.
  const Outcome next =
      collection.index({"--include", "*.html", "--include", "minutes.txt", "--json"});
  const Json object = report(next, 0);
  EXPECT_EQ(object["unchanged"], 2);
  EXPECT_EQ(object["removed"], 0);
}

TEST_F(BadInputTest, InvalidUtf8InATextFileIsNoReasonToFail) {
  collection.folder.write("docs/latin.txt", "Die Pumpe l\xE4uft bei 7 bar.\n");
  const Json object = report(collection.index({"--json"}), 0);
  EXPECT_EQ(object["added"], 4);
  EXPECT_EQ(collection.run({"search", "Pumpe", "--mode", "text"}).code, 0);
}

}  // namespace
}  // namespace lore::test
