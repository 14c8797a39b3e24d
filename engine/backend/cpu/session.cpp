#include "engine/backend/cpu/session.hpp"

#include <algorithm>
#include <numeric>

#include "engine/backend/cpu/runner.hpp"
#include "lore/error.hpp"

namespace lore::engine::cpu {
namespace {

// Tokens of whole sequences that one thread computes alone: enough to pay for unpacking a panel of
// weights, few enough that their activations stay in the core's own cache.
constexpr std::size_t kPackTokens = 512;
// Longer sequences of causal models go through a cache, piece by piece.
constexpr std::size_t kLongSequence = 2048;

}  // namespace

CpuSession::CpuSession(const CpuExecutable& executable, ThreadPool& pool)
    : executable_(executable), pool_(pool), frame_(executable) {
  for (unsigned worker = 0; worker < pool.size(); ++worker) {
    workers_.emplace_back(executable);
    own_frames_.emplace_back(executable);
  }
  own_packs_.resize(pool.size());
}

void CpuSession::run(const Batch& batch) {
  frame_.start(batch);
  pool_.run([&](Team& team, unsigned worker) {
    Runner(executable_, frame_, workers_[worker], team, recorder_of(worker, worker == 0)).run();
  });
}

void CpuSession::record() { recorders_.assign(pool_.size(), {executable_, pool_.size()}); }

Recorder* CpuSession::recorder_of(unsigned worker, bool counting) {
  if (recorders_.empty()) return nullptr;
  recorders_[worker].set_counting(counting);
  return &recorders_[worker];
}

std::vector<OperationTime> CpuSession::recorded() const { return Recorder::times(recorders_); }

std::vector<CpuSession::Pack> CpuSession::make_packs(Sequences sequences,
                                                     std::size_t batch_tokens) const {
  const std::size_t limit = std::min(kPackTokens, std::max<std::size_t>(batch_tokens, 1));
  std::vector<Pack> packs;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    if (packs.empty() || packs.back().tokens + sequences[i].size() > limit) {
      packs.push_back({i, i, 0});
    }
    packs.back().end = i + 1;
    packs.back().tokens += sequences[i].size();
  }
  return packs;
}

Batch CpuSession::gather(const Pack& pack, Sequences sequences, PackMemory& memory) const {
  memory.tokens.clear();
  memory.sequences.clear();
  for (std::size_t i = pack.begin; i < pack.end; ++i) {
    memory.sequences.push_back({memory.tokens.size(), sequences[i].size(), 0, nullptr});
    memory.tokens.insert(memory.tokens.end(), sequences[i].begin(), sequences[i].end());
  }
  memory.selected.resize(pack.tokens);
  std::iota(memory.selected.begin(), memory.selected.end(), 0U);
  memory.hidden.resize(pack.tokens * executable_.program().hidden_size);
  Batch batch;
  batch.tokens = memory.tokens;
  batch.sequences = memory.sequences;
  batch.selected = memory.selected;
  batch.hidden = memory.hidden.data();
  return batch;
}

void CpuSession::hand_over(const Pack& pack, const PackMemory& memory, Rows rows) const {
  const std::size_t width = executable_.program().hidden_size;
  for (std::size_t i = 0; i < memory.sequences.size(); ++i) {
    const SequenceRows& sequence = memory.sequences[i];
    rows(pack.begin + i,
         std::span(memory.hidden).subspan(sequence.begin * width, sequence.count * width));
  }
}

void CpuSession::run_all(Sequences sequences, std::size_t batch_tokens, Rows rows) {
  const std::vector<Pack> packs = make_packs(sequences, batch_tokens);
  // Whole rounds are computed with no barrier at all, each pack by one thread; what is left after
  // them, by all threads together.
  const std::size_t alone =
      pool_.size() == 1 ? packs.size() : packs.size() / pool_.size() * pool_.size();
  const auto is_long = [&](const Pack& pack) {
    return executable_.program().causal && pack.tokens > kLongSequence;
  };
  pool_.parallel_for(alone, 1, [&](std::size_t index, std::size_t, unsigned worker) {
    const Pack& pack = packs[index];
    if (is_long(pack)) return;
    Frame& frame = own_frames_[worker];
    frame.start(gather(pack, sequences, own_packs_[worker]));
    Team team(1);
    Runner(executable_, frame, workers_[worker], team, recorder_of(worker, true)).run();
    hand_over(pack, own_packs_[worker], rows);
  });
  for (std::size_t index = 0; index < packs.size(); ++index) {
    const Pack& pack = packs[index];
    if (is_long(pack)) {
      run_long(pack.begin, sequences[pack.begin], rows);
    } else if (index >= alone) {
      run(gather(pack, sequences, pack_));
      hand_over(pack, pack_, rows);
    }
  }
}

/// A sequence too long for one batch: keys and values go through a cache of float32, so the bits
/// are those of one batch.
void CpuSession::run_long(std::size_t index, std::span<const std::int32_t> tokens, Rows rows) {
  const graph::Program& program = executable_.program();
  KvCache cache({program.attention_layers, program.kv_heads, program.head_dim, KvFormat::f32});
  cache.prepare(0, tokens.size());
  std::vector<float> hidden(tokens.size() * program.hidden_size);
  std::vector<std::uint32_t> selected(kPromptPiece);
  std::iota(selected.begin(), selected.end(), 0U);
  for (std::size_t begin = 0; begin < tokens.size(); begin += kPromptPiece) {
    const std::size_t count = std::min(kPromptPiece, tokens.size() - begin);
    const SequenceRows sequence{0, count, begin, &cache};
    Batch batch;
    batch.tokens = tokens.subspan(begin, count);
    batch.sequences = {&sequence, 1};
    batch.selected = std::span(selected).first(count);
    batch.hidden = hidden.data() + begin * program.hidden_size;
    run(batch);
  }
  rows(index, hidden);
}

}  // namespace lore::engine::cpu
