#include "engine/gguf/header.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "engine/gguf/cursor.hpp"
#include "engine/gguf/quote.hpp"
#include "engine/gguf/value_reader.hpp"
#include "lore/error.hpp"

namespace lore::engine::gguf {
namespace {

constexpr std::uint32_t kMagic = 0x46554747;  // "GGUF", little-endian
constexpr std::uint64_t kDefaultAlignment = 32;
constexpr std::uint32_t kMaxDimensions = 4;
// The least that one of them takes: an empty name, and then what the format always stores.
constexpr std::size_t kLeastKeyBytes = 8 + 4 + 1;
constexpr std::size_t kLeastTensorBytes = 8 + 4 + 4 + 8;

/// A tensor and where its data start, from the start of the data section.
struct Entry {
  TensorInfo info;
  std::uint64_t offset = 0;
  std::size_t bytes = 0;
};

[[noreturn]] void refuse(const std::string& file, const std::string& problem) {
  throw Error(ErrorCode::unsupported, file + ": " + problem, file);
}

void check_magic_and_version(Cursor& cursor, const std::string& file) {
  if (cursor.remaining() < 4 || cursor.read<std::uint32_t>("the magic number") != kMagic) {
    throw Error(ErrorCode::corrupt,
                file +
                    " is not a GGUF file (it does not start with \"GGUF\"); give a model in GGUF "
                    "format, or convert a safetensors folder with `lore model convert`",
                file);
  }
  const auto version = cursor.read<std::uint32_t>("the version number");
  if (version == 2 || version == 3) return;
  if (version == 1) {
    refuse(file, "GGUF version 1 is no longer read; convert the model again to version 3");
  }
  if (version != 0 && (version & 0xFFFFU) == 0) {
    refuse(file, "the file is in big-endian byte order; convert it to little-endian");
  }
  refuse(file, "GGUF version " + std::to_string(version) +
                   " is not known (versions 2 and 3 are); use a newer lore or an older file");
}

void read_key(Cursor& cursor, std::size_t index, Metadata& metadata) {
  const std::string label = "key " + std::to_string(index + 1);
  std::string key(cursor.read_string(label));
  const std::string name = "key " + quote(key);
  if (metadata.has(key)) cursor.fail(name + " stands in the file twice");
  Value value = read_value(cursor, name);
  metadata.set(std::move(key), std::move(value));
}

std::uint64_t alignment_of(const Cursor& cursor, const Metadata& metadata) {
  const std::uint64_t alignment =
      metadata.get_unsigned("general.alignment").value_or(kDefaultAlignment);
  const bool power_of_two = alignment != 0 && (alignment & (alignment - 1)) == 0;
  if (!power_of_two || alignment < 8 || alignment > (std::uint64_t{1} << 31)) {
    cursor.fail("key 'general.alignment' is " + std::to_string(alignment) +
                ", not a power of two from 8 on");
  }
  return alignment;
}

/// Bytes of the tensor's data. Refuses sizes of 0, rows that are no whole blocks, and overflow.
std::size_t data_bytes(const Cursor& cursor, const TensorInfo& info, const std::string& label) {
  const BlockShape block = block_shape(info.type);
  if (info.shape[0] % block.values != 0) {
    cursor.fail(label + " has rows of " + std::to_string(info.shape[0]) +
                " values, no multiple of the " + std::to_string(block.values) + " of a " +
                std::string(dtype_name(info.type)) + " block");
  }
  std::size_t bytes = block.bytes;
  const auto multiply = [&](std::size_t factor) {
    if (factor == 0) cursor.fail(label + " has a size of 0");
    if (bytes > std::numeric_limits<std::size_t>::max() / factor) {
      cursor.fail(label + " has sizes whose product overflows");
    }
    bytes *= factor;
  };
  multiply(info.shape[0] / block.values);
  for (std::size_t i = 1; i < info.shape.size(); ++i) multiply(info.shape[i]);
  return bytes;
}

DType read_type(Cursor& cursor, const std::string& label, const std::string& file) {
  const auto number = cursor.read<std::uint32_t>(label);
  if (const auto type = dtype_from_number(number)) return *type;
  const std::string_view name = dtype_name(number);
  refuse(file, label + " has type " +
                   (name.empty() ? "number " + std::to_string(number) : std::string(name)) +
                   ", which this version does not compute with; use a file in another quantization "
                   "(F16, Q8_0, Q4_K_M …)");
}

Entry read_tensor(Cursor& cursor, std::size_t index, const std::string& file) {
  Entry entry;
  entry.info.name = cursor.read_string("the name of tensor " + std::to_string(index + 1));
  const std::string label = "tensor " + quote(entry.info.name);
  const auto dimensions = cursor.read<std::uint32_t>(label);
  if (dimensions > kMaxDimensions) {
    cursor.fail(label + " claims " + std::to_string(dimensions) + " dimensions, over " +
                std::to_string(kMaxDimensions));
  }
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    entry.info.shape.push_back(cursor.read<std::uint64_t>(label));
  }
  if (dimensions == 0) entry.info.shape.push_back(1);  // a scalar
  entry.info.type = read_type(cursor, label, file);
  entry.offset = cursor.read<std::uint64_t>(label);
  entry.bytes = data_bytes(cursor, entry.info, label);
  return entry;
}

/// Points every tensor at its bytes in `data`, the data section.
void place(const Cursor& cursor, std::vector<Entry>& entries, std::span<const std::byte> data,
           std::uint64_t alignment) {
  for (Entry& entry : entries) {
    const std::string label = "the data of tensor " + quote(entry.info.name);
    if (entry.offset % alignment != 0) {
      cursor.fail(label + " start at offset " + std::to_string(entry.offset) +
                  ", no multiple of the alignment " + std::to_string(alignment));
    }
    if (entry.offset > data.size() || entry.bytes > data.size() - entry.offset) {
      cursor.fail(label + " (" + std::to_string(entry.bytes) + " bytes at offset " +
                  std::to_string(entry.offset) + ") reach past the end of the file");
    }
    entry.info.data = data.subspan(static_cast<std::size_t>(entry.offset), entry.bytes);
  }
}

/// Two tensors over the same bytes would let a small file claim any amount of memory.
void check_overlap(const Cursor& cursor, const std::vector<Entry>& entries) {
  std::vector<const Entry*> sorted;
  sorted.reserve(entries.size());
  for (const Entry& entry : entries) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(),
            [](const Entry* a, const Entry* b) { return a->offset < b->offset; });
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i]->offset - sorted[i - 1]->offset < sorted[i - 1]->bytes) {
      cursor.fail("the data of tensors " + quote(sorted[i - 1]->info.name) + " and " +
                  quote(sorted[i]->info.name) + " overlap");
    }
  }
}

void check_names(const Cursor& cursor, const std::vector<Entry>& entries) {
  std::unordered_set<std::string_view> names;
  for (const Entry& entry : entries) {
    if (!names.insert(entry.info.name).second) {
      cursor.fail("tensor " + quote(entry.info.name) + " stands in the file twice");
    }
  }
}

}  // namespace

Header read_header(std::span<const std::byte> bytes, const std::string& file_name) {
  Cursor cursor(bytes, file_name);
  check_magic_and_version(cursor, file_name);
  const std::size_t tensor_count = cursor.read_count(kLeastTensorBytes, "the number of tensors");
  const std::size_t key_count = cursor.read_count(kLeastKeyBytes, "the number of keys");

  Header header{Metadata(file_name), {}};
  for (std::size_t i = 0; i < key_count; ++i) read_key(cursor, i, header.metadata);
  const std::uint64_t alignment = alignment_of(cursor, header.metadata);

  std::vector<Entry> entries;
  for (std::size_t i = 0; i < tensor_count; ++i) {
    entries.push_back(read_tensor(cursor, i, file_name));
  }
  check_names(cursor, entries);
  const std::uint64_t start = (cursor.offset() + alignment - 1) / alignment * alignment;
  const auto data = start < bytes.size() ? bytes.subspan(static_cast<std::size_t>(start))
                                         : std::span<const std::byte>{};
  place(cursor, entries, data, alignment);
  check_overlap(cursor, entries);

  header.tensors.reserve(entries.size());
  for (Entry& entry : entries) header.tensors.push_back(std::move(entry.info));
  return header;
}

}  // namespace lore::engine::gguf
