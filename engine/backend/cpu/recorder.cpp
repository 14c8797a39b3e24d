#include "engine/backend/cpu/recorder.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "engine/backend/cpu/attention.hpp"

namespace lore::engine::cpu {
namespace {

Work product_work(const CpuExecutable& executable, const graph::MatmulStep& step,
                  std::size_t rows) {
  Work work;
  for (const graph::Product& product : step.products) {
    const PackedMatrix& matrix = executable.weights().matrix(product.weight);
    const double operations = 2.0 * static_cast<double>(matrix.n) * static_cast<double>(matrix.k) *
                              static_cast<double>(rows);
    switch (executable.format_for(product.weight)) {
      case ActivationFormat::q8:
        work.int8 += operations;
        break;
      case ActivationFormat::bf16:
        work.bf16 += operations;
        break;
      case ActivationFormat::f32:
        work.f32 += operations;
        break;
    }
    work.bytes += static_cast<double>(matrix.panels * matrix.panel_bytes);
  }
  return work;
}

/// Scores and sums over the keys that each query sees. Without a cache keys and values come from
/// the products before them, not from memory.
Work attention_work(const graph::AttentionStep& step, const Batch& batch, RowRange rows) {
  Work work;
  for (const SequenceRows& sequence : batch.sequences) {
    const std::size_t count = sequence.first_position + sequence.count;
    std::size_t pairs = 0;
    std::size_t first_key = count;
    for (std::size_t i = 0; i < sequence.count; ++i) {
      if (!rows.contains(sequence.begin + i)) continue;
      const KeyRange keys = visible_keys(step, sequence.first_position + i, count);
      pairs += keys.end - keys.begin;
      first_key = std::min(first_key, keys.begin);
    }
    work.f32 += 4.0 * static_cast<double>(pairs * step.heads * step.head_dim);
    if (sequence.cache != nullptr) {
      work.bytes += 2.0 * static_cast<double>((count - first_key) * step.kv_heads *
                                              sequence.cache->row_bytes());
    }
  }
  return work;
}

/// "Q4_K 1792 + Q6_K 256 x 1536": the outputs of each weight type, and the inputs.
std::string product_name(const CpuExecutable& executable, const graph::MatmulStep& step) {
  std::vector<std::pair<std::string, std::size_t>> outputs;
  std::size_t inputs = 0;
  for (const graph::Product& product : step.products) {
    const PackedMatrix& matrix = executable.weights().matrix(product.weight);
    const std::string type(dtype_name(matrix.type));
    inputs = matrix.k;
    if (outputs.empty() || outputs.back().first != type) outputs.emplace_back(type, 0);
    outputs.back().second += matrix.n;
  }
  std::string name;
  for (const auto& [type, count] : outputs) {
    name += (name.empty() ? "" : " + ") + type + " " + std::to_string(count);
  }
  return name + " x " + std::to_string(inputs);
}

/// A name for steps of a kind that do the same.
std::pair<OperationKind, std::string> describe(const CpuExecutable& executable,
                                               const graph::Step& step) {
  if (const auto* product = std::get_if<graph::MatmulStep>(&step)) {
    return {OperationKind::product, product_name(executable, *product)};
  }
  if (std::holds_alternative<graph::AttentionStep>(step)) {
    return {OperationKind::attention, "attention"};
  }
  return {OperationKind::rows, "row operations"};
}

}  // namespace

Work work_of(const CpuExecutable& executable, const graph::Step& step, const Batch& batch,
             RowRange rows) {
  if (const auto* product = std::get_if<graph::MatmulStep>(&step)) {
    return product_work(executable, *product, rows.size());
  }
  if (const auto* attention = std::get_if<graph::AttentionStep>(&step)) {
    return attention_work(*attention, batch, rows);
  }
  return {};
}

void Recorder::end_step(const graph::Step& step, const Batch& batch, RowRange rows) {
  const std::chrono::duration<double> taken = Clock::now() - start_;
  Entry& entry = entries_[&step];
  entry.seconds += taken.count() / threads_;
  if (!counting_) return;
  ++entry.calls;
  entry.work += work_of(*executable_, step, batch, rows);
}

std::vector<OperationTime> Recorder::times(std::span<const Recorder> recorders) {
  std::map<std::pair<OperationKind, std::string>, OperationTime> kinds;
  for (const Recorder& recorder : recorders) {
    for (const auto& [step, entry] : recorder.entries_) {
      const auto key = describe(*recorder.executable_, *step);
      OperationTime& time = kinds[key];
      time.kind = key.first;
      time.name = key.second;
      time.calls += entry.calls;
      time.seconds += entry.seconds;
      time.work += entry.work;
    }
  }
  std::vector<OperationTime> times;
  for (auto& [key, time] : kinds) times.push_back(std::move(time));
  std::sort(times.begin(), times.end(),
            [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
  return times;
}

}  // namespace lore::engine::cpu
