// Folders and files that are not what they claim: each a clear error, and no file written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "lore/error.hpp"
#include "tests/engine/convert/tiny_bert.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::engine {
namespace {

using test::TemporaryFolder;
using test::TinyBert;

struct Failure {
  ErrorCode code = ErrorCode::internal;
  std::string text;
};

Failure failure_of(const TemporaryFolder& folder, const std::string& type = "f32") {
  const auto out = folder.path() / "out.gguf";
  try {
    convert_safetensors(folder.path(), out, type);
  } catch (const Error& error) {
    EXPECT_FALSE(std::filesystem::exists(out));
    return {error.code(), error.what()};
  }
  return {ErrorCode::internal, "no error"};
}

/// Spoils a sound folder (in memory, then on disk) and says how converting it fails.
Failure spoilt(const std::function<void(TinyBert&)>& in_memory,
               const std::function<void(const TemporaryFolder&)>& on_disk = nullptr) {
  const TemporaryFolder folder;
  TinyBert bert;
  if (in_memory) in_memory(bert);
  bert.write(folder);
  if (on_disk) on_disk(folder);
  return failure_of(folder);
}

void expect(const Failure& failure, ErrorCode code, const std::string& words) {
  EXPECT_EQ(failure.code, code) << failure.text;
  EXPECT_THAT(failure.text, testing::HasSubstr(words));
}

TEST(BadFolder, UnknownTypeAndMissingPlaces) {
  const TemporaryFolder folder;
  expect(failure_of(folder, "q4_k"), ErrorCode::invalid_argument, "q4_k");
  expect(failure_of(folder), ErrorCode::not_found, "config.json");
  EXPECT_THROW(convert_safetensors(folder.path() / "none", folder.path() / "x", "f32"), Error);
  expect(spoilt(nullptr, [](const auto& f) { std::filesystem::remove(f.path() / "vocab.txt"); }),
         ErrorCode::not_found, "vocab.txt");
  expect(spoilt(nullptr,
                [](const auto& f) { std::filesystem::remove(f.path() / "model.safetensors"); }),
         ErrorCode::not_found, "model.safetensors");
}

TEST(BadFolder, ConfigurationsThatLieOrAreForeign) {
  const auto with = [](const char* key, const nlohmann::json& value) {
    return spoilt([&](TinyBert& bert) { bert.config[key] = value; });
  };
  expect(with("model_type", "roberta"), ErrorCode::unsupported, "roberta");
  expect(with("hidden_act", "relu"), ErrorCode::unsupported, "relu");
  expect(with("position_embedding_type", "relative_key"), ErrorCode::unsupported, "positions");
  expect(with("hidden_size", nullptr), ErrorCode::corrupt, "hidden_size");
  expect(with("hidden_size", "32"), ErrorCode::corrupt, "hidden_size");
  expect(with("hidden_size", -32), ErrorCode::corrupt, "hidden_size");
  expect(with("hidden_size", 1ULL << 40), ErrorCode::corrupt, "hidden_size");
  expect(with("num_attention_heads", 5), ErrorCode::corrupt, "num_attention_heads");
  expect(with("num_hidden_layers", 2147483647), ErrorCode::corrupt, "layers");
  expect(with("num_hidden_layers", 2), ErrorCode::corrupt, "encoder.layer.1");
  expect(with("vocab_size", 2147483647), ErrorCode::corrupt, "word_embeddings");
  expect(spoilt(nullptr, [](const auto& f) { f.write("config.json", "{\"a\": "); }),
         ErrorCode::corrupt, "config.json");
  expect(spoilt(nullptr, [](const auto& f) { f.write("config.json", "[]"); }), ErrorCode::corrupt,
         "config.json");
}

TEST(BadFolder, PipesAndFoldersInAFilesPlace) {  // opening a pipe would wait for ever
  for (const char* name : {"config.json", "vocab.txt", "modules.json", "1_Pooling/config.json",
                           "tokenizer_config.json", "model.safetensors"}) {
    expect(spoilt(nullptr,
                  [name](const auto& f) {
                    const auto path = f.path() / name;
                    std::filesystem::remove(path);
                    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
                  }),
           ErrorCode::io, name);
    expect(spoilt(nullptr,
                  [name](const auto& f) {
                    std::filesystem::remove(f.path() / name);
                    std::filesystem::create_directory(f.path() / name);
                  }),
           ErrorCode::io, name);
  }
}

TEST(BadFolder, PlacesThatCannotBeLookedAt) {
  const TemporaryFolder folder;
  const auto loop = folder.path() / "loop";
  std::filesystem::create_symlink(loop, loop);
  EXPECT_THROW(convert_safetensors(loop, folder.path() / "x", "f32"), Error);
  expect(spoilt(nullptr,
                [](const auto& f) {
                  const auto path = f.path() / "tokenizer.json";
                  std::filesystem::create_symlink(path, path);
                }),
         ErrorCode::io, "tokenizer.json");
}

TEST(BadFolder, TensorsThatAreMissingForeignOrOfAnotherShape) {
  expect(spoilt([](TinyBert& bert) { bert.tensors.erase(bert.tensors.begin() + 6); }),
         ErrorCode::corrupt, "encoder.layer.0.attention.self.query.bias");
  expect(spoilt([](TinyBert& bert) {
           bert.tensor("encoder.layer.0.output.dense.weight").shape = {64, 32};
         }),
         ErrorCode::corrupt, "encoder.layer.0.output.dense.weight");
  expect(spoilt([](TinyBert& bert) {
           bert.add("classifier.weight", {2, 32});
         }),
         ErrorCode::unsupported, "classifier.weight");
  expect(spoilt([](TinyBert& bert) { bert.tensors[0].dtype = "I32"; }), ErrorCode::unsupported,
         "I32");
  expect(spoilt([](TinyBert& bert) { bert.tensors[0].dtype = "Q9"; }), ErrorCode::corrupt, "Q9");
}

TEST(BadFolder, VocabulariesThatDoNotFit) {
  const auto with_vocabulary = [](const std::string& text) {
    return spoilt(nullptr, [&](const auto& folder) { folder.write("vocab.txt", text); });
  };
  expect(with_vocabulary("[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\nc\nd\ne\n"), ErrorCode::corrupt,
         "id 8");
  expect(with_vocabulary("[PAD]\n[UNK]\n[CLS]\n"), ErrorCode::corrupt, "[SEP]");
  const auto with_tokenizer = [](const std::string& text) {
    return spoilt(nullptr, [&](const auto& folder) { folder.write("tokenizer.json", text); });
  };
  expect(with_tokenizer(R"({"model": {"type": "BPE", "vocab": {}}})"), ErrorCode::unsupported,
         "BPE");
  expect(with_tokenizer(R"({"model": 5})"), ErrorCode::corrupt, "tokenizer.json");
  expect(with_tokenizer("{}"), ErrorCode::corrupt, "tokenizer.json");
}

TEST(BadFolder, PoolingsThatGgufCannotExpress) {
  const auto with_pooling = [](const std::string& text) {
    return spoilt(nullptr,
                  [&](const auto& folder) { folder.write("1_Pooling/config.json", text); });
  };
  expect(with_pooling(R"({"pooling_mode_max_tokens": true})"), ErrorCode::unsupported, "max");
  expect(with_pooling(R"({"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true})"),
         ErrorCode::unsupported, "two poolings");
  expect(with_pooling("{}"), ErrorCode::corrupt, "pooling");
  const auto with_modules = [](const std::string& text) {
    return spoilt(nullptr, [&](const auto& folder) { folder.write("modules.json", text); });
  };
  expect(with_modules(R"([{"type": "sentence_transformers.models.Dense", "path": "2_Dense"}])"),
         ErrorCode::unsupported, "Dense");
  expect(with_modules(R"([{"type": "x.Pooling", "path": "../other"}])"), ErrorCode::corrupt,
         "outside");
  expect(with_modules("5"), ErrorCode::corrupt, "modules.json");
}

TEST(BadSafetensors, HeadersThatLie) {
  const auto with_bytes = [](const std::string& bytes) {
    return spoilt(nullptr, [&](const auto& folder) { folder.write("model.safetensors", bytes); });
  };
  const auto with_header = [&](const std::string& header, std::size_t data = 8) {
    return with_bytes(test::safetensors_bytes(header, std::string(data, '\0')));
  };
  expect(with_bytes(""), ErrorCode::corrupt, "too short");
  expect(with_bytes(std::string(8, '\xFF')), ErrorCode::corrupt, "header");
  expect(with_bytes(std::string("\x10\0\0\0\0\0\0\0{}", 10)), ErrorCode::corrupt, "header");
  expect(with_header("not JSON"), ErrorCode::corrupt, "JSON");
  expect(with_header(std::string(100000, '[')), ErrorCode::corrupt, "JSON");
  expect(with_header("[]"), ErrorCode::corrupt, "JSON object");
  expect(with_header(R"({"t": 5})"), ErrorCode::corrupt, "tensor t");
  expect(with_header(R"({"t": {"dtype": "F32", "shape": [2], "data_offsets": [0, 16]}})"),
         ErrorCode::corrupt, "outside");
  expect(with_header(R"({"t": {"dtype": "F32", "shape": [2], "data_offsets": [8, 0]}})"),
         ErrorCode::corrupt, "outside");
  expect(with_header(R"({"t": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}})"),
         ErrorCode::corrupt, "another number of bytes");
  expect(with_header(R"({"t": {"dtype": "F32", "shape": [4294967296, 4294967296, 4294967296],
                               "data_offsets": [0, 8]}})"),
         ErrorCode::corrupt, "another number of bytes");
  expect(with_header(R"({"t": {"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]}})"),
         ErrorCode::corrupt, "shape");
  expect(with_header(R"({"t": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
                         "u": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}})"),
         ErrorCode::corrupt, "overlaps");
  expect(with_header(R"({"t": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}})"),
         ErrorCode::corrupt, "belong to no tensor");
  expect(with_header(R"({"t": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})"),
         ErrorCode::corrupt, "belong to no tensor");
  expect(with_header(R"({"t": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
                         "t": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}})"),
         ErrorCode::corrupt, "twice");
}

TEST(BadSafetensors, EveryTruncationIsSaid) {
  const TemporaryFolder folder;
  const TinyBert bert;
  bert.write(folder);
  const std::string whole = test::safetensors_bytes(bert.tensors);
  for (std::size_t size = 0; size < whole.size(); size += 97) {
    folder.write("model.safetensors", whole.substr(0, size));
    EXPECT_EQ(failure_of(folder).code, ErrorCode::corrupt) << size;
  }
}

TEST(BadSafetensors, IndexesThatPointElsewhere) {
  const auto with_index = [](const std::string& text) {
    return spoilt(nullptr, [&](const auto& folder) {
      std::filesystem::remove(folder.path() / "model.safetensors");
      folder.write("model.safetensors.index.json", text);
    });
  };
  expect(with_index("{}"), ErrorCode::corrupt, "weight_map");
  expect(with_index(R"({"weight_map": {"a": "../b.safetensors"}})"), ErrorCode::corrupt, "outside");
  expect(with_index(R"({"weight_map": {"a": 5}})"), ErrorCode::corrupt, "name a file");
  expect(with_index(R"({"weight_map": {"a": "b.safetensors"}})"), ErrorCode::not_found,
         "b.safetensors");
}

}  // namespace
}  // namespace lore::engine
