// Files that are cut short or lie. Nothing may crash, and nothing may be allocated on a file's
// word: this program's own operator new counts.
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "engine/gguf/header.hpp"
#include "tests/engine/gguf/counting_new.hpp"
#include "tests/engine/gguf/expect_error.hpp"
#include "tests/engine/gguf/gguf_bytes.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::test {
namespace {

constexpr std::uint64_t kHuge = std::uint64_t{1} << 60;
constexpr std::uint32_t kString = 8;
constexpr std::uint32_t kArray = 9;
constexpr std::uint32_t kF32 = 0;
constexpr std::uint32_t kQ4K = 12;

engine::gguf::Header read(const std::string& bytes) {
  return engine::gguf::read_header(std::as_bytes(std::span(bytes)), "model.gguf");
}

/// The file must be refused as corrupt, with these words, and without an allocation that is large
/// beside the file.
void expect_refused(const std::vector<std::string>& words, const GgufBytes& file) {
  reset_largest_allocation();
  std::vector<std::string> all = words;
  all.emplace_back("model.gguf");
  expect_error(ErrorCode::corrupt, all, [&] { read(file.bytes()); });
  EXPECT_LT(largest_allocation(), 64 * file.bytes().size() + 4096);
}

TEST(HostileGguf, TruncatedAtEveryByte) {
  LORE_REQUIRE_SHARED(path, "gguf/stories260K.gguf");
  const std::string whole = read_file(path);
  const auto header = read(whole);
  const auto data_start = static_cast<std::size_t>(
      header.tensors.front().data.data() - reinterpret_cast<const std::byte*>(whole.data()));
  ASSERT_LT(data_start, 40000U);
  for (std::size_t size = 0; size < data_start; ++size) {
    // A copy of just that size, so that a sanitizer sees any read beyond it.
    const std::string part(whole.data(), size);
    EXPECT_THROW(read(part), Error) << size;
  }
  for (std::size_t size = data_start; size < whole.size() - 64; size += 9973) {
    expect_error(ErrorCode::corrupt, {"past the end"}, [&] { read(whole.substr(0, size)); });
  }
}

TEST(HostileGguf, EveryByteOfAHeaderChanged) {
  LORE_REQUIRE_SHARED(path, "gguf/test-le-v3.gguf");
  const std::string whole = read_file(path);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xFF}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      reset_largest_allocation();
      try {
        read(changed);  // may well be a file that is right in another way
      } catch (const Error&) {
      }
      EXPECT_LT(largest_allocation(), 64 * whole.size()) << "byte " << at;
    }
  }
}

TEST(HostileGguf, CountsThatLie) {
  expect_refused({"number of tensors", std::to_string(kHuge)}, GgufBytes::header(kHuge, 0));
  expect_refused({"number of keys", std::to_string(kHuge)}, GgufBytes::header(0, kHuge));
  expect_refused({"number of tensors"}, GgufBytes::header(~std::uint64_t{0}, 0));
  expect_refused({"number of keys"}, GgufBytes::header(0, ~std::uint64_t{0}));
  expect_refused({"key 1"}, GgufBytes::header(0, 1).number(kHuge).number(0).data(32));
  expect_refused({"key 'k'"}, GgufBytes::header(0, 1).key("k", kString).number(kHuge).data(32));
  expect_refused({"key 'k'"},
                 GgufBytes::header(0, 1).key("k", kString).number(~std::uint64_t{0}).data(32));
  for (std::uint32_t type = 0; type <= 12; ++type) {
    for (const std::uint64_t count : {kHuge, ~std::uint64_t{0}, std::uint64_t{1000}}) {
      GgufBytes file = GgufBytes::header(0, 1);
      file.key("list", kArray).number(type).number(count).data(32);
      expect_refused({"key 'list'"}, file);
    }
  }
  expect_refused({"name of tensor 1"}, GgufBytes::header(1, 0).number(kHuge).data(64));
}

TEST(HostileGguf, TypesThatAreNone) {
  expect_refused({"key 'k'", "type 13"}, GgufBytes::header(0, 1).key("k", 13).number(0).data(32));
  expect_refused({"key 'k'", "type 99"},
                 GgufBytes::header(0, 1).key("k", kArray).number(99).number(kHuge).data(32));
  expect_refused({"key 'k'", "bool"},
                 GgufBytes::header(0, 1).key("k", 7).number(std::uint8_t{2}).data(32));
}

TEST(HostileGguf, ArraysNestedWithoutEnd) {
  GgufBytes file = GgufBytes::header(0, 1);
  file.key("deep", kArray);
  for (int i = 0; i < 100000; ++i) file.number(kArray).number(std::uint64_t{1});
  expect_refused({"key 'deep'", "deep"}, file);
}

TEST(HostileGguf, TwoOfOneName) {
  expect_refused({"key 'a'", "twice"}, GgufBytes::header(0, 2).key_u32("a", 1).key_u32("a", 2));
  expect_refused(
      {"tensor 't'", "twice"},
      GgufBytes::header(2, 0).tensor("t", {8}, kF32, 0).tensor("t", {8}, kF32, 32).data(64));
}

TEST(HostileGguf, NamesThatWouldSpoilAMessage) {
  const std::string name = "a\nb\x1B[2J\xE2\x80\xAE\xFF" + std::string(100000, 'x');
  GgufBytes file = GgufBytes::header(2, 0);
  for (int i = 0; i < 2; ++i) file.tensor(name, {8}, kF32, 0);
  try {
    read(file.data(64).bytes());
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("tensor 'a?b?[2J?\xEF\xBF\xBDxxx"));
    EXPECT_LT(std::string(error.what()).size(), 400U);
  }
}

TEST(HostileGguf, Alignments) {
  for (const std::uint32_t alignment : {0U, 1U, 4U, 24U, 33U, 0xFFFFFFFFU}) {
    expect_refused({"general.alignment", std::to_string(alignment)},
                   GgufBytes::header(0, 1).key_u32("general.alignment", alignment).data(64));
  }
  expect_refused({"general.alignment"},
                 GgufBytes::header(0, 1).key("general.alignment", kString).text("32").data(64));
}

TEST(HostileGguf, ShapesOfTensors) {
  const auto refuse = [](std::vector<std::uint64_t> shape, std::uint32_t type, const char* word) {
    expect_refused({"tensor 't'", word},
                   GgufBytes::header(1, 0).tensor("t", shape, type, 0).data(512));
  };
  refuse({8, 1, 1, 1, 1}, kF32, "5 dimensions");
  refuse({0}, kF32, "size of 0");
  refuse({8, 0}, kF32, "size of 0");
  refuse({std::uint64_t{1} << 62}, kF32, "overflow");
  refuse({std::uint64_t{1} << 33, std::uint64_t{1} << 33}, kF32, "overflow");
  // The product is 16 modulo 2^64.
  refuse({std::uint64_t{1} << 32, std::uint64_t{1} << 31, 4}, kF32, "overflow");
  refuse({100}, kQ4K, "256");
  refuse({1000}, kF32, "past the end");
  GgufBytes file = GgufBytes::header(1, 0);
  file.text("t").number(~std::uint32_t{0}).data(64);
  expect_refused({"tensor 't'", "dimensions"}, file);
}

TEST(HostileGguf, PlacesOfTensors) {
  const auto file = [](std::uint64_t first, std::uint64_t second) {
    return GgufBytes::header(2, 0)
        .tensor("t", {16}, kF32, first)
        .tensor("u", {8}, kF32, second)
        .data(96);
  };
  EXPECT_EQ(read(file(0, 64).bytes()).tensors.size(), 2U);
  EXPECT_EQ(read(file(32, 0).bytes()).tensors.size(), 2U);  // in any order
  expect_refused({"tensor 'u'", "past the end"}, file(0, 96));
  expect_refused({"tensor 'u'", "past the end"}, file(0, kHuge));
  expect_refused({"tensor 'u'", "past the end"}, file(0, ~std::uint64_t{31}));
  expect_refused({"tensor 't'", "multiple"}, file(4, 64));
  expect_refused({"'t'", "'u'", "overlap"}, file(0, 32));
  expect_refused({"'t'", "'u'", "overlap"}, file(0, 0));
}

TEST(HostileGguf, EveryKindOfValueIsRead) {
  GgufBytes file = GgufBytes::header(0, 7);
  file.key("u8", 0).number(std::uint8_t{200});
  file.key("i16", 3).number(std::int16_t{-5});
  file.key("f64", 12).number(2.5);
  file.key("yes", 7).number(std::uint8_t{1});
  file.key("lists", kArray).number(kArray).number(std::uint64_t{2});
  file.number(std::uint32_t{5}).number(std::uint64_t{1}).number(std::int32_t{-7});
  file.number(kString).number(std::uint64_t{1}).text("seven");
  file.key("bools", kArray).number(std::uint32_t{7}).number(std::uint64_t{2});
  file.number(std::uint8_t{1}).number(std::uint8_t{0});
  file.key("i64", 11).number(std::int64_t{-1} << 40);
  const auto metadata = read(file.bytes()).metadata;
  EXPECT_EQ(metadata.get_unsigned("u8"), 200U);
  EXPECT_EQ(metadata.get_float("i16"), -5.0);
  EXPECT_EQ(metadata.get_float("f64"), 2.5);
  EXPECT_EQ(metadata.get_bool("yes"), true);
  const auto& lists = std::get<engine::gguf::Array>(*metadata.find("lists"));
  ASSERT_EQ(lists.size(), 2U);
  const auto& inner = std::get<std::vector<engine::gguf::Array>>(lists.items);
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(inner[0].items), std::vector<std::int64_t>{-7});
  EXPECT_EQ(std::get<std::vector<std::string>>(inner[1].items), std::vector<std::string>{"seven"});
  EXPECT_EQ(metadata.get_integers("bools"), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(metadata.get_float("i64"), -1099511627776.0);
}

}  // namespace
}  // namespace lore::test
