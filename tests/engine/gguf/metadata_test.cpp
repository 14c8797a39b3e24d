#include "engine/gguf/metadata.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/engine/gguf/expect_error.hpp"

namespace lore::test {
namespace {

using engine::gguf::Array;
using engine::gguf::Metadata;

Metadata sample() {
  Metadata metadata("model.gguf");
  metadata.set("count", std::uint64_t{7});
  metadata.set("minus", std::int64_t{-7});
  metadata.set("huge", std::numeric_limits<std::uint64_t>::max());
  metadata.set("whole", 3.0);
  metadata.set("half", 0.5);
  metadata.set("yes", true);
  metadata.set("name", std::string("lore"));
  metadata.set("floats", Array{std::vector<float>{1.0F, 2.5F}});
  metadata.set("doubles", Array{std::vector<double>{1.0, 0.1}});
  metadata.set("integers", Array{std::vector<std::int64_t>{-1, 2}});
  metadata.set("unsigned", Array{std::vector<std::uint64_t>{1, 1ULL << 63}});
  metadata.set("words", Array{std::vector<std::string>{"a", "b"}});
  return metadata;
}

TEST(Metadata, AbsentKeysGiveNothing) {
  const Metadata metadata = sample();
  EXPECT_FALSE(metadata.has("absent"));
  EXPECT_EQ(metadata.find("absent"), nullptr);
  EXPECT_EQ(metadata.get_unsigned("absent"), std::nullopt);
  EXPECT_EQ(metadata.get_float("absent"), std::nullopt);
  EXPECT_EQ(metadata.get_bool("absent"), std::nullopt);
  EXPECT_EQ(metadata.get_string("absent"), std::nullopt);
  EXPECT_EQ(metadata.get_strings("absent"), nullptr);
  EXPECT_EQ(metadata.get_floats("absent"), std::nullopt);
  EXPECT_EQ(metadata.get_integers("absent"), std::nullopt);
  expect_error(ErrorCode::corrupt, {"model.gguf", "'absent'", "missing"},
               [&] { metadata.require_unsigned("absent"); });
  expect_error(ErrorCode::corrupt, {"model.gguf", "'absent'", "missing"},
               [&] { metadata.require_string("absent"); });
}

TEST(Metadata, NumbersConvertWhereNothingIsLost) {
  const Metadata metadata = sample();
  EXPECT_EQ(metadata.get_unsigned("count"), 7U);
  EXPECT_EQ(metadata.get_unsigned("whole"), 3U);
  EXPECT_EQ(metadata.get_unsigned("huge"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(metadata.get_float("count"), 7.0);
  EXPECT_EQ(metadata.get_float("minus"), -7.0);
  EXPECT_EQ(metadata.get_floats("integers"), (std::vector<float>{-1.0F, 2.0F}));
  EXPECT_EQ(metadata.get_floats("floats"), (std::vector<float>{1.0F, 2.5F}));
  EXPECT_EQ(metadata.get_integers("integers"), (std::vector<std::int64_t>{-1, 2}));
  EXPECT_EQ(*metadata.get_strings("words"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(metadata.get_bool("yes"), true);
  EXPECT_EQ(metadata.require_string("name"), "lore");
}

TEST(Metadata, RefusesAnotherKindOrRange) {
  const Metadata metadata = sample();
  const auto refuse = [&](const char* key, const auto& get) {
    expect_error(ErrorCode::corrupt, {"model.gguf", std::string("'") + key + "'"},
                 [&] { get(key); });
  };
  for (const char* key : {"minus", "half", "yes", "name", "floats"}) {
    refuse(key, [&](const char* k) { metadata.get_unsigned(k); });
  }
  for (const char* key : {"huge", "yes", "name", "floats"}) {
    refuse(key, [&](const char* k) { metadata.get_float(k); });
  }
  for (const char* key : {"count", "name"}) {
    refuse(key, [&](const char* k) { metadata.get_bool(k); });
  }
  for (const char* key : {"count", "words"}) {
    refuse(key, [&](const char* k) { metadata.get_string(k); });
  }
  for (const char* key : {"name", "floats"}) {
    refuse(key, [&](const char* k) { metadata.get_strings(k); });
  }
  for (const char* key : {"half", "words", "doubles"}) {
    refuse(key, [&](const char* k) { metadata.get_floats(k); });
  }
  for (const char* key : {"count", "words", "unsigned", "floats"}) {
    refuse(key, [&](const char* k) { metadata.get_integers(k); });
  }
}

}  // namespace
}  // namespace lore::test
