// JSON of measurements.
#include "lore/json.hpp"
#include "pipeline/json_values.hpp"

namespace lore {
namespace {

using pipeline::dump;
using pipeline::Json;

Json json_of(const ModelWork& work) {
  return {{"int8_operations", work.int8_operations},
          {"bf16_operations", work.bf16_operations},
          {"f32_operations", work.f32_operations},
          {"bytes", work.bytes}};
}

void add_limit(Json& object, const std::optional<LimitShare>& limit) {
  object["share_of_limit"] = limit ? Json(limit->share) : Json(nullptr);
  object["limited_by"] = limit ? Json(limit->set_by) : Json(nullptr);
}

Json json_of(const OperationSpeed& operation) {
  Json object = {{"kind", operation.kind},
                 {"name", operation.name},
                 {"calls", operation.calls},
                 {"seconds", operation.seconds},
                 {"work", json_of(operation.work)}};
  add_limit(object, operation.limit);
  return object;
}

Json json_of(const PhaseSpeed& phase) {
  Json object = {{"tokens", phase.tokens},
                 {"tokens_per_second", phase.tokens_per_second},
                 {"work_per_token", json_of(phase.work_per_token)}};
  add_limit(object, phase.limit);
  if (phase.operations.empty()) return object;
  Json operations = Json::array();
  for (const OperationSpeed& operation : phase.operations) {
    operations.push_back(json_of(operation));
  }
  object["operations_seconds"] = phase.operations_seconds;
  object["operations"] = std::move(operations);
  return object;
}

Json json_of(const std::optional<PhaseSpeed>& phase) {
  return phase ? json_of(*phase) : Json(nullptr);
}

Json json_of(const std::vector<LengthSpeed>& lengths) {
  Json list = Json::array();
  for (const LengthSpeed& length : lengths) {
    list.push_back({{"tokens", length.tokens},
                    {"tokens_per_second", length.tokens_per_second},
                    {"limit_tokens_per_second", length.limit_tokens_per_second}});
  }
  return list;
}

void add_machine(Json& object, const MachineLimits& limits) {
  object["machine"] = {{"processor", limits.processor},
                       {"kernels", limits.kernels},
                       {"threads", limits.threads},
                       {"last_level_cache_bytes", limits.last_level_cache_bytes}};
  const std::optional<double>& bf16 = limits.bf16_operations_per_second;
  object["limits"] = {{"int8_operations_per_second", limits.int8_operations_per_second},
                      {"bf16_operations_per_second", bf16 ? Json(*bf16) : Json(nullptr)},
                      {"f32_operations_per_second", limits.f32_operations_per_second},
                      {"bytes_per_second", limits.bytes_per_second}};
}

}  // namespace

std::string to_json(const MachineLimits& limits) {
  Json object;
  add_machine(object, limits);
  return dump(object);
}

std::string to_json(const ModelSpeed& speed) {
  Json object = {{"name", speed.name}, {"load_ms", speed.load_ms}};
  add_machine(object, speed.limits);
  object["embedding"] = json_of(speed.embedding);
  object["prefill"] = json_of(speed.prefill);
  object["decode"] = json_of(speed.decode);
  const bool over_length =
      !speed.embedding_over_length.empty() || !speed.prefill_over_length.empty();
  if (over_length) {
    object["over_length"] = {{"embedding", json_of(speed.embedding_over_length)},
                             {"prefill", json_of(speed.prefill_over_length)},
                             {"decode", json_of(speed.decode_over_length)}};
  }
  return dump(object);
}

}  // namespace lore
