// Where the archive is unpacked, once for each user, and how two starts at the same time share it.
//
//   HOME/program/.lock      held by who unpacks or removes
//   HOME/program/NAME/      whole from the moment it has this name; NAME/lock is held, shared, by
//                           whoever runs the program in it
//   HOME/program/.new-…     what is being unpacked, or was when a machine stopped
//   HOME/program/.old-…     what is being removed
#pragma once

#include <string_view>

#include "packaging/single_file/archive.hpp"
#include "packaging/single_file/descriptor.hpp"
#include "packaging/single_file/text.hpp"

namespace single_file {

class Place {
 public:
  /// `home`: an absolute path; it and the folder above it are made where they are missing.
  Place(std::string_view home, std::string_view name);

  /// The folder where the program is whole, unpacked now if it was not yet; it stays there as long
  /// as this process, and what it executes, run. False with the reason where that cannot be.
  bool prepare(Archive& archive, Text& problem);

  const Text& folder() const { return folder_; }

 private:
  bool take();
  bool make_parent(Text& problem);
  bool unpack_here(Archive& archive, Text& problem);
  void remove_leftovers() const;
  void remove_other_versions() const;

  Text parent_path_, name_, folder_;
  Descriptor parent_;
};

}  // namespace single_file
