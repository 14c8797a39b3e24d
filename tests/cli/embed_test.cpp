// embed: formats, order, limits, manifests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <set>

#include "base/file.hpp"
#include "tests/cli/small_collection.hpp"

namespace lore::test {
namespace {

using testing::HasSubstr;

constexpr std::size_t kDimension = 384;  // of all-MiniLM-L6-v2

std::vector<float> floats_of(std::string_view bytes) {
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(float));
  return numbers;
}

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
  return lines;
}

class EmbedCommandTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!model_path("minilm")) GTEST_SKIP() << "model not on this machine: minilm";
  }
  Outcome embed(std::vector<std::string> arguments, const RunOptions& options = {}) {
    arguments.insert(arguments.begin(), "embed");
    return run_lore(arguments, options);
  }
  TemporaryFolder folder;
};

TEST_F(EmbedCommandTest, AllFormatsHoldTheSameNumbers) {
  const std::vector<std::string> texts = {"The pump stops.", "", "Größe und Gewicht"};
  const auto in = [&](const std::string& format) {
    std::vector<std::string> arguments = texts;
    arguments.insert(arguments.end(), {"-f", format});
    const Outcome outcome = embed(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  };
  const std::vector<float> numbers = floats_of(in("f32"));
  ASSERT_EQ(numbers.size(), 3 * kDimension);
  for (std::size_t i = 0; i < 3; ++i) {
    double square = 0;
    for (std::size_t d = 0; d < kDimension; ++d) square += std::pow(numbers[i * kDimension + d], 2);
    EXPECT_NEAR(square, 1, 1e-5);
  }

  const std::string npy = in("npy");
  EXPECT_THAT(npy.substr(0, 128), testing::AllOf(testing::StartsWith("\x93NUMPY"),
                                                 HasSubstr("'shape': (3, 384)"), HasSubstr("<f4")));
  EXPECT_EQ(npy.size() % 64, 3 * kDimension * sizeof(float) % 64);
  EXPECT_EQ(floats_of(std::string_view(npy).substr(npy.find('\n') + 1)), numbers);

  const Json list = Json::parse(in("json"));
  EXPECT_EQ(list["object"], "list");
  EXPECT_EQ(list["model"], "minilm");
  EXPECT_GT(list["usage"]["total_tokens"], 3);
  const auto lines = lines_of(in("jsonl"));
  ASSERT_EQ(lines.size(), 3U);
  std::istringstream csv(in("csv"));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(list["data"][i]["index"], i);
    EXPECT_EQ(lines[i]["index"], i);
    EXPECT_GE(lines[i]["tokens"], 2);
    std::string row;
    std::getline(csv, row);
    std::istringstream cells(row);
    for (std::size_t d = 0; d < kDimension; ++d) {
      const float expected = numbers[i * kDimension + d];
      EXPECT_EQ(list["data"][i]["embedding"][d].get<float>(), expected);
      EXPECT_EQ(lines[i]["embedding"][d].get<float>(), expected);
      std::string cell;
      std::getline(cells, cell, ',');
      EXPECT_EQ(std::strtof(cell.c_str(), nullptr), expected);
    }
  }
}

TEST_F(EmbedCommandTest, BatchesOrderAndSourceDoNotMatter) {
  std::string lines;
  std::string objects;
  std::vector<std::string> texts;
  for (int i = 0; i < 40; ++i) {
    texts.push_back("Text number " + std::to_string(i) +
                    std::string(static_cast<std::size_t>(i % 7) * 9, 'x'));
    lines += texts.back() + "\n";
    objects += Json({{"id", "t" + std::to_string(i)}, {"text", texts.back()}}).dump() + "\n";
  }
  const std::string all = embed({"-f", "f32"}, {.input = lines}).out;
  ASSERT_EQ(all.size(), 40 * kDimension * sizeof(float));
  EXPECT_EQ(embed({"-f", "f32", "--batch-tokens", "32", "-t", "1"}, {.input = lines}).out, all);
  EXPECT_EQ(embed({"-f", "f32", "--input", folder.write("t.txt", lines).string()}).out, all);
  const auto rows =
      lines_of(embed({"-f", "jsonl", "--input", folder.write("t.jsonl", objects).string()}).out);
  ASSERT_EQ(rows.size(), 40U);
  EXPECT_EQ(rows[17]["id"], "t17");
  const std::string alone = embed({texts[17], "-f", "f32"}).out;
  EXPECT_EQ(alone, all.substr(17 * alone.size(), alone.size()));
}

TEST_F(EmbedCommandTest, AFileComesWithItsManifest) {
  const auto path = folder.path() / "v.npy";
  const Outcome outcome =
      embed({"one", "two words", "-f", "npy", "-o", path.string(), "--input-type", "query"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const Json manifest = Json::parse(read_file(path.string() + ".json"));
  EXPECT_EQ(manifest["count"], 2);
  EXPECT_EQ(manifest["dimension"], kDimension);
  EXPECT_EQ(manifest["pooling"], "mean");
  EXPECT_EQ(manifest["architecture"], "bert");
  EXPECT_EQ(manifest["normalized"], true);
  EXPECT_EQ(manifest["sha256"].get<std::string>().size(), 64U);
  EXPECT_FALSE(manifest["lore"].get<std::string>().empty());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

TEST_F(EmbedCommandTest, NothingButTheFileAndItsManifestIsTouched) {
  folder.write("v.npy.part", "mine");
  const std::string path = (folder.path() / "v.npy").string();
  for (const char* text : {"first", "second"}) {
    ASSERT_EQ(run_lore({"embed", text, "-f", "npy", "-o", path}).code, 0);
  }
  expect_refusal(run_lore({"embed", "x", "-f", "npy", "-o", path, "--pooling", "magic"}), 2,
                 {"magic"});
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    names.insert(entry.path().filename().string());
  }
  EXPECT_THAT(names, testing::ElementsAre("v.npy", "v.npy.json", "v.npy.part"));
  EXPECT_EQ(read_file(folder.path() / "v.npy.part"), "mine");
}

TEST_F(EmbedCommandTest, PoolingNoneKeepsEveryTokenWithOffsets) {
  const auto path = folder.path() / "v.npy";
  ASSERT_EQ(embed({"one", "two words", "--pooling", "none", "-f", "npy", "-o", path.string()}).code,
            0);
  const Json manifest = Json::parse(read_file(path.string() + ".json"));
  EXPECT_EQ(manifest["offsets"], Json({0, 3, 7})) << "[CLS] one [SEP], [CLS] two words [SEP]";
  EXPECT_THAT(read_file(path).substr(0, 128), HasSubstr("'shape': (7, 384)"));
  const auto rows = lines_of(embed({"one", "--pooling", "none", "-f", "jsonl"}).out);
  ASSERT_EQ(rows.at(0)["embedding"].size(), 3U);
  EXPECT_EQ(rows[0]["embedding"][0].size(), kDimension);
}

TEST_F(EmbedCommandTest, DimensionsAndNormalization) {
  const auto cut = floats_of(embed({"one", "-f", "f32", "--dimensions", "64"}).out);
  ASSERT_EQ(cut.size(), 64U);
  double square = 0;
  for (const float number : cut) square += std::pow(number, 2);
  EXPECT_NEAR(square, 1, 1e-5);
  const auto raw = floats_of(embed({"one", "-f", "f32", "--no-normalize"}).out);
  const auto unit = floats_of(embed({"one", "-f", "f32"}).out);
  ASSERT_EQ(raw.size(), unit.size());
  EXPECT_NE(raw, unit);
  EXPECT_EQ(embed({"one", "--dimensions", "9999"}).code, 2);
  EXPECT_EQ(embed({"one", "--pooling", "median"}).code, 2);
}

TEST_F(EmbedCommandTest, TextsOverTheLimitAreRefusedByNameOrCut) {
  std::string text;
  for (int i = 0; i < 700; ++i) text += "pump ";
  const auto file = folder.write("t.txt", "short\n" + text + "\n");
  expect_refusal(embed({"--input", file.string()}), 1, {"line 2", "702", "512", "--truncate"});
  const Outcome cut = embed({"--input", file.string(), "--truncate", "-f", "jsonl"});
  EXPECT_EQ(cut.code, 0);
  EXPECT_THAT(cut.err, HasSubstr("1 text was cut"));
  EXPECT_EQ(lines_of(cut.out).at(1)["tokens"], 512);
}

TEST_F(EmbedCommandTest, InputsThatMakeNoSenseAreToldByLine) {
  expect_refusal(embed({}), 2, {"--input"});
  expect_refusal(embed({"x", "--input", "y.txt"}), 2, {"--input"});
  expect_refusal(embed({"--input", "/nonexistent/y.txt"}), 1, {"/nonexistent/y.txt"});
  expect_refusal(embed({"--input", folder.write("bad.txt", "ok\nb\xFF\n").string()}), 2,
                 {"line 2", "UTF-8"});
  expect_refusal(embed({"--input", folder.write("bad.jsonl", "\"ok\"\n{\"txt\":1}\n").string()}), 2,
                 {"line 2", "\"text\""});
  expect_refusal(embed({"x", "-f", "npy", "-o", "/nonexistent/dir/v.npy"}), 1, {"v.npy"});
}

TEST_F(EmbedCommandTest, AFullDiskLeavesNothingHalfWritten) {
  if (std::filesystem::exists("/dev/full")) {
    const Outcome full = embed({"one"}, {.output = "/dev/full"});
    EXPECT_EQ(full.code, 1);
    EXPECT_THAT(full.err, testing::AllOf(HasSubstr("standard output"), HasSubstr("space")));
    EXPECT_EQ(embed({"one", "-o", "/dev/full"}).code, 1);
  }
  const TinyDisk disk(folder.path() / "disk", 64);
  if (!disk.ready()) GTEST_SKIP() << "this machine lets us mount no small disk";
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "text " + std::to_string(i) + "\n";
  const auto path = folder.path() / "disk/v.f32";
  const Outcome outcome = embed({"-f", "f32", "-o", path.string()}, {.input = lines});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.err, testing::AllOf(HasSubstr("v.f32"), HasSubstr("space")));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "disk"));
}

}  // namespace
}  // namespace lore::test
