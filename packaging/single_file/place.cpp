#include "packaging/single_file/place.hpp"

#include <dirent.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cstdio>
#include <cstring>

#include "packaging/single_file/unpack.hpp"

namespace single_file {
namespace {

constexpr const char* kLock = "lock";
constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

bool failed(Text& problem) {
  problem = Text(std::strerror(errno));
  return false;
}

/// Calls `use` with each name in `folder` but "." and "..".
template <typename Use>
void for_each_name(const Descriptor& folder, Use use) {
  DIR* names = ::fdopendir(open_in(folder, ".", kFolder).release());
  if (names == nullptr) return;
  while (const dirent* entry = ::readdir(names)) {
    const std::string_view name(static_cast<const char*>(entry->d_name));
    if (name != "." && name != "..") use(name);
  }
  ::closedir(names);
}

/// A folder and everything in it. What cannot be removed stays.
void remove_tree(const Descriptor& above, const Text& name) {
  if (const Descriptor folder = open_in(above, name.c_str(), kFolder)) {
    for_each_name(folder, [&](std::string_view inside) {
      const Text file(inside);
      if (::unlinkat(folder.get(), file.c_str(), 0) != 0) remove_tree(folder, file);
    });
  }
  ::unlinkat(above.get(), name.c_str(), AT_REMOVEDIR);
}

/// Out of its place at once, then away.
void remove_version(const Descriptor& parent, const Text& name) {
  const Text old = Text(".old-") + name.view();
  remove_tree(parent, old);
  if (::renameat(parent.get(), name.c_str(), parent.get(), old.c_str()) == 0) {
    remove_tree(parent, old);
  }
}

bool lock(const Descriptor& file, int how) {
  int result = 0;
  do {
    result = ::flock(file.get(), how);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

bool same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

Place::Place(std::string_view home, std::string_view name)
    : parent_path_(Text(home) + "/program"), name_(name), folder_(parent_path_ + "/" + name) {}

/// Whether the folder is whole and now held.
bool Place::take() {
  const Descriptor folder(::open(folder_.c_str(), kFolder | O_CLOEXEC));
  struct stat own {};
  // Another user's folder may hold anything.
  if (!folder || ::fstat(folder.get(), &own) != 0 || own.st_uid != ::geteuid()) return false;
  Descriptor held = open_in(folder, kLock, O_RDONLY);
  if (!held || !lock(held, LOCK_SH)) return false;
  struct stat now {};
  if (::lstat(folder_.c_str(), &now) != 0 || !same(own, now) || !is_whole(folder)) return false;
  ::futimens(held.get(), nullptr);  // when it was last used
  // Stays open in the program, above the descriptors that it counts on.
  constexpr int kOutOfTheWay = 100;
  if (::fcntl(held.get(), F_DUPFD, kOutOfTheWay) < 0) ::fcntl(held.release(), F_SETFD, 0);
  return true;
}

bool Place::make_parent(Text& problem) {
  const std::string_view path = parent_path_.view();
  int refusal = 0;  // the first one tells more than what follows from it
  for (std::size_t at = 0; at != std::string_view::npos;) {
    at = path.find('/', at + 1);
    const Text folder(path.substr(0, at));
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST && refusal == 0) refusal = errno;
  }
  parent_ = Descriptor(::open(parent_path_.c_str(), kFolder | O_CLOEXEC));
  if (!parent_) {
    if (refusal != 0) errno = refusal;
    return failed(problem);
  }
  struct stat status {};
  if (::fstat(parent_.get(), &status) != 0) return failed(problem);
  if (status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    problem = Text("it can be written by another user");
    return false;
  }
  return true;
}

bool Place::prepare(Archive& archive, Text& problem) {
  if (!folder_.fits()) {
    problem = Text("its path is too long");
    return false;
  }
  if (take()) return true;
  if (!make_parent(problem)) return false;
  const Descriptor unpacking = open_in(parent_, ".lock", O_RDWR | O_CREAT, 0600);
  if (!unpacking || !lock(unpacking, LOCK_EX)) return failed(problem);
  if (take()) return true;  // another start was first
  remove_leftovers();
  if (!unpack_here(archive, problem)) return false;
  remove_other_versions();
  if (take()) return true;
  problem = Text("what was unpacked is gone again");
  return false;
}

/// What a start that was cut off has left; nobody else unpacks now.
void Place::remove_leftovers() const {
  for_each_name(parent_, [&](std::string_view name) {
    if (name.starts_with(".new-") || name.starts_with(".old-")) remove_tree(parent_, Text(name));
  });
}

bool Place::unpack_here(Archive& archive, Text& problem) {
  remove_version(parent_, name_);  // it was not whole
  const Text fresh = Text(".new-") + name_.view();
  const auto make = [&] {
    if (::mkdirat(parent_.get(), fresh.c_str(), 0700) != 0) return failed(problem);
    const Descriptor folder = open_in(parent_, fresh.c_str(), kFolder);
    if (!folder || !open_in(folder, kLock, O_RDWR | O_CREAT, 0600)) return failed(problem);
    if (!unpack(archive, folder, folder_.view(), problem)) return false;
    // On the disk before it has its name.
    if (::syncfs(folder.get()) != 0) return failed(problem);
    if (::renameat(parent_.get(), fresh.c_str(), parent_.get(), name_.c_str()) != 0) {
      return failed(problem);
    }
    ::fsync(parent_.get());
    return true;
  };
  if (make()) return true;
  remove_tree(parent_, fresh);
  return false;
}

/// All but those that run and the one that was used last, to which a person may go back.
void Place::remove_other_versions() const {
  Text last;
  struct timespec newest {};
  const auto for_each_version = [&](auto use) {
    for_each_name(parent_, [&](std::string_view name) {
      if (!name.starts_with('.') && name != name_.view()) use(Text(name));
    });
  };
  for_each_version([&](const Text& name) {
    struct stat status {};
    const Text file = name + "/" + kLock;
    if (::fstatat(parent_.get(), file.c_str(), &status, 0) != 0) return;
    const timespec& used = status.st_mtim;
    if (used.tv_sec > newest.tv_sec ||
        (used.tv_sec == newest.tv_sec && used.tv_nsec > newest.tv_nsec)) {
      newest = used;
      last = name;
    }
  });
  for_each_version([&](const Text& name) {
    if (name.view() == last.view()) return;
    const Descriptor held = open_in(parent_, (name + "/" + kLock).c_str(), O_RDWR);
    if (held && !lock(held, LOCK_EX | LOCK_NB)) return;  // it runs
    remove_version(parent_, name);
  });
}

}  // namespace single_file
