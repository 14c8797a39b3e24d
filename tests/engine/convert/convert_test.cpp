#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "engine/gguf/gguf_file.hpp"
#include "engine/quant/dequantize.hpp"
#include "lore/error.hpp"
#include "tests/engine/convert/tiny_bert.hpp"
#include "tests/support/fixtures.hpp"

namespace lore::engine {
namespace {

using gguf::GgufFile;
using testing::ElementsAre;
using testing::HasSubstr;

class ConvertTest : public testing::Test {
 protected:
  GgufFile converted(const std::string& type = "f32") {
    bert_.write(folder_);
    return convert(type);
  }
  GgufFile convert(const std::string& type = "f32") {
    convert_safetensors(folder_.path(), out(), type);
    return GgufFile::open(out());
  }
  std::filesystem::path out() const { return folder_.path() / "out.gguf"; }

  test::TemporaryFolder folder_;
  test::TinyBert bert_;
};

std::vector<float> floats_of(const std::string& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST_F(ConvertTest, WritesTheKeysOfTheFamily) {
  const GgufFile file = converted();
  const gguf::Metadata& metadata = file.metadata();
  EXPECT_EQ(metadata.require_string("general.architecture"), "bert");
  EXPECT_EQ(metadata.get_unsigned("bert.block_count"), 1U);
  EXPECT_EQ(metadata.get_unsigned("bert.context_length"), 16U);
  EXPECT_EQ(metadata.get_unsigned("bert.embedding_length"), 32U);
  EXPECT_EQ(metadata.get_unsigned("bert.feed_forward_length"), 64U);
  EXPECT_EQ(metadata.get_unsigned("bert.attention.head_count"), 2U);
  EXPECT_EQ(metadata.get_bool("bert.attention.causal"), false);
  EXPECT_NEAR(*metadata.get_float("bert.attention.layer_norm_epsilon"), 1e-12, 1e-18);
  EXPECT_EQ(metadata.get_unsigned("bert.pooling_type"), 2U);  // cls
  EXPECT_EQ(metadata.get_unsigned("tokenizer.ggml.token_type_count"), 2U);
}

TEST_F(ConvertTest, StoresTheVocabularyAsGgufSpellsIt) {
  const GgufFile file = converted();
  const gguf::Metadata& metadata = file.metadata();
  EXPECT_EQ(metadata.require_string("tokenizer.ggml.model"), "bert");
  EXPECT_THAT(
      *metadata.get_strings("tokenizer.ggml.tokens"),
      ElementsAre("[PAD]", "[UNK]", "[CLS]", "[SEP]", "\u2581the", "ing", "\u2581水", "[MASK]"));
  EXPECT_THAT(*metadata.get_integers("tokenizer.ggml.token_type"),
              ElementsAre(3, 3, 3, 3, 1, 1, 1, 3));
  EXPECT_EQ(metadata.get_unsigned("tokenizer.ggml.unknown_token_id"), 1U);
  EXPECT_EQ(metadata.get_unsigned("tokenizer.ggml.bos_token_id"), 2U);
  EXPECT_EQ(metadata.get_unsigned("tokenizer.ggml.cls_token_id"), 2U);
  EXPECT_EQ(metadata.get_unsigned("tokenizer.ggml.eos_token_id"), 3U);
  EXPECT_EQ(metadata.get_unsigned("tokenizer.ggml.seperator_token_id"), 3U);
  EXPECT_EQ(metadata.get_unsigned("tokenizer.ggml.padding_token_id"), 0U);
  EXPECT_EQ(metadata.get_unsigned("tokenizer.ggml.mask_token_id"), 7U);
}

TEST_F(ConvertTest, PrefersTokenizerJsonAndFillsGaps) {
  bert_.write(folder_);
  folder_.write("tokenizer.json", R"({
    "added_tokens": [{"id": 0, "content": "[PAD]", "special": true},
                     {"id": 6, "content": "<custom>", "special": false}],
    "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                   "strip_accents": null, "lowercase": false},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 100,
              "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "The": 4, "##s": 5}}})");
  const GgufFile file = convert();
  const gguf::Metadata& metadata = file.metadata();
  EXPECT_THAT(*metadata.get_strings("tokenizer.ggml.tokens"),
              ElementsAre("[PAD]", "[UNK]", "[CLS]", "[SEP]", "\u2581The", "s", "\u2581<custom>",
                          "[PAD7]"));
  EXPECT_THAT(*metadata.get_integers("tokenizer.ggml.token_type"),
              ElementsAre(3, 3, 3, 3, 1, 1, 4, 5));
  EXPECT_EQ(metadata.get_bool("tokenizer.ggml.normalizer.lowercase"), false);
  EXPECT_EQ(metadata.get_bool("tokenizer.ggml.normalizer.strip_accents"), false);
  EXPECT_FALSE(metadata.has("tokenizer.ggml.mask_token_id"));
}

TEST_F(ConvertTest, WritesEveryTensorWithItsValues) {
  const GgufFile file = converted();
  const std::map<std::string, std::string> names = {
      {"token_embd.weight", "embeddings.word_embeddings.weight"},
      {"position_embd.weight", "embeddings.position_embeddings.weight"},
      {"token_types.weight", "embeddings.token_type_embeddings.weight"},
      {"token_embd_norm.bias", "embeddings.LayerNorm.bias"},
      {"blk.0.attn_q.weight", "encoder.layer.0.attention.self.query.weight"},
      {"blk.0.attn_k.bias", "encoder.layer.0.attention.self.key.bias"},
      {"blk.0.attn_v.weight", "encoder.layer.0.attention.self.value.weight"},
      {"blk.0.attn_output.weight", "encoder.layer.0.attention.output.dense.weight"},
      {"blk.0.attn_output_norm.weight", "encoder.layer.0.attention.output.LayerNorm.weight"},
      {"blk.0.ffn_up.weight", "encoder.layer.0.intermediate.dense.weight"},
      {"blk.0.ffn_down.weight", "encoder.layer.0.output.dense.weight"},
      {"blk.0.layer_output_norm.bias", "encoder.layer.0.output.LayerNorm.bias"}};
  EXPECT_EQ(file.tensors().size(), bert_.tensors.size());
  for (const auto& [name, source] : names) {
    const gguf::TensorInfo& tensor = file.require(name);
    const test::TinyTensor& original = bert_.tensor(source);
    EXPECT_EQ(tensor.type, DType::f32) << name;
    EXPECT_EQ(tensor.shape,
              std::vector<std::size_t>(original.shape.rbegin(), original.shape.rend()))
        << name;
    ASSERT_EQ(tensor.data.size(), original.bytes.size()) << name;
    EXPECT_EQ(std::memcmp(tensor.data.data(), original.bytes.data(), tensor.data.size()), 0)
        << name;
  }
}

TEST_F(ConvertTest, StoresMatricesInTheAskedTypeAndTheRestInFloat32) {
  for (const auto& [type, stored] : {std::pair<std::string, DType>{"f16", DType::f16},
                                     std::pair<std::string, DType>{"q8_0", DType::q8_0}}) {
    const GgufFile file = converted(type);
    for (const char* name : {"token_embd.weight", "blk.0.attn_q.weight", "blk.0.ffn_down.weight"}) {
      EXPECT_EQ(file.require(name).type, stored) << name;
    }
    for (const char* name : {"position_embd.weight", "token_types.weight", "blk.0.attn_q.bias",
                             "token_embd_norm.weight"}) {
      EXPECT_EQ(file.require(name).type, DType::f32) << name;
    }
    const gguf::TensorInfo& tensor = file.require("blk.0.ffn_up.weight");
    const std::vector<float> expected =
        floats_of(bert_.tensor("encoder.layer.0.intermediate.dense.weight").bytes);
    std::vector<float> row(tensor.columns());
    for (std::size_t i = 0; i < tensor.rows(); ++i) {
      const std::size_t bytes = row_bytes(stored, tensor.columns());
      dequantize_row(stored, tensor.data.data() + i * bytes, row.size(), row.data());
      for (std::size_t k = 0; k < row.size(); ++k) {
        // Eighths up to 16 are exact at half precision; Q8_0 steps are at most 16 / 127.
        const double tolerance = stored == DType::f16 ? 0 : 16.0 / 254 * 1.01;
        EXPECT_NEAR(row[k], expected[i * row.size() + k], tolerance) << type;
      }
    }
  }
}

TEST_F(ConvertTest, RowsOfNoWholeBlocksStayAtHalfPrecision) {
  // A feed-forward of 40 makes rows of 40 values in ffn_down.
  bert_.config["intermediate_size"] = 40;
  for (auto& tensor : bert_.tensors) {
    if (tensor.name == "encoder.layer.0.intermediate.dense.weight") tensor.shape = {40, 32};
    if (tensor.name == "encoder.layer.0.intermediate.dense.bias") tensor.shape = {40};
    if (tensor.name == "encoder.layer.0.output.dense.weight") tensor.shape = {32, 40};
    std::size_t count = 4;
    for (const std::size_t size : tensor.shape) count *= size;
    tensor.bytes.resize(count);
  }
  const GgufFile file = converted("q8_0");
  EXPECT_EQ(file.require("blk.0.ffn_down.weight").type, DType::f16);
  EXPECT_EQ(file.require("blk.0.ffn_up.weight").type, DType::q8_0);
}

TEST_F(ConvertTest, ReadsHalfAndBrainFloats) {
  test::TinyTensor& norm = bert_.tensor("embeddings.LayerNorm.weight");
  norm.dtype = "BF16";
  norm.bytes.clear();
  for (int i = 0; i < 32; ++i) norm.bytes += std::string("\xC0\x3F", 2);  // 1.5
  test::TinyTensor& bias = bert_.tensor("embeddings.LayerNorm.bias");
  bias.dtype = "F16";
  bias.bytes.clear();
  for (int i = 0; i < 16; ++i) bias.bytes += std::string("\x00\xBC\x01\x00", 4);  // -1, 2^-24
  const GgufFile file = converted();
  const auto values = [&file](const char* name) {
    std::vector<float> read(32);
    std::memcpy(read.data(), file.require(name).data.data(), 128);
    return read;
  };
  EXPECT_THAT(values("token_embd_norm.weight"), testing::Each(1.5F));
  EXPECT_EQ(values("token_embd_norm.bias")[0], -1.0F);
  EXPECT_EQ(values("token_embd_norm.bias")[1], 0x1p-24F);
}

TEST_F(ConvertTest, TakesPrefixesOldNamesAndWhatItCanDoWithout) {
  for (auto& tensor : bert_.tensors) {
    tensor.name = "bert." + tensor.name;
    if (tensor.name == "bert.embeddings.LayerNorm.weight") {
      tensor.name = "bert.embeddings.LayerNorm.gamma";
    }
    if (tensor.name == "bert.embeddings.LayerNorm.bias") {
      tensor.name = "bert.embeddings.LayerNorm.beta";
    }
  }
  const std::size_t kept = bert_.tensors.size();
  bert_.add("bert.pooler.dense.weight", {32, 32});
  bert_.add("cls.predictions.bias", {8});
  bert_.tensors.push_back({"bert.embeddings.position_ids", "I64", {1, 2}, std::string(16, '\0')});
  EXPECT_EQ(converted().tensors().size(), kept);
}

TEST_F(ConvertTest, ReadsShards) {
  bert_.write(folder_);
  std::filesystem::remove(folder_.path() / "model.safetensors");
  const auto middle = bert_.tensors.begin() + 7;
  folder_.write("a.safetensors", test::safetensors_bytes({bert_.tensors.begin(), middle}));
  folder_.write("b.safetensors", test::safetensors_bytes({middle, bert_.tensors.end()}));
  nlohmann::json index = {{"weight_map", nlohmann::json::object()}};
  for (auto tensor = bert_.tensors.begin(); tensor != bert_.tensors.end(); ++tensor) {
    index["weight_map"][tensor->name] = tensor < middle ? "a.safetensors" : "b.safetensors";
  }
  folder_.write("model.safetensors.index.json", index.dump());
  EXPECT_EQ(convert().tensors().size(), bert_.tensors.size());
}

TEST_F(ConvertTest, WithoutModulesNoPoolingIsClaimed) {
  bert_.write(folder_);
  std::filesystem::remove(folder_.path() / "modules.json");
  EXPECT_FALSE(convert().metadata().has("bert.pooling_type"));
}

TEST(ConvertMiniLm, TheRealFolderConverts) {
  LORE_REQUIRE_MODEL(reference, "minilm-f32");
  const auto source = reference.parent_path() / "minilm-source";
  if (!std::filesystem::exists(source)) GTEST_SKIP() << "minilm-source is not on this machine";
  const test::TemporaryFolder folder;
  const auto out = folder.path() / "minilm.gguf";
  convert_safetensors(source, out, "f16");
  const GgufFile file = GgufFile::open(out);
  EXPECT_EQ(file.tensors().size(), 5U + 6U * 16U);
  EXPECT_EQ(file.metadata().get_unsigned("bert.pooling_type"), 1U);
  const std::vector<std::string>& tokens = *file.metadata().get_strings("tokenizer.ggml.tokens");
  ASSERT_EQ(tokens.size(), 30522U);
  EXPECT_EQ(tokens[101], "[CLS]");
  EXPECT_EQ(tokens[1996], "\u2581the");
  EXPECT_EQ(tokens[2075], "ing");
}

}  // namespace
}  // namespace lore::engine
