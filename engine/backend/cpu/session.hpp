// Computations over a CPU executable.
#pragma once

#include <memory>
#include <vector>

#include "engine/backend/cpu/frame.hpp"
#include "engine/backend/cpu/recorder.hpp"

namespace lore::engine::cpu {

class CpuSession final : public Session {
 public:
  CpuSession(const CpuExecutable& executable, ThreadPool& pool);

  void run(const Batch& batch) override;
  void run_all(std::span<const std::span<const std::int32_t>> sequences, std::size_t batch_tokens,
               FunctionRef<void(std::size_t, std::span<const float>)> rows) override;
  void record() override;
  std::vector<OperationTime> recorded() const override;

 private:
  using Sequences = std::span<const std::span<const std::int32_t>>;
  using Rows = FunctionRef<void(std::size_t, std::span<const float>)>;

  /// Consecutive sequences that are computed together: [begin, end).
  struct Pack {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t tokens = 0;
  };

  /// The arrays behind a batch of whole sequences.
  struct PackMemory {
    std::vector<std::int32_t> tokens;
    std::vector<SequenceRows> sequences;
    std::vector<std::uint32_t> selected;
    std::vector<float> hidden;
  };

  std::vector<Pack> make_packs(Sequences sequences, std::size_t batch_tokens) const;
  Batch gather(const Pack& pack, Sequences sequences, PackMemory& memory) const;
  void hand_over(const Pack& pack, const PackMemory& memory, Rows rows) const;
  /// Null while nothing is recorded.
  Recorder* recorder_of(unsigned worker, bool counting);
  void run_long(std::size_t index, std::span<const std::int32_t> tokens, Rows rows);

  const CpuExecutable& executable_;
  ThreadPool& pool_;
  Frame frame_;                        // of batches that all threads compute together
  std::vector<WorkerMemory> workers_;  // one a thread
  PackMemory pack_;
  std::vector<Frame> own_frames_;  // one a thread, for packs that it computes alone
  std::vector<PackMemory> own_packs_;
  std::vector<Recorder> recorders_;  // one a thread, or none
};

}  // namespace lore::engine::cpu
