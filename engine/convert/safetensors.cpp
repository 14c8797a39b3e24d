#include "engine/convert/safetensors.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <limits>
#include <optional>
#include <set>

#include "engine/convert/json_file.hpp"
#include "engine/quant/half.hpp"
#include "lore/error.hpp"

namespace lore::engine::convert {
namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kLargestHeader = 100'000'000;  // the limit of the reference reader
constexpr std::size_t kMostDimensions = 8;

struct TypeSize {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr std::array kTypes = {TypeSize{"BOOL", 1},    TypeSize{"U8", 1},      TypeSize{"I8", 1},
                               TypeSize{"F8_E5M2", 1}, TypeSize{"F8_E4M3", 1}, TypeSize{"I16", 2},
                               TypeSize{"U16", 2},     TypeSize{"F16", 2},     TypeSize{"BF16", 2},
                               TypeSize{"I32", 4},     TypeSize{"U32", 4},     TypeSize{"F32", 4},
                               TypeSize{"F64", 8},     TypeSize{"I64", 8},     TypeSize{"U64", 8}};

std::optional<std::uint64_t> type_bytes(std::string_view name) {
  for (const TypeSize& type : kTypes) {
    if (type.name == name) return type.bytes;
  }
  return std::nullopt;
}

/// Bytes that shape and type ask for; nothing where that overflows.
std::optional<std::uint64_t> wanted_bytes(const SafeTensor& tensor, std::uint64_t value_bytes) {
  std::uint64_t bytes = value_bytes;
  for (const std::size_t size : tensor.shape) {
    if (size != 0 && bytes > std::numeric_limits<std::uint64_t>::max() / size) return std::nullopt;
    bytes *= size;
  }
  return bytes;
}

std::uint64_t little_endian(const unsigned char* bytes, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
  return value;
}

/// A cast of what a float cannot hold would be undefined.
float narrowed(double value) {
  constexpr double kMost = std::numeric_limits<float>::max();
  if (value > kMost) return std::numeric_limits<float>::infinity();
  if (value < -kMost) return -std::numeric_limits<float>::infinity();
  return static_cast<float>(value);
}

using ReadValue = float (*)(const unsigned char* bytes);

/// How a value of that type is read; null for types that hold no floating-point numbers.
ReadValue value_reader(std::string_view dtype) {
  if (dtype == "F32") {
    return [](const unsigned char* bytes) {
      return std::bit_cast<float>(static_cast<std::uint32_t>(little_endian(bytes, 4)));
    };
  }
  if (dtype == "BF16") {
    return [](const unsigned char* bytes) {
      return bf16_to_f32(static_cast<std::uint16_t>(little_endian(bytes, 2)));
    };
  }
  if (dtype == "F16") {
    return [](const unsigned char* bytes) {
      return f16_to_f32(static_cast<std::uint16_t>(little_endian(bytes, 2)));
    };
  }
  if (dtype == "F64") {
    return [](const unsigned char* bytes) {
      return narrowed(std::bit_cast<double>(little_endian(bytes, 8)));
    };
  }
  return nullptr;
}

/// A header entry's sizes or offsets: whole numbers, nothing else.
std::optional<std::vector<std::uint64_t>> whole_numbers(const nlohmann::json& entry,
                                                        const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_array()) return std::nullopt;
  std::vector<std::uint64_t> numbers;
  for (const nlohmann::json& item : *found) {
    if (!item.is_number_unsigned()) return std::nullopt;
    numbers.push_back(item.get<std::uint64_t>());
  }
  return numbers;
}

}  // namespace

SafetensorsFile::SafetensorsFile(std::filesystem::path path) : path_(std::move(path)) {
  require_regular_file(path_);
  file_ = FileDescriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file_) throw system_error("open", path_, errno);
  read_header();
}

void SafetensorsFile::fail(const std::string& what, const std::string& tensor) const {
  throw Error(ErrorCode::corrupt,
              path_.string() + (tensor.empty() ? ": " : ": tensor " + tensor + " ") + what +
                  "; the file is damaged, get it again",
              tensor.empty() ? path_.string() : tensor);
}

void SafetensorsFile::read_at(std::uint64_t offset, void* bytes, std::size_t size) const {
  char* next = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t got = ::pread(file_.get(), next, size, static_cast<off_t>(offset));
    if (got < 0) {
      if (errno == EINTR) continue;
      throw system_error("read", path_, errno);
    }
    if (got == 0) fail("ends before its header says");
    next += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::size_t>(got);
  }
}

void SafetensorsFile::read_header() {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) throw system_error("read", path_, errno);
  const auto file_size = static_cast<std::uint64_t>(status.st_size);
  if (file_size < kLengthBytes) fail("is too short for a safetensors file");
  std::array<unsigned char, kLengthBytes> length_bytes{};
  read_at(0, length_bytes.data(), length_bytes.size());
  const std::uint64_t length = little_endian(length_bytes.data(), kLengthBytes);
  if (length > kLargestHeader || length > file_size - kLengthBytes) {
    fail("says that its header has " + std::to_string(length) + " bytes, more than there are");
  }
  std::string text(static_cast<std::size_t>(length), '\0');
  read_at(kLengthBytes, text.data(), text.size());
  const nlohmann::json header = parse_json(text, path_, true);
  if (!header.is_object()) fail("has a header that is no JSON object");

  const std::uint64_t data_begin = kLengthBytes + length;
  const std::uint64_t data_size = file_size - data_begin;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") continue;
    SafeTensor tensor;
    tensor.name = name;
    const auto shape = whole_numbers(entry, "shape");
    const auto offsets = whole_numbers(entry, "data_offsets");
    const auto dtype = entry.find("dtype");
    if (!shape || shape->size() > kMostDimensions) fail("has no usable shape", name);
    if (!offsets || offsets->size() != 2) fail("has no usable data_offsets", name);
    if (dtype == entry.end() || !dtype->is_string()) fail("has no dtype", name);
    tensor.dtype = dtype->get<std::string>();
    tensor.shape.assign(shape->begin(), shape->end());
    if ((*offsets)[0] > (*offsets)[1] || (*offsets)[1] > data_size) {
      fail("lies outside the file", name);
    }
    const auto value_bytes = type_bytes(tensor.dtype);
    if (!value_bytes) fail("has the unknown dtype " + tensor.dtype, name);
    if (wanted_bytes(tensor, *value_bytes) != (*offsets)[1] - (*offsets)[0]) {
      fail("has another number of bytes than its shape and dtype ask for", name);
    }
    tensor.begin = data_begin + (*offsets)[0];
    tensor.end = data_begin + (*offsets)[1];
    tensors_.push_back(std::move(tensor));
  }
  std::sort(tensors_.begin(), tensors_.end(), [](const SafeTensor& a, const SafeTensor& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  check_layout(data_begin, file_size);
}

void SafetensorsFile::check_layout(std::uint64_t data_begin, std::uint64_t file_size) const {
  std::uint64_t expected = data_begin;
  for (const SafeTensor& tensor : tensors_) {
    if (tensor.begin < expected) fail("overlaps another tensor", tensor.name);
    if (tensor.begin > expected) fail("starts after bytes that belong to no tensor", tensor.name);
    expected = tensor.end;
  }
  if (expected != file_size) fail("has bytes at its end that belong to no tensor");
}

std::vector<float> SafetensorsFile::read_floats(const SafeTensor& tensor) const {
  const ReadValue read_value = value_reader(tensor.dtype);
  if (read_value == nullptr) {
    throw Error(ErrorCode::unsupported,
                path_.string() + ": tensor " + tensor.name + " has values of type " + tensor.dtype +
                    "; F32, F16, BF16 and F64 can be converted",
                tensor.name);
  }
  const auto value_bytes = static_cast<std::size_t>(*type_bytes(tensor.dtype));
  std::vector<unsigned char> bytes(static_cast<std::size_t>(tensor.end - tensor.begin));
  read_at(tensor.begin, bytes.data(), bytes.size());
  std::vector<float> values(bytes.size() / value_bytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = read_value(bytes.data() + i * value_bytes);
  }
  return values;
}

std::vector<SafetensorsFile> open_weights(const std::filesystem::path& folder) {
  const std::filesystem::path single = folder / "model.safetensors";
  const std::filesystem::path index_path = folder / "model.safetensors.index.json";
  std::vector<SafetensorsFile> files;
  if (is_there(single)) {
    files.emplace_back(single);
    return files;
  }
  if (!is_there(index_path)) {
    throw Error(ErrorCode::not_found,
                "there is no model.safetensors in " + folder.string() +
                    "; give the folder of a model in safetensors form",
                folder.string());
  }
  const JsonFile index(index_path);
  if (!index.has("weight_map") || !index.value().at("weight_map").is_object()) {
    index.fail("weight_map", "is missing");
  }
  std::set<std::string> names;
  for (const auto& [tensor, file] : index.value().at("weight_map").items()) {
    if (!file.is_string()) index.fail(tensor, "does not name a file");
    const std::string name = file.get<std::string>();
    if (name.empty() || name == ".." || name.find('/') != std::string::npos) {
      index.fail(tensor, "names a file outside the folder");
    }
    names.insert(name);
  }
  for (const std::string& name : names) files.emplace_back(folder / name);
  return files;
}

}  // namespace lore::engine::convert
