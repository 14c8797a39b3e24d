// What programs asked of a disk, in order, and what may be left of it after a power cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace lore::index::test {

/// The files of one folder, as recorded. Names are without their folder.
class DiskRecord {
 public:
  void create(const std::string& name) { add({Kind::create, name, "", 0, {}}); }
  void write(const std::string& name, std::uint64_t offset, std::span<const std::byte> bytes);
  void truncate(const std::string& name, std::uint64_t size) {
    add({Kind::truncate, name, "", size, {}});
  }
  void sync(const std::string& name) { add({Kind::sync, name, "", 0, {}}); }
  void rename(const std::string& from, const std::string& to) {
    add({Kind::rename, from, to, 0, {}});
  }
  void remove(const std::string& name) { add({Kind::remove, name, "", 0, {}}); }
  void sync_folder() { add({Kind::sync_folder, "", "", 0, {}}); }
  /// The program has been told that one more of its steps is done.
  void mark() { add({Kind::mark, "", "", 0, {}}); }

  std::size_t size() const { return events_.size(); }
  /// Steps done before event `cut`.
  std::size_t marks_before(std::size_t cut) const;

  enum class Loss {
    nothing,   ///< all that was asked for reached the disk: what a killed process leaves
    unsynced,  ///< nothing did but what was synced
    some,      ///< any part of the rest did, writes in pieces of 512 bytes
  };
  using Files = std::map<std::string, std::string>;
  /// The files after the power went before event `cut`. Names change in order (a journalling file
  /// system), data of files in any.
  Files after_cut(std::size_t cut, Loss loss, std::mt19937_64& random) const;

 private:
  enum class Kind { create, write, truncate, sync, rename, remove, sync_folder, mark };
  struct Event {
    Kind kind;
    std::string name;
    std::string to;
    std::uint64_t offset;  // or size
    std::string bytes;
  };
  void add(Event event) { events_.push_back(std::move(event)); }

  std::vector<Event> events_;
};

}  // namespace lore::index::test
