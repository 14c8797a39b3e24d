// What was installed together with this program, and is found beside it wherever both were put.
#pragma once

#include <string>

#include "lore/options.hpp"

namespace lore::cli {

struct Installation {
  ReaderFiles reader_files;  ///< those of the single file, else the system's
  /// The command that fetches models by name, as a person here would type it.
  std::string get_models;
};

/// Looks beside the file of this program (FOLDER/bin/lore): FOLDER/share/poppler,
/// FOLDER/lib/ossl-modules, FOLDER/share/lore.
Installation find_installation();

}  // namespace lore::cli
