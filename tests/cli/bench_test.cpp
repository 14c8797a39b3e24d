// model bench: limits of the machine, figures of a model, their plot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "base/file.hpp"
#include "cli/render/chart.hpp"
#include "tests/cli/small_collection.hpp"
#include "tests/engine/model/tiny_model.hpp"

namespace lore::test {
namespace {

using testing::HasSubstr;

class BenchCommandTest : public testing::Test {
 protected:
  std::string model(const std::string& architecture) {
    TinyModel tiny;
    tiny.architecture = architecture;
    tiny.context = 400;
    const auto path = folder_.path() / (architecture + ".gguf");
    write_tiny_model(tiny, path);
    return path.string();
  }
  std::string plot() const { return (folder_.path() / "plot.svg").string(); }
  static Json json(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"model", "bench"});
    arguments.emplace_back("--json");
    const Outcome outcome = run_lore(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.messages().size(), outcome.err.find("wrote ") == 0 ? 1U : 0U) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
  }

  TemporaryFolder folder_;
};

void expect_limits(const Json& object) {
  EXPECT_NE(object["machine"]["processor"], "");
  EXPECT_NE(object["machine"]["kernels"], "");
  EXPECT_GE(object["machine"]["threads"], 1);
  EXPECT_GE(object["machine"]["last_level_cache_bytes"], 0);
  const Json& limits = object["limits"];
  for (const char* key :
       {"int8_operations_per_second", "f32_operations_per_second", "bytes_per_second"}) {
    EXPECT_GT(limits[key], 0) << key;
  }
  const Json& bf16 = limits["bf16_operations_per_second"];
  EXPECT_TRUE(bf16.is_null() || bf16 > 0);
}

void expect_phase(const Json& phase, bool operations) {
  EXPECT_GT(phase["tokens"], 0);
  EXPECT_GT(phase["tokens_per_second"], 0);
  EXPECT_GT(phase["share_of_limit"], 0);
  EXPECT_THAT(phase["limited_by"].get<std::string>(),
              testing::AnyOf("int8", "bf16", "f32", "memory"));
  EXPECT_GT(phase["work_per_token"]["f32_operations"], 0);
  EXPECT_GT(phase["work_per_token"]["bytes"], 0);
  ASSERT_EQ(phase.contains("operations"), operations);
  if (!operations) return;
  double seconds = 0;
  std::set<std::string> kinds;
  for (const Json& operation : phase["operations"]) {
    seconds += operation["seconds"].get<double>();
    kinds.insert(operation["kind"].get<std::string>());
    const bool counted = operation["kind"] == "product" || operation["kind"] == "attention";
    EXPECT_EQ(operation["share_of_limit"].is_null(), !counted) << operation;
    if (counted) {
      EXPECT_GT(operation["share_of_limit"], 0) << operation;
    }
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"attention", "other", "product", "rows"}));
  EXPECT_NEAR(seconds / phase["operations_seconds"].get<double>(), 1, 1e-6);
}

void expect_lengths(const Json& lengths, std::size_t last) {
  ASSERT_GE(lengths.size(), 2U);
  EXPECT_EQ(lengths.back()["tokens"], last);
  for (const Json& length : lengths) {
    EXPECT_GT(length["tokens_per_second"], 0);
    EXPECT_GT(length["limit_tokens_per_second"], 0);
  }
}

/// Parsed by an XML reader that is not ours.
void expect_xml(const std::filesystem::path& file) {
  const std::string command =
      "python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' '" +
      file.string() + "'";
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST_F(BenchCommandTest, LimitsOfTheMachineNeedNoModel) {
  const Json object = json({"--limits", "-t", "1"});
  expect_limits(object);
  EXPECT_EQ(object["machine"]["threads"], 1);
  EXPECT_EQ(object.size(), 2U);
  const Outcome text = run_lore({"model", "bench", "--limits", "--kernels", "scalar"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, testing::AllOf(HasSubstr("Processor"), HasSubstr("scalar"),
                                       HasSubstr("int8"), HasSubstr("B/s")));
}

TEST_F(BenchCommandTest, AModelThatWritesIsMeasuredInThreePhases) {
  const Json object = json({model("llama"), "--ops", "--plot", plot()});
  expect_limits(object);
  expect_phase(object["embedding"], true);
  expect_phase(object["prefill"], true);
  expect_phase(object["decode"], true);
  EXPECT_EQ(object["prefill"]["tokens"], 200) << "half of the context";
  EXPECT_EQ(object["decode"]["tokens"], 47) << "the first comes with the prompt";
  const Json& lengths = object["over_length"];
  EXPECT_EQ(lengths["embedding"].size(), 0U);
  expect_lengths(lengths["prefill"], 384);
  expect_lengths(lengths["decode"], 384);
  expect_xml(plot());
  const std::string svg = read_file(plot());
  EXPECT_THAT(svg, testing::AllOf(HasSubstr("Prefill"), HasSubstr("Decode"), HasSubstr("tokens/s"),
                                  HasSubstr("limit of this machine"), HasSubstr("llama.gguf")));
}

TEST_F(BenchCommandTest, AModelThatOnlyEmbedsIsMeasuredOverTheTextsLength) {
  const Json object = json({model("bert"), "--ops", "--plot", plot()});
  expect_phase(object["embedding"], true);
  EXPECT_TRUE(object["prefill"].is_null());
  EXPECT_TRUE(object["decode"].is_null());
  expect_lengths(object["over_length"]["embedding"], 400);
  EXPECT_EQ(object["over_length"]["decode"].size(), 0U);
  expect_xml(plot());
  EXPECT_THAT(read_file(plot()), HasSubstr("tokens of a text"));
}

TEST_F(BenchCommandTest, ThePlainFiguresAreATable) {
  const std::string path = model("llama");
  const Json object = json({path});
  expect_phase(object["decode"], false);
  EXPECT_FALSE(object.contains("over_length"));
  const Outcome text = run_lore({"model", "bench", path, "--ops"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, testing::AllOf(HasSubstr("Embedding"), HasSubstr("Prefill of 200 tokens"),
                                       HasSubstr("Decode of 47 tokens"), HasSubstr("attention"),
                                       HasSubstr("product F32 256 x 64")));
}

TEST_F(BenchCommandTest, FlagsThatDoNotGoTogetherAreWrongUsage) {
  expect_refusal(run_lore({"model", "bench"}), 2, {"MODEL", "--limits"});
  expect_refusal(run_lore({"model", "bench", "smollm2", "--limits"}), 2, {"MODEL", "--limits"});
  expect_refusal(run_lore({"model", "bench", "--limits", "--ops"}), 2, {"--ops", "--limits"});
  expect_refusal(run_lore({"model", "bench", "--limits", "--plot", plot()}), 2,
                 {"--plot", "--limits"});
  EXPECT_NE(run_lore({"model", "bench", "--limits", "--kernels", "quantum"}).code, 0);
}

TEST_F(BenchCommandTest, APlotThatCannotBeWrittenIsFoundBeforeAnythingIsMeasured) {
  const std::string nowhere = (folder_.path() / "no" / "plot.svg").string();
  // The model is not there either: it was not looked for yet.
  expect_refusal(run_lore({"model", "bench", "no-such-model", "--plot", nowhere}), 1, {nowhere});
  expect_refusal(run_lore({"model", "bench", "no-such-model", "--plot", plot()}), 1,
                 {"no-such-model"});
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << "no part of a plot is left";
}

TEST(ChartTest, TicksAreRoundNumbersFromZeroToPastTheMost) {
  using cli::axis_ticks;
  EXPECT_THAT(axis_ticks(10), testing::ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(axis_ticks(4096), testing::ElementsAre(0, 1000, 2000, 3000, 4000, 5000));
  EXPECT_THAT(axis_ticks(1.2), testing::ElementsAre(0, 0.25, 0.5, 0.75, 1.0, 1.25));
  for (double most = 0.001; most < 1e9; most *= 1.37) {
    const std::vector<double> ticks = axis_ticks(most);
    EXPECT_GE(ticks.back(), most * (1 - 1e-9));
    EXPECT_LT(ticks[ticks.size() - 2], most);
    EXPECT_GE(ticks.size(), 3U);
    EXPECT_LE(ticks.size(), 6U);
  }
  EXPECT_EQ(axis_ticks(0).back(), 1) << "an axis of nothing is one all the same";
}

TEST(ChartTest, NamesAreTextAndNoMarkup) {
  cli::Chart chart;
  chart.title = "<a> & \"b\" \x01\xFF</svg>";
  chart.panels = {{"p", "x", "y", {{"l", {{1, 2}, {3, 4}}, false}, {"m", {{1, 5}}, true}}}};
  const TemporaryFolder folder;
  const std::string svg = cli::render_chart(chart);
  expect_xml(folder.write("chart.svg", svg));
  EXPECT_THAT(svg, HasSubstr("&lt;a&gt; &amp; \"b\""));
  EXPECT_THAT(svg, HasSubstr("3: 4.0 y"));
  EXPECT_THAT(svg, testing::Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace lore::test
