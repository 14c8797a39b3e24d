#include "tests/index/power/disk_record.hpp"

#include <algorithm>

namespace lore::index::test {
namespace {

// A change to the content of a file.
struct Change {
  bool truncates = false;
  std::uint64_t offset = 0;  // or size
  const std::string* bytes = nullptr;
  bool durable = false;
};

// A change to the names of the folder.
struct Naming {
  std::string from;  // "" where a file is made
  std::string to;    // "" where a name is removed
  std::size_t file = 0;
};

void apply(std::string& content, const Change& change, std::size_t begin, std::size_t end) {
  if (change.truncates) {
    content.resize(static_cast<std::size_t>(change.offset), '\0');
    return;
  }
  const auto at = static_cast<std::size_t>(change.offset);
  if (content.size() < at + end) content.resize(at + end, '\0');
  content.replace(at + begin, end - begin, *change.bytes, begin, end - begin);
}

std::string content_of(const std::vector<Change>& changes, DiskRecord::Loss loss,
                       std::mt19937_64& random) {
  std::string content;
  for (const Change& change : changes) {
    const std::size_t size = change.bytes == nullptr ? 0 : change.bytes->size();
    if (change.durable || loss == DiskRecord::Loss::nothing) {
      apply(content, change, 0, size);
    } else if (loss == DiskRecord::Loss::some) {
      if (random() % 3 == 0) continue;
      std::size_t begin = 0;
      std::size_t end = size;
      constexpr std::size_t kSector = 512;
      if (size > kSector && random() % 3 == 0) {
        begin = random() % (size / kSector) * kSector;
        end = std::min(size, begin + (1 + random() % (size / kSector)) * kSector);
      }
      apply(content, change, begin, end);
    }
  }
  return content;
}

}  // namespace

void DiskRecord::write(const std::string& name, std::uint64_t offset,
                       std::span<const std::byte> bytes) {
  add({Kind::write, name, "", offset,
       std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())});
}

std::size_t DiskRecord::marks_before(std::size_t cut) const {
  return static_cast<std::size_t>(
      std::count_if(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(cut),
                    [](const Event& event) { return event.kind == Kind::mark; }));
}

DiskRecord::Files DiskRecord::after_cut(std::size_t cut, Loss loss, std::mt19937_64& random) const {
  std::vector<std::vector<Change>> files;
  std::map<std::string, std::size_t> names;  // as the program sees them
  std::vector<Naming> namings;
  std::size_t durable_namings = 0;
  for (std::size_t i = 0; i < cut; ++i) {
    const Event& event = events_[i];
    switch (event.kind) {
      case Kind::create:
        files.emplace_back();
        names[event.name] = files.size() - 1;
        namings.push_back({"", event.name, files.size() - 1});
        break;
      case Kind::write:
        files[names.at(event.name)].push_back({false, event.offset, &event.bytes, false});
        break;
      case Kind::truncate:
        files[names.at(event.name)].push_back({true, event.offset, nullptr, false});
        break;
      case Kind::sync:
        for (Change& change : files[names.at(event.name)]) change.durable = true;
        break;
      case Kind::rename:
        namings.push_back({event.name, event.to, names.at(event.name)});
        names[event.to] = names.at(event.name);
        names.erase(event.name);
        break;
      case Kind::remove:
        namings.push_back({event.name, "", 0});
        names.erase(event.name);
        break;
      case Kind::sync_folder:
        durable_namings = namings.size();
        break;
      case Kind::mark:
        break;
    }
  }
  std::size_t kept = namings.size();
  if (loss == Loss::unsynced) kept = durable_namings;
  if (loss == Loss::some)
    kept = durable_namings + random() % (namings.size() - durable_namings + 1);
  std::map<std::string, std::size_t> left;
  for (std::size_t i = 0; i < kept; ++i) {
    if (!namings[i].from.empty()) left.erase(namings[i].from);
    if (!namings[i].to.empty()) left[namings[i].to] = namings[i].file;
  }
  Files result;
  for (const auto& [name, file] : left) result[name] = content_of(files[file], loss, random);
  return result;
}

}  // namespace lore::index::test
