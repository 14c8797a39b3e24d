#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/file.hpp"
#include "base/glob.hpp"
#include "ingest/ingest.hpp"
#include "ingest/walk/ignore_file.hpp"
#include "ingest/walk/kinds.hpp"
#include "lore/error.hpp"

namespace lore::ingest {
namespace fs = std::filesystem;
namespace {

constexpr const char* kIgnoreName = ".loreignore";

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

// A file on its device, whatever its names.
using Identity = std::pair<dev_t, ino_t>;

Identity identity_of(const struct stat& status) { return {status.st_dev, status.st_ino}; }

std::vector<Glob> globs(const std::vector<std::string>& patterns) {
  std::vector<Glob> result;
  for (const std::string& pattern : patterns) {
    std::string_view text = pattern;
    if (text.substr(0, 2) == "./") text.remove_prefix(2);
    if (text.find_first_not_of('/') == std::string_view::npos) {
      throw Error(ErrorCode::invalid_argument, "\"" + pattern + "\" is no glob", pattern);
    }
    result.emplace_back(text, Glob::Case::ignore);
  }
  return result;
}

bool any_matches(const std::vector<Glob>& list, const std::string& path, bool is_folder) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Glob& glob) { return glob.matches(path, is_folder); });
}

class Walker {
 public:
  explicit Walker(const WalkOptions& options)
      : include_(globs(options.include)), exclude_(globs(options.exclude)) {
    struct stat status {};
    if (!options.skip.empty() && ::stat(options.skip.c_str(), &status) == 0) {
      skip_ = identity_of(status);
      has_skip_ = true;
    }
  }

  void take_root(const fs::path& root) {
    fs::path path = fs::absolute(root).lexically_normal();
    if (!path.has_filename() && path.has_relative_path()) path = path.parent_path();
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
      if (errno == ENOENT || errno == ENOTDIR) {
        throw Error(ErrorCode::not_found,
                    root.string() + " does not exist; name a file or folder that does",
                    root.string());
      }
      fail(system_failure(path, errno));
    } else if (S_ISDIR(status.st_mode)) {
      enter(path, "", status);
    } else if (S_ISREG(status.st_mode)) {
      const std::string name = path.filename().string();
      if (wanted(name)) add(path, status);
    } else {
      fail({path, "is neither a file nor a folder; name one that is", "unsupported", 0});
    }
  }

  WalkResult finish() {
    take_links();
    WalkResult result;
    const auto by_path = [](const auto& a, const auto& b) {
      return a.path.native() < b.path.native();
    };
    std::sort(files_.begin(), files_.end(), by_path);
    const auto same_path = [](const FileEntry& a, const FileEntry& b) { return a.path == b.path; };
    files_.erase(std::unique(files_.begin(), files_.end(), same_path), files_.end());
    std::sort(failures_.begin(), failures_.end(), by_path);
    result.files = std::move(files_);
    result.failures = std::move(failures_);
    result.unsupported = left_out_.size();
    return result;
  }

 private:
  // The rules of one folder on the way down; `prefix` is that folder, relative to the root.
  struct Scope {
    std::string prefix;
    IgnoreRules rules;
  };

  struct Link {
    fs::path path;
    struct stat target;
  };

  void enter(const fs::path& path, const std::string& relative, const struct stat& status) {
    if (has_skip_ && identity_of(status) == skip_) return;
    const std::size_t scopes = scopes_.size();
    const std::optional<std::vector<std::string>> names = names_in(path);
    if (!names || !read_ignore_file(path, relative)) return;
    std::string below = relative;
    if (!below.empty()) below += '/';
    const std::size_t prefix = below.size();
    for (const std::string& name : *names) {
      below.resize(prefix);
      below += name;
      visit(path / name, below, name);
    }
    scopes_.erase(scopes_.begin() + static_cast<std::ptrdiff_t>(scopes), scopes_.end());
  }

  // The folder is closed again before anything in it is visited: a tree may be deeper than a
  // process may have folders open.
  std::optional<std::vector<std::string>> names_in(const fs::path& path) {
    const Folder folder(::opendir(path.c_str()));
    if (!folder) {
      fail(system_failure(path, errno));
      return std::nullopt;
    }
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = ::readdir(folder.get())) {
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    if (errno != 0) fail(system_failure(path, errno));
    std::sort(names.begin(), names.end());
    return names;
  }

  // False where there are rules that cannot be read: then nothing of the folder may be.
  bool read_ignore_file(const fs::path& folder, const std::string& relative) {
    const fs::path path = folder / kIgnoreName;
    struct stat status {};
    const bool there = ::stat(path.c_str(), &status) == 0;
    if (!there && errno == ENOENT) return true;
    try {
      if (there && !S_ISREG(status.st_mode)) {  // opening a pipe would wait for ever
        throw Error(ErrorCode::io, path.string() + " is no regular file; remove it", path.string());
      }
      scopes_.push_back({relative, IgnoreRules(read_file(path, std::uint64_t{1} << 20))});
      return true;
    } catch (const Error& error) {
      fail({folder, std::string("left out, since its ignore file cannot be read: ") + error.what(),
            "unreadable", 0});
      return false;
    }
  }

  void visit(const fs::path& path, const std::string& relative, const std::string& name) {
    if (name.front() == '.' && !names_hidden(name)) return;
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) {
      fail(system_failure(path, errno));
      return;
    }
    const bool is_folder = S_ISDIR(status.st_mode);
    if (ignored(relative, is_folder) || any_matches(exclude_, relative, is_folder)) return;
    if (is_folder) {
      enter(path, relative, status);
    } else if (S_ISREG(status.st_mode)) {
      if (wanted(relative)) add_if_readable(path, status);
    } else if (wanted(relative)) {
      if (S_ISLNK(status.st_mode)) {
        visit_link(path, status);
      } else {
        left_out_.insert(identity_of(status));  // a pipe, a socket, a device
      }
    }
  }

  void visit_link(const fs::path& path, const struct stat& link) {
    struct stat target {};
    if (::stat(path.c_str(), &target) == 0) {
      if (S_ISREG(target.st_mode)) {
        links_.push_back({path, target});
      } else {
        left_out_.insert(identity_of(link));
      }
      return;
    }
    const bool dangling = errno == ENOENT;
    Failure failure = system_failure(path, errno);
    if (dangling && format_of_name(path) == Format::unknown) {
      left_out_.insert(identity_of(link));
      return;
    }
    if (dangling)
      failure.reason = "is a link to a file that does not exist; remove it, or exclude it";
    fail(std::move(failure));
  }

  // Links come last: one to a file that was found under its own name adds nothing.
  void take_links() {
    for (const Link& link : links_) {
      if (identities_.insert(identity_of(link.target)).second)
        add_if_readable(link.path, link.target);
    }
  }

  bool names_hidden(const std::string& name) const {
    return std::any_of(include_.begin(), include_.end(),
                       [&](const Glob& glob) { return glob.names_hidden(name); });
  }

  // The innermost rules that say something decide.
  bool ignored(const std::string& relative, bool is_folder) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const std::size_t skip = scope->prefix.empty() ? 0 : scope->prefix.size() + 1;
      const Verdict verdict =
          scope->rules.judge(std::string_view(relative).substr(skip), is_folder);
      if (verdict != Verdict::none) return verdict == Verdict::ignored;
    }
    return false;
  }

  bool wanted(const std::string& relative) const {
    return (include_.empty() || any_matches(include_, relative, false)) &&
           !any_matches(exclude_, relative, false);
  }

  // Takes a file whose name or content is of a kind that lore reads.
  void add_if_readable(const fs::path& path, const struct stat& status) {
    if (format_of_name(path) == Format::unknown) {
      try {
        if (sniff(read_head(path), path) == Format::unknown) {
          left_out_.insert(identity_of(status));
          return;
        }
      } catch (const Error& error) {
        fail({path, error.what(), error.code() == ErrorCode::not_found ? "vanished" : "unreadable",
              0});
        return;
      }
    }
    add(path, status);
  }

  void add(const fs::path& path, const struct stat& status) {
    identities_.insert(identity_of(status));
    FileEntry entry;
    entry.path = path;
    entry.size = static_cast<std::uint64_t>(status.st_size);
    entry.modified_ns =
        std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
    files_.push_back(std::move(entry));
  }

  void fail(Failure failure) { failures_.push_back(std::move(failure)); }

  std::vector<Glob> include_;
  std::vector<Glob> exclude_;
  Identity skip_{};
  bool has_skip_ = false;
  std::vector<Scope> scopes_;  // from the root down to the folder in hand
  std::vector<FileEntry> files_;
  std::vector<Link> links_;
  std::set<Identity> identities_;
  std::vector<Failure> failures_;
  std::set<Identity> left_out_;  // of no kind that lore reads
};

}  // namespace

std::string read_head(const fs::path& path) {
  FileReader reader(path);
  std::string head(kSniffBytes, '\0');
  std::size_t size = 0;
  while (size < head.size()) {
    const std::size_t count = reader.read(std::as_writable_bytes(std::span(head).subspan(size)));
    if (count == 0) break;
    size += count;
  }
  head.resize(size);
  return head;
}

Failure system_failure(const fs::path& path, int number) {
  if (number == ENOENT || number == ENOTDIR) {
    return {path, "vanished during the run; index again to see what became of it", "vanished", 0};
  }
  std::string reason = std::string("cannot be read: ") + std::strerror(number);
  if (number == EACCES || number == EPERM) reason += "; give yourself the right to read it";
  return {path, reason, "unreadable", 0};
}

WalkResult walk(std::span<const fs::path> roots, const WalkOptions& options) {
  Walker walker(options);
  for (const fs::path& root : roots) walker.take_root(root);
  return walker.finish();
}

}  // namespace lore::ingest
