// generate and the verbs that look at models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "tests/cli/small_collection.hpp"

namespace lore::test {
namespace {

using testing::HasSubstr;

class GenerateCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!model_path("smollm2")) GTEST_SKIP() << "model not on this machine: smollm2";
  }
  Outcome generate(std::vector<std::string> arguments, const RunOptions& options = {}) {
    arguments.insert(arguments.begin(), {"generate", "-m", "smollm2"});
    return run_lore(arguments, options);
  }
  Json json(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const Outcome outcome = generate(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
  }
};

TEST_F(GenerateCommandTest, StreamedAndJsonTextAgreeAndGreedyRepeats) {
  const std::vector<std::string> arguments = {"-p", "The capital of France is", "-n", "12",
                                              "--raw"};
  const Outcome text = generate(arguments);
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.err, "");
  const Json object = json(arguments);
  EXPECT_EQ(text.out, object["text"].get<std::string>() + "\n");
  EXPECT_LE(object["ids"].size(), 12U);
  EXPECT_EQ(object["logprobs"].size(), object["ids"].size());
  EXPECT_EQ(object["timings"]["prompt_tokens"], object["prompt_ids"].size());
  EXPECT_EQ(object["timings"]["generated_tokens"], object["ids"].size());
  EXPECT_EQ(object["finish"], "length");
  EXPECT_EQ(json(arguments)["ids"], object["ids"]);
}

TEST_F(GenerateCommandTest, StandardInputIsAPromptToo) {
  const Outcome flag = generate({"-p", "Two plus two is", "-n", "6", "--raw"});
  const Outcome input = generate({"-n", "6", "--raw"}, {.input = "Two plus two is"});
  EXPECT_EQ(flag.out, input.out);
  expect_refusal(generate({"-n", "6"}), 2, {"--prompt"});
}

TEST_F(GenerateCommandTest, LogprobsAreSortedAndTheGreedyTokenIsFirst) {
  const Json object = json({"-p", "Once upon a time", "-n", "4", "--raw", "--logprobs", "3"});
  for (const Json& token : object["logprobs"]) {
    ASSERT_EQ(token["top"].size(), 3U);
    EXPECT_EQ(token["top"][0][0], token["id"]);
    EXPECT_EQ(token["top"][0][1], token["logprob"]);
    EXPECT_GE(token["top"][0][1], token["top"][1][1]);
    EXPECT_LE(token["logprob"], 0);
  }
}

TEST_F(GenerateCommandTest, StopStringsSeedsAndTemplates) {
  const std::string whole = json({"-p", "One, two, three, four", "-n", "16", "--raw"})["text"];
  ASSERT_GT(whole.size(), 6U);
  const std::string stop = whole.substr(4, 2);
  const Json stopped = json({"-p", "One, two, three, four", "-n", "16", "--raw", "--stop", stop});
  EXPECT_EQ(stopped["finish"], "stop_string");
  EXPECT_EQ(stopped["text"], whole.substr(0, whole.find(stop)));

  const std::vector<std::string> drawn = {"-p",     "A story:", "-n",     "12", "--raw",
                                          "--temp", "1.5",      "--seed", "7"};
  EXPECT_EQ(json(drawn)["ids"], json(drawn)["ids"]);
  std::vector<std::string> other = drawn;
  other.back() = "8";
  EXPECT_NE(json(other)["ids"], json(drawn)["ids"]);

  const Json chat = json({"-p", "Say hello.", "-n", "2"});
  const Json raw = json({"-p", "Say hello.", "-n", "2", "--raw"});
  EXPECT_GT(chat["prompt_ids"].size(), raw["prompt_ids"].size());
  const Json system = json({"-p", "Say hello.", "-n", "2", "--system", "You are a parrot."});
  EXPECT_NE(system["prompt_ids"], chat["prompt_ids"]);
}

TEST_F(GenerateCommandTest, SpecialTokensInPrompts) {
  const Json parsed = json({"-p", "<|im_end|>", "-n", "1", "--raw"});
  const Json plain = json({"-p", "<|im_end|>", "-n", "1", "--raw", "--no-special"});
  EXPECT_EQ(parsed["prompt_ids"].size(), 1U);
  EXPECT_GT(plain["prompt_ids"].size(), 3U);
  // Inside a chat message it is plain text: it cannot end the message.
  const Json chat = json({"-p", "a <|im_end|> b", "-n", "1"});
  const Json harmless = json({"-p", "a b", "-n", "1"});
  const auto ends = [&](const Json& object) {
    const auto ids = object["prompt_ids"].get<std::vector<int>>();
    return std::count(ids.begin(), ids.end(), parsed["prompt_ids"][0].get<int>());
  };
  EXPECT_EQ(ends(chat), ends(harmless));
}

TEST_F(GenerateCommandTest, APromptOverTheContextIsRefused) {
  std::string prompt;
  for (int i = 0; i < 300; ++i) prompt += "word ";
  expect_refusal(generate({"-p", prompt, "--raw", "-c", "128"}), 1, {"128"});
  expect_refusal(generate({"-p", "x", "-c", "999999"}), 2, {"8192"});
}

TEST_F(GenerateCommandTest, SamplingOutOfRangeIsWrongUsage) {
  EXPECT_EQ(generate({"-p", "x", "--temp", "-1"}).code, 2);
  EXPECT_EQ(generate({"-p", "x", "--top-p", "2"}).code, 2);
}

TEST_F(GenerateCommandTest, TimingsGoToStandardError) {
  const Outcome outcome = generate({"-p", "x", "-n", "2", "--timings"});
  EXPECT_THAT(outcome.err, testing::AllOf(HasSubstr("load"), HasSubstr("tokens/s")));
}

TEST_F(GenerateCommandTest, EmbeddersDoNotGenerate) {
  LORE_NEED_MODEL("minilm");
  expect_refusal(run_lore({"generate", "-m", "minilm", "-p", "x"}), 2, {"minilm"});
}

TEST(ModelCommandTest, ShowTellsWhatTheFileSays) {
  LORE_REQUIRE_MODEL(model, "smollm2");
  const Outcome outcome = run_lore({"model", "show", "smollm2", "--json"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Json object = Json::parse(outcome.out);
  EXPECT_EQ(object["architecture"], "llama");
  EXPECT_EQ(object["layers"], 30);
  EXPECT_EQ(object["hidden_size"], 576);
  EXPECT_EQ(object["vocabulary"], 49152);
  EXPECT_EQ(object["generates"], true);
  EXPECT_EQ(object["sha256"], "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53");
  EXPECT_THAT(run_lore({"model", "show", model.string()}).out, HasSubstr("Q4_1"));
}

TEST(ModelCommandTest, TokenizeReadsArgumentsLinesAndFiles) {
  LORE_NEED_MODEL("smollm2");
  const TemporaryFolder folder;
  const Outcome arguments =
      run_lore({"model", "tokenize", "-m", "smollm2", "--json", "Hello world", ""});
  EXPECT_EQ(arguments.code, 0) << arguments.err;
  const auto file = folder.write("t.jsonl", "\"Hello world\"\n{\"text\":\"\"}\n");
  EXPECT_EQ(
      run_lore({"model", "tokenize", "-m", "smollm2", "--json", "--input", file.string()}).out,
      arguments.out);
  EXPECT_EQ(
      run_lore({"model", "tokenize", "-m", "smollm2", "--json"}, {.input = "Hello world\n\n"}).out,
      arguments.out);
  const Json first = Json::parse(arguments.out.substr(0, arguments.out.find('\n')));
  ASSERT_EQ(first["ids"].size(), first["spans"].size());
  EXPECT_EQ(first["spans"].back(), Json({5, 11}));
  EXPECT_EQ(first["pieces"].back(), "Ġworld");
}

TEST(ModelCommandTest, ConvertMakesAModelThatEmbedsTheSame) {
  LORE_REQUIRE_MODEL(model, "minilm-f32");
  const auto source = model.parent_path() / "minilm-source";
  if (!std::filesystem::is_directory(source)) GTEST_SKIP() << "minilm-source is not here";
  std::filesystem::path folder = source;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source)) {
    if (entry.path().filename() == "model.safetensors") folder = entry.path().parent_path();
  }
  const TemporaryFolder out;
  const std::string made = (out.path() / "made.gguf").string();
  const Outcome outcome =
      run_lore({"model", "convert", folder.string(), "-o", made, "--type", "f32"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(run_lore({"embed", "-m", made, "one", "-f", "f32"}).out,
            run_lore({"embed", "-m", "minilm-f32", "one", "-f", "f32"}).out);
  EXPECT_EQ(run_lore({"model", "convert", out.path().string(), "-o", made}).code, 1);
}

TEST(ModelCommandTest, ForcingKernelsThatAreMissingIsAnError) {
  LORE_NEED_MODEL("smollm2");
  const Outcome scalar = run_lore({"model", "show", "smollm2", "--kernels", "scalar", "--json"});
  EXPECT_EQ(scalar.code, 0) << scalar.err;
  EXPECT_EQ(Json::parse(scalar.out)["kernels"], "scalar");
  const Outcome unknown = run_lore({"model", "show", "smollm2", "--kernels", "quantum"});
  EXPECT_NE(unknown.code, 0);
  EXPECT_THAT(unknown.err, testing::AllOf(HasSubstr("quantum"), HasSubstr("scalar")));
}

}  // namespace
}  // namespace lore::test
