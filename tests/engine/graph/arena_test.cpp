#include "engine/tensor/arena.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/tensor/buffer.hpp"
#include "lore/error.hpp"

namespace lore::engine {
namespace {

bool overlap(std::size_t a, std::size_t a_end, std::size_t b, std::size_t b_end) {
  return a < b_end && b < a_end;
}

TEST(Arena, ValuesThatLiveTogetherNeverOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> lives(1 + random() % 40);
    for (Lifetime& life : lives) {
      life.bytes = random() % 1000;
      life.first = random() % 30;
      life.last = life.first + random() % 10;
    }
    const Placement placement = place(lives);
    for (std::size_t i = 0; i < lives.size(); ++i) {
      EXPECT_LE(placement.offsets[i] + lives[i].bytes, placement.total);
      for (std::size_t j = 0; j < i; ++j) {
        if (!overlap(lives[i].first, lives[i].last + 1, lives[j].first, lives[j].last + 1))
          continue;
        EXPECT_FALSE(overlap(placement.offsets[i], placement.offsets[i] + lives[i].bytes,
                             placement.offsets[j], placement.offsets[j] + lives[j].bytes))
            << "round " << round << ": " << i << " and " << j;
      }
    }
  }
}

TEST(Arena, ReusesWhatIsOver) {
  const Placement placement = place({{100, 0, 1}, {100, 2, 3}, {60, 1, 2}, {40, 4, 9}});
  EXPECT_EQ(placement.offsets[0], placement.offsets[1]);
  EXPECT_EQ(placement.total, 160U);
}

TEST(Arena, OfNothingIsEmpty) { EXPECT_EQ(place({}).total, 0U); }

TEST(Buffer, IsZeroedAlignedAndMoves) {
  Buffer buffer(std::size_t{5} << 20);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0U);
  EXPECT_TRUE(std::all_of(buffer.data(), buffer.data() + buffer.size(),
                          [](std::byte b) { return b == std::byte{0}; }));
  *buffer.as<float>(64) = 2.5F;
  Buffer moved = std::move(buffer);
  EXPECT_EQ(*moved.as<float>(64), 2.5F);
  EXPECT_EQ(Buffer(0).size(), 0U);
}

TEST(Buffer, MemoryThatIsNotThereIsSaidBeforeItIsTouched) {
  EXPECT_NO_THROW(require_memory(4096, "four pages"));
  try {
    require_memory(std::uint64_t{1} << 60U, "the weights of m.gguf");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::limit_exceeded);
    EXPECT_NE(std::string(error.what()).find("the weights of m.gguf"), std::string::npos);
  }
}

TEST(Buffer, TooLargeIsAnError) {
  try {
    const Buffer buffer(std::size_t{1} << 60);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::limit_exceeded);
  }
}

}  // namespace
}  // namespace lore::engine
