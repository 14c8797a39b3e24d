#include "engine/gguf/gguf_file.hpp"

#include <unordered_map>
#include <utility>

#include "engine/gguf/header.hpp"
#include "engine/gguf/mapped_file.hpp"
#include "engine/gguf/quote.hpp"
#include "lore/error.hpp"

namespace lore::engine::gguf {
namespace {

constexpr std::string_view kSplitCount = "split.count";
constexpr std::string_view kSplitNumber = "split.no";
constexpr std::string_view kSplitTensors = "split.tensors.count";

/// What ends the name of part `number` (from 1) of `count`.
std::string part_suffix(std::uint64_t number, std::uint64_t count) {
  const auto five_digits = [](std::uint64_t value) {
    std::string digits = std::to_string(value);
    return std::string(digits.size() < 5 ? 5 - digits.size() : 0, '0') + digits;
  };
  std::string suffix = "-";
  return suffix.append(five_digits(number)).append("-of-").append(five_digits(count)) + ".gguf";
}

[[noreturn]] void fail(ErrorCode code, const std::filesystem::path& path, std::string problem) {
  throw Error(code, path.string() + ": " + std::move(problem), path.string());
}

/// The name that all parts share, of the first part's path.
std::string split_stem(const std::filesystem::path& first, std::uint64_t count) {
  const std::string name = first.string();
  const std::string suffix = part_suffix(1, count);
  if (name.size() <= suffix.size() || !name.ends_with(suffix)) {
    fail(ErrorCode::invalid_argument, first,
         "this is the first part of a model in " + std::to_string(count) +
             " files, whose name must end in " + suffix + "; give the parts their names back");
  }
  return name.substr(0, name.size() - suffix.size());
}

void check_part(const std::filesystem::path& path, const Metadata& metadata, std::uint64_t number,
                std::uint64_t count) {
  if (metadata.get_unsigned(kSplitCount).value_or(1) != count ||
      metadata.get_unsigned(kSplitNumber).value_or(0) != number) {
    fail(ErrorCode::corrupt, path,
         "keys 'split.count' and 'split.no' do not say that this is part " +
             std::to_string(number + 1) + " of " + std::to_string(count) +
             "; get all parts of the model again");
  }
}

}  // namespace

std::size_t TensorInfo::rows() const {
  std::size_t result = 1;
  for (std::size_t i = 1; i < shape.size(); ++i) result *= shape[i];
  return result;
}

struct GgufFile::State {
  std::vector<std::filesystem::path> paths;
  std::vector<MappedFile> files;
  std::vector<std::size_t> file_of;  // of each tensor
  Metadata metadata;
  std::vector<TensorInfo> tensors;
  std::unordered_map<std::string_view, std::size_t> by_name;  // views of names in `tensors`
  std::uint64_t bytes = 0;

  Metadata add_file(const std::filesystem::path& file) {
    MappedFile& mapped = files.emplace_back(file);
    paths.push_back(file);
    Header header = read_header(mapped.bytes(), file.string());
    bytes += mapped.bytes().size();
    for (TensorInfo& tensor : header.tensors) {
      tensors.push_back(std::move(tensor));
      file_of.push_back(files.size() - 1);
    }
    return std::move(header.metadata);
  }

  void add_other_parts() {
    const std::uint64_t count = metadata.get_unsigned(kSplitCount).value_or(1);
    if (count <= 1) return;
    const std::filesystem::path path = paths[0];
    const std::uint64_t number = metadata.get_unsigned(kSplitNumber).value_or(0);
    if (number != 0) {
      fail(ErrorCode::invalid_argument, path,
           "this is part " + std::to_string(number + 1) + " of a model in " +
               std::to_string(count) + " files; give the one whose name ends in " +
               part_suffix(1, count));
    }
    const std::string stem = split_stem(path, count);
    for (std::uint64_t i = 1; i < count; ++i) {
      const std::filesystem::path part = stem + part_suffix(i + 1, count);
      check_part(part, add_file(part), i, count);
    }
    const auto promised = metadata.get_unsigned(kSplitTensors);
    if (promised && *promised != tensors.size()) {
      fail(ErrorCode::corrupt, path,
           "key 'split.tensors.count' promises " + std::to_string(*promised) +
               " tensors, the files hold " + std::to_string(tensors.size()) +
               "; get all parts of the model again");
    }
  }

  void index_names() {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (!by_name.emplace(tensors[i].name, i).second) {
        fail(ErrorCode::corrupt, paths[0],
             "tensor " + quote(tensors[i].name) + " stands in two parts of the model");
      }
    }
  }
};

GgufFile GgufFile::open(const std::filesystem::path& path) {
  auto state = std::make_unique<State>();
  state->metadata = state->add_file(path);
  state->add_other_parts();
  state->index_names();
  return GgufFile(std::move(state));
}

GgufFile::GgufFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
GgufFile::GgufFile(GgufFile&&) noexcept = default;
GgufFile& GgufFile::operator=(GgufFile&&) noexcept = default;
GgufFile::~GgufFile() = default;

std::span<const std::filesystem::path> GgufFile::paths() const { return state_->paths; }
const Metadata& GgufFile::metadata() const { return state_->metadata; }
std::span<const TensorInfo> GgufFile::tensors() const { return state_->tensors; }
std::uint64_t GgufFile::size_bytes() const { return state_->bytes; }

const TensorInfo* GgufFile::find(std::string_view name) const {
  const auto found = state_->by_name.find(name);
  return found == state_->by_name.end() ? nullptr : &state_->tensors[found->second];
}

const TensorInfo& GgufFile::require(std::string_view name) const {
  const TensorInfo* tensor = find(name);
  if (tensor == nullptr) {
    fail(ErrorCode::corrupt, path(),
         "tensor " + quote(name) + " is missing; the file is not a complete model of its kind");
  }
  return *tensor;
}

void GgufFile::release(const TensorInfo& tensor) const {
  const auto found = state_->by_name.find(tensor.name);
  if (found != state_->by_name.end()) {
    state_->files[state_->file_of[found->second]].release(tensor.data);
  }
}

}  // namespace lore::engine::gguf
