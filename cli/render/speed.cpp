#include "cli/render/speed.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/utf8.hpp"
#include "cli/render/style.hpp"

namespace lore::cli {
namespace {

/// Columns as wide as their widest cell; the first `left` and the last are aligned left, the others
/// right.
std::string table(const std::vector<std::vector<std::string>>& rows, std::size_t left) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], utf8::length(row[i]));
    }
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - utf8::length(row[i]), ' ');
      line += (i == 0 ? "" : "  ") +
              (i < left || i + 1 == widths.size() ? row[i] + blanks : blanks + row[i]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

/// "3.25 T", "412 M": three digits and a decimal prefix.
std::string scaled(double value) {
  constexpr std::array<const char*, 5> kPrefixes = {"", "k", "M", "G", "T"};
  std::size_t prefix = 0;
  for (; value >= 999.5 && prefix + 1 < kPrefixes.size(); ++prefix) value /= 1000;
  const int digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fixed(value, digits) + " " + kPrefixes.at(prefix);
}

std::string percent(double share) { return fixed(share * 100, 1) + " %"; }

/// "212 M int8 + 8.88 M f32 operations, 1.25 MB read": what there is of it.
std::string render_work(const ModelWork& work) {
  std::string text;
  const auto add = [&](double amount, const std::string& kind) {
    if (amount > 0) text += (text.empty() ? "" : " + ") + scaled(amount) + kind;
  };
  add(work.int8_operations, " int8");
  add(work.bf16_operations, " bf16");
  add(work.f32_operations, " f32");
  return text + " operations, " + scaled(work.bytes) + "B read";
}

/// By what limits it: "1.37 TOPS" of integers, "351 GFLOPS" of floats, "6.65 GB/s".
std::string render_rate(const ModelWork& work, double seconds, const std::string& limit) {
  if (limit == "memory") return scaled(work.bytes / seconds) + "B/s";
  const double operations = work.int8_operations + work.bf16_operations + work.f32_operations;
  return scaled(operations / seconds) + (limit == "int8" ? "OPS" : "FLOPS");
}

std::vector<std::vector<std::string>> machine_rows(const MachineLimits& limits) {
  std::string rates = "int8 " + scaled(limits.int8_operations_per_second) + "OPS, ";
  if (limits.bf16_operations_per_second) {
    rates += "bf16 " + scaled(*limits.bf16_operations_per_second) + "FLOPS, ";
  }
  rates += "f32 " + scaled(limits.f32_operations_per_second) + "FLOPS, memory " +
           scaled(limits.bytes_per_second) + "B/s";
  return {{"Processor", printable(limits.processor)},
          {"Kernels", limits.kernels + ", " + counted(limits.threads, "thread", "threads")},
          {"Limits", rates}};
}

std::string render_operations(const std::string& title, const PhaseSpeed& phase) {
  std::vector<std::vector<std::string>> rows = {
      {"  Operation", "Limit", "Time", "ms", "Calls", "Of limit", "Speed"}};
  for (const OperationSpeed& operation : phase.operations) {
    const bool known = operation.limit && operation.seconds > 0;
    rows.push_back(
        {"  " + (operation.kind == "product" ? "product " + operation.name : operation.name),
         known ? operation.limit->set_by : "",
         percent(operation.seconds / phase.operations_seconds), fixed(operation.seconds * 1000, 1),
         operation.calls > 0 ? human_count(operation.calls) : "",
         known ? percent(operation.limit->share) : "",
         known ? render_rate(operation.work, operation.seconds, operation.limit->set_by) : ""});
  }
  return "\n" + title + ", " + fixed(phase.operations_seconds * 1000, 1) + " ms\n" + table(rows, 2);
}

std::vector<ChartPoint> measured(const std::vector<LengthSpeed>& lengths) {
  std::vector<ChartPoint> points;
  for (const LengthSpeed& length : lengths) {
    points.push_back({static_cast<double>(length.tokens), length.tokens_per_second});
  }
  return points;
}

std::vector<ChartPoint> allowed(const std::vector<LengthSpeed>& lengths) {
  std::vector<ChartPoint> points;
  for (const LengthSpeed& length : lengths) {
    points.push_back({static_cast<double>(length.tokens), length.limit_tokens_per_second});
  }
  return points;
}

}  // namespace

std::string render_limits(const MachineLimits& limits) { return table(machine_rows(limits), 2); }

std::string render_speed(const ModelSpeed& speed) {
  std::vector<std::vector<std::string>> head = {{"Model", printable(speed.name)}};
  for (std::vector<std::string>& row : machine_rows(speed.limits)) head.push_back(std::move(row));
  head.push_back({"Load", fixed(speed.load_ms, 0) + " ms"});

  std::vector<std::vector<std::string>> phases = {
      {"", "Limit", "Tokens/s", "Of limit", "Work of a token"}};
  const auto add = [&](const std::string& name, const PhaseSpeed& phase) {
    phases.push_back({name, phase.limit.set_by, fixed(phase.tokens_per_second, 1),
                      percent(phase.limit.share), render_work(phase.work_per_token)});
  };
  add("Embedding", speed.embedding);
  if (speed.prefill) add("Prefill", *speed.prefill);
  if (speed.decode) add("Decode", *speed.decode);
  std::string text = table(head, 2) + "\n" + table(phases, 2);
  const std::uint64_t cache = speed.limits.last_level_cache_bytes;
  if (speed.decode && speed.decode->work_per_token.bytes < static_cast<double>(cache)) {
    text += "What a token reads fits into the last-level cache of " + human_bytes(cache) +
            ", so decoding may go past the limit of memory.\n";
  }
  const auto tokens = [](std::size_t count) { return counted(count, "token", "tokens"); };
  if (speed.prefill && !speed.prefill->operations.empty()) {
    text += render_operations("Prefill of " + tokens(speed.prefill->tokens), *speed.prefill);
    if (speed.decode) {
      text += render_operations("Decode of " + tokens(speed.decode->tokens), *speed.decode);
    }
  } else if (!speed.embedding.operations.empty()) {
    text += render_operations("Embedding of texts of " + tokens(speed.embedding.tokens),
                              speed.embedding);
  }
  return text;
}

Chart chart_of(const ModelSpeed& speed) {
  Chart chart;
  chart.title = speed.name + ": speed over the length of the text";
  chart.subtitle = speed.limits.processor + ", " + speed.limits.kernels + ", " +
                   counted(speed.limits.threads, "thread", "threads");
  const auto add = [&](const std::string& title, const std::string& x_label,
                       const std::vector<LengthSpeed>& lengths) {
    if (lengths.empty()) return;
    chart.panels.push_back({title,
                            x_label,
                            "tokens/s",
                            {{"measured", measured(lengths), false},
                             {"limit of this machine", allowed(lengths), true}}});
  };
  add("Embedding", "tokens of a text", speed.embedding_over_length);
  add("Prefill", "tokens of the prompt", speed.prefill_over_length);
  add("Decode", "tokens before", speed.decode_over_length);
  return chart;
}

}  // namespace lore::cli
