#include "engine/gguf/writer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/file.hpp"
#include "lore/error.hpp"

namespace lore::engine::gguf {
namespace {

constexpr std::size_t kAlignment = 32;
constexpr std::uint32_t kVersion = 3;

/// The numbers of the value types in the file.
enum class WireType : std::uint32_t {
  uint32 = 4,
  int32 = 5,
  float32 = 6,
  boolean = 7,
  string = 8,
  array = 9,
  uint64 = 10,
  int64 = 11,
  float64 = 12,
};

std::size_t aligned(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

/// Builds the header, little-endian whatever the machine.
class Encoder {
 public:
  template <typename Integer>
  void integer(Integer value) {
    using Unsigned = std::make_unsigned_t<Integer>;
    auto rest = static_cast<Unsigned>(value);
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
      bytes_.push_back(static_cast<char>(static_cast<unsigned char>(rest & 0xFFU)));
      rest = static_cast<Unsigned>(rest >> 7U >> 1U);  // in two steps: a byte has no bit 8
    }
  }

  void type(WireType value) { integer(static_cast<std::uint32_t>(value)); }

  void float32(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    integer(bits);
  }

  void float64(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    integer(bits);
  }

  void boolean(bool value) { integer(static_cast<std::uint8_t>(value ? 1 : 0)); }

  void string(std::string_view text) {
    integer(static_cast<std::uint64_t>(text.size()));
    bytes_.append(text);
  }

  void value(const Value& value);
  void array(const Array& array);
  void pad() { bytes_.resize(aligned(bytes_.size()), '\0'); }

  const std::string& bytes() const { return bytes_; }

 private:
  void items(const std::vector<std::uint64_t>& values);
  void items(const std::vector<std::int64_t>& values);
  void items(const std::vector<float>& values);
  void items(const std::vector<double>& values);
  void items(const std::vector<bool>& values);
  void items(const std::vector<std::string>& values);
  void items(const std::vector<Array>& values);
  void array_head(WireType type, std::size_t size) {
    this->type(type);
    integer(static_cast<std::uint64_t>(size));
  }

  std::string bytes_;
};

bool fits_uint32(std::uint64_t value) { return value <= std::numeric_limits<std::uint32_t>::max(); }

bool fits_int32(std::int64_t value) {
  return value >= std::numeric_limits<std::int32_t>::min() &&
         value <= std::numeric_limits<std::int32_t>::max();
}

void Encoder::items(const std::vector<std::uint64_t>& values) {
  const bool narrow = std::all_of(values.begin(), values.end(), fits_uint32);
  array_head(narrow ? WireType::uint32 : WireType::uint64, values.size());
  for (const std::uint64_t value : values) {
    if (narrow) {
      integer(static_cast<std::uint32_t>(value));
    } else {
      integer(value);
    }
  }
}

void Encoder::items(const std::vector<std::int64_t>& values) {
  const bool narrow = std::all_of(values.begin(), values.end(), fits_int32);
  array_head(narrow ? WireType::int32 : WireType::int64, values.size());
  for (const std::int64_t value : values) {
    if (narrow) {
      integer(static_cast<std::int32_t>(value));
    } else {
      integer(value);
    }
  }
}

void Encoder::items(const std::vector<float>& values) {
  array_head(WireType::float32, values.size());
  for (const float value : values) float32(value);
}

void Encoder::items(const std::vector<double>& values) {
  array_head(WireType::float64, values.size());
  for (const double value : values) float64(value);
}

void Encoder::items(const std::vector<bool>& values) {
  array_head(WireType::boolean, values.size());
  for (const bool value : values) boolean(value);
}

void Encoder::items(const std::vector<std::string>& values) {
  array_head(WireType::string, values.size());
  for (const std::string& value : values) string(value);
}

void Encoder::items(const std::vector<Array>& values) {
  array_head(WireType::array, values.size());
  for (const Array& value : values) array(value);
}

void Encoder::array(const Array& array) {
  std::visit([this](const auto& values) { items(values); }, array.items);
}

void Encoder::value(const Value& value) {
  if (const auto* number = std::get_if<std::uint64_t>(&value)) {
    const bool narrow = fits_uint32(*number);
    type(narrow ? WireType::uint32 : WireType::uint64);
    narrow ? integer(static_cast<std::uint32_t>(*number)) : integer(*number);
  } else if (const auto* signed_number = std::get_if<std::int64_t>(&value)) {
    const bool narrow = fits_int32(*signed_number);
    type(narrow ? WireType::int32 : WireType::int64);
    narrow ? integer(static_cast<std::int32_t>(*signed_number)) : integer(*signed_number);
  } else if (const auto* real = std::get_if<double>(&value)) {
    type(WireType::float32);
    float32(static_cast<float>(*real));
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    type(WireType::boolean);
    boolean(*flag);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    type(WireType::string);
    string(*text);
  } else {
    type(WireType::array);
    array(std::get<Array>(value));
  }
}

/// A temporary file beside the target that disappears unless it is published.
class Output {
 public:
  explicit Output(const std::filesystem::path& target)
      : target_(target), temporary_(target.string() + ".XXXXXX") {
    file_ = FileDescriptor(::mkostemp(temporary_.data(), O_CLOEXEC));
    if (!file_) throw system_error("create", target_, errno, true);
  }
  ~Output() {
    if (!published_) ::unlink(temporary_.c_str());
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void write(const void* bytes, std::size_t size) {
    const char* next = static_cast<const char*>(bytes);
    while (size > 0) {
      const ssize_t written = ::write(file_.get(), next, size);
      if (written < 0) {
        if (errno == EINTR) continue;
        throw system_error("write", target_, errno, true);
      }
      next += written;
      size -= static_cast<std::size_t>(written);
    }
  }

  void publish() {
    if (::fchmod(file_.get(), 0644) != 0 || ::fsync(file_.get()) != 0) {
      throw system_error("write", target_, errno, true);
    }
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
      throw system_error("rename to", target_, errno, true);
    }
    published_ = true;
    sync_folder(target_.parent_path());
  }

 private:
  std::filesystem::path target_;
  std::string temporary_;
  FileDescriptor file_;
  bool published_ = false;
};

/// Bytes of a tensor, or nothing where shape and type do not go together.
std::size_t tensor_bytes(DType type, const std::vector<std::size_t>& shape) {
  if (shape.empty() || shape.size() > 4 || shape[0] % block_shape(type).values != 0) return 0;
  std::size_t bytes = row_bytes(type, shape[0]);
  for (std::size_t i = 1; i < shape.size(); ++i) bytes *= shape[i];
  return bytes;
}

}  // namespace

void Writer::set(std::string key, Value value) {
  if (key == "general.alignment") {
    throw Error(ErrorCode::invalid_argument, "general.alignment cannot be set: it is always 32",
                key);
  }
  const auto known = std::find_if(values_.begin(), values_.end(),
                                  [&key](const auto& pair) { return pair.first == key; });
  if (known != values_.end()) {
    known->second = std::move(value);
  } else {
    values_.emplace_back(std::move(key), std::move(value));
  }
}

void Writer::add_tensor(std::string name, DType type, std::vector<std::size_t> shape,
                        std::span<const std::byte> data) {
  const std::size_t expected = tensor_bytes(type, shape);
  if (expected == 0 || expected != data.size()) {
    throw Error(ErrorCode::invalid_argument,
                "tensor " + name + " cannot be written: its shape asks for " +
                    std::to_string(expected) + " bytes of " + std::string(dtype_name(type)) +
                    ", and " + std::to_string(data.size()) + " were given",
                name);
  }
  const bool known = std::any_of(tensors_.begin(), tensors_.end(),
                                 [&name](const Tensor& tensor) { return tensor.name == name; });
  if (known) {
    throw Error(ErrorCode::invalid_argument, "tensor " + name + " was given twice", name);
  }
  tensors_.push_back(Tensor{std::move(name), type, std::move(shape),
                            std::vector<std::byte>(data.begin(), data.end())});
}

void Writer::write(const std::filesystem::path& path) const {
  Encoder header;
  header.integer(std::uint32_t{0x46554747});  // "GGUF"
  header.integer(kVersion);
  header.integer(static_cast<std::uint64_t>(tensors_.size()));
  header.integer(static_cast<std::uint64_t>(values_.size()));
  for (const auto& [key, value] : values_) {
    header.string(key);
    header.value(value);
  }
  std::size_t offset = 0;
  for (const Tensor& tensor : tensors_) {
    header.string(tensor.name);
    header.integer(static_cast<std::uint32_t>(tensor.shape.size()));
    for (const std::size_t size : tensor.shape) header.integer(static_cast<std::uint64_t>(size));
    header.integer(static_cast<std::uint32_t>(tensor.type));
    header.integer(static_cast<std::uint64_t>(offset));
    offset += aligned(tensor.data.size());
  }
  header.pad();

  constexpr std::array<char, kAlignment> kPadding{};
  Output output(path);
  output.write(header.bytes().data(), header.bytes().size());
  for (const Tensor& tensor : tensors_) {
    output.write(tensor.data.data(), tensor.data.size());
    output.write(kPadding.data(), aligned(tensor.data.size()) - tensor.data.size());
  }
  output.publish();
}

}  // namespace lore::engine::gguf
