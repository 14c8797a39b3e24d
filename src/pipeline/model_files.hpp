// From what a person calls a model to its file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lore::pipeline {

/// The names of the models in a folder, sorted ("minilm" for minilm.gguf; the first part stands for
/// a split file).
std::vector<std::string> model_names(const std::filesystem::path& folder);

/// The file of a name in `folder`, or of a path; nothing where there is none.
std::optional<std::filesystem::path> find_model(std::string_view name_or_path,
                                                const std::filesystem::path& folder);

/// The name of the default generator, or of the small one where only that is in `folder`.
std::optional<std::string> default_generator(const std::filesystem::path& folder);

/// As find_model. Throws Error{not_found} that lists what is there and says how to get the model:
/// by the command `get_models`.
std::filesystem::path require_model(std::string_view name_or_path,
                                    const std::filesystem::path& folder,
                                    std::string_view get_models);

}  // namespace lore::pipeline
