// Real files of every kind that the format has had.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "engine/gguf/gguf_file.hpp"
#include "tests/engine/gguf/expect_error.hpp"
#include "tests/engine/gguf/gguf_bytes.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::test {
namespace {

using engine::DType;
using engine::gguf::GgufFile;

TEST(GgufFiles, Stories) {
  LORE_REQUIRE_SHARED(path, "gguf/stories260K.gguf");
  const GgufFile file = GgufFile::open(path);
  EXPECT_EQ(file.path(), path);
  EXPECT_EQ(file.size_bytes(), 1185376U);
  EXPECT_EQ(file.metadata().all().size(), 19U);
  EXPECT_EQ(file.metadata().require_string("general.architecture"), "llama");
  EXPECT_EQ(file.metadata().require_unsigned("llama.embedding_length"), 64U);
  EXPECT_EQ(file.metadata().get_unsigned("tokenizer.ggml.padding_token_id"), 0xFFFFFFFFU);
  ASSERT_EQ(file.tensors().size(), 48U);
  const auto& embedding = file.require("token_embd.weight");
  EXPECT_EQ(embedding.type, DType::f32);
  EXPECT_EQ(embedding.shape, (std::vector<std::size_t>{64, 512}));
  EXPECT_EQ(embedding.columns(), 64U);
  EXPECT_EQ(embedding.rows(), 512U);
  EXPECT_EQ(embedding.data.size(), 64U * 512U * 4U);
  EXPECT_EQ(file.find("no.such.tensor"), nullptr);
  expect_error(ErrorCode::corrupt, {path.string(), "no.such.tensor"},
               [&] { file.require("no.such.tensor"); });
}

TEST(GgufFiles, MixedTypes) {
  LORE_REQUIRE_SHARED(path, "gguf/inferno-tiny.gguf");
  const GgufFile file = GgufFile::open(path);
  std::vector<DType> types;
  for (const auto& tensor : file.tensors()) types.push_back(tensor.type);
  EXPECT_THAT(types, testing::IsSupersetOf(
                         {DType::f32, DType::f16, DType::bf16, DType::q8_0, DType::q4_k}));
  for (const auto& tensor : file.tensors()) {
    EXPECT_EQ(tensor.data.size(), tensor.rows() * engine::row_bytes(tensor.type, tensor.columns()))
        << tensor.name;
  }
}

TEST(GgufFiles, ModelsOnThisMachine) {
  for (const char* name : {"smollm2", "qwen-0.5b", "qwen-1.5b", "gemma-270m"}) {
    const auto path = model_path(name);
    if (!path) continue;
    const GgufFile file = GgufFile::open(*path);
    EXPECT_GT(file.tensors().size(), 100U) << name;
    EXPECT_NE(file.find("token_embd.weight"), nullptr) << name;
  }
}

TEST(GgufFiles, Version2) {
  LORE_REQUIRE_SHARED(path, "gguf/gguf-v2-f32.gguf");
  const GgufFile file = GgufFile::open(path);
  EXPECT_TRUE(file.metadata().all().empty());
  ASSERT_EQ(file.tensors().size(), 1U);
  EXPECT_EQ(file.tensors()[0].shape, std::vector<std::size_t>{2});
  EXPECT_EQ(file.tensors()[0].data.size(), 8U);
}

TEST(GgufFiles, AlignmentOf64) {
  LORE_REQUIRE_SHARED(path, "gguf/test-le-v3.gguf");
  const GgufFile file = GgufFile::open(path);
  EXPECT_EQ(file.metadata().require_unsigned("general.alignment"), 64U);
  ASSERT_EQ(file.tensors().size(), 3U);
  for (const auto& tensor : file.tensors()) {
    const auto offset = reinterpret_cast<std::uintptr_t>(tensor.data.data());
    EXPECT_EQ(offset % 64, 0U) << tensor.name;
  }
}

TEST(GgufFiles, VocabularyWithoutTensorsOrArchitecture) {
  LORE_REQUIRE_SHARED(path, "gguf/gpt2_smollm_tokenizer.gguf");
  const GgufFile file = GgufFile::open(path);
  EXPECT_TRUE(file.tensors().empty());
  ASSERT_NE(file.metadata().get_strings("tokenizer.ggml.tokens"), nullptr);
  EXPECT_EQ(file.metadata().get_strings("tokenizer.ggml.tokens")->size(), 268U);
  expect_error(ErrorCode::corrupt, {path.string(), "general.architecture", "missing"},
               [&] { file.metadata().require_string("general.architecture"); });
}

TEST(GgufFiles, RefusedWithTheReasonAndTheWayOut) {
  LORE_REQUIRE_SHARED(folder, "gguf");
  const auto refuse = [&](const char* name, ErrorCode code, std::vector<std::string> words) {
    const auto path = folder / name;
    words.push_back(path.string());
    expect_error(code, words, [&] { GgufFile::open(path); });
  };
  refuse("ggml-vocab-llama-gguf-v1.gguf", ErrorCode::unsupported, {"version 1", "convert"});
  refuse("gguf-unknown-type.gguf", ErrorCode::unsupported, {"number 43", "tensor '"});
  refuse("test-be-v3.gguf", ErrorCode::unsupported, {"big-endian", "convert"});
  refuse("ollama-api-test-6-bytes.gguf", ErrorCode::corrupt, {"ends inside", "version number"});
}

TEST(GgufFiles, WhatIsNoModelFile) {
  const TemporaryFolder folder;
  const auto missing = folder.path() / "missing.gguf";
  expect_error(ErrorCode::not_found, {missing.string()}, [&] { GgufFile::open(missing); });
  expect_error(ErrorCode::io, {folder.path().string(), "not a regular file"},
               [&] { GgufFile::open(folder.path()); });
  const auto pipe = folder.path() / "pipe.gguf";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_error(ErrorCode::io, {pipe.string(), "not a regular file"}, [&] { GgufFile::open(pipe); });
  const auto empty = folder.write("empty.gguf", "");
  expect_error(ErrorCode::corrupt, {empty.string(), "not a GGUF file"},
               [&] { GgufFile::open(empty); });
  const auto html = folder.write("page.gguf", "<!DOCTYPE html><title>404</title>");
  expect_error(ErrorCode::corrupt, {html.string(), "not a GGUF file"},
               [&] { GgufFile::open(html); });
  const auto future = folder.write("future.gguf", GgufBytes::header(0, 0, 4).bytes());
  expect_error(ErrorCode::unsupported, {future.string(), "version 4"},
               [&] { GgufFile::open(future); });
}

/// Pages of the mapping that are in memory.
std::size_t resident_pages(std::span<const std::byte> bytes) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t first = (start + page - 1) / page * page;
  const std::size_t count = (start + bytes.size() - first) / page;
  std::size_t resident = 0;
  // The entry of a page that this process has mapped is not empty; mincore would count the cache.
  FILE* map = std::fopen("/proc/self/pagemap", "rb");
  if (map == nullptr) return 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t entry = 0;
    std::fseek(map, static_cast<long>((first / page + i) * sizeof(entry)), SEEK_SET);
    if (std::fread(&entry, sizeof(entry), 1, map) == 1 && (entry >> 63) != 0) ++resident;
  }
  std::fclose(map);
  return resident;
}

TEST(GgufFiles, ReleasedTensorsLeaveMemoryAndCanStillBeRead) {
  constexpr std::uint64_t kValues = std::uint64_t{1} << 18;
  GgufBytes bytes = GgufBytes::header(2, 0);
  bytes.tensor("a", {kValues}, 0, 0).tensor("b", {kValues}, 0, kValues * 4).data(2 * kValues * 4);
  const TemporaryFolder folder;
  const GgufFile file = GgufFile::open(folder.write("big.gguf", bytes.bytes()));
  const auto sum = [](std::span<const std::byte> data) {
    std::size_t total = 0;
    for (const std::byte byte : data) total += static_cast<std::size_t>(byte);
    return total;
  };
  const auto& a = file.require("a");
  const auto& b = file.require("b");
  const std::size_t before = sum(a.data) + sum(b.data);
  const std::size_t pages = a.data.size() / static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  ASSERT_GE(resident_pages(a.data), pages - 1);
  file.release(a);
  EXPECT_EQ(resident_pages(a.data), 0U);  // the system may let neighbours go as well
  file.release(b);
  EXPECT_EQ(resident_pages(b.data), 0U);
  EXPECT_EQ(sum(a.data) + sum(b.data), before);
}

}  // namespace
}  // namespace lore::test
