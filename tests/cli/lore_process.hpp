// Runs the real command and looks at what it leaves: standard output, standard error, exit code.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace lore::test {

struct Outcome {
  int code = -1;  ///< exit code, or 128 + signal
  std::string out;
  std::string err;
  std::size_t peak_bytes = 0;  ///< of resident memory, mapped files included

  /// The lines of standard error.
  std::vector<std::string> messages() const;
};

struct RunOptions {
  std::filesystem::path folder = {};                    ///< working directory
  std::string input = {};                               ///< standard input
  std::map<std::string, std::string> environment = {};  ///< on top of a clean one
  bool other_user = false;  ///< as a user who may write nothing that the test made (root only)
  std::filesystem::path output = {};  ///< standard output goes to this file
  bool closed_output = false;         ///< nobody reads standard output any more
  unsigned terminal_columns = 0;      ///< both outputs are a terminal so wide; read as Outcome::out
  bool keyboard = false;              ///< so is the input, for type(); Ctrl-C interrupts
};

/// The test's own copy of the environment's LORE_HOME, and no other LORE_ variable, no config file.
Outcome run_lore(const std::vector<std::string>& arguments, const RunOptions& options = {});

/// A command that runs while the test does something else.
class Running {
 public:
  explicit Running(const std::vector<std::string>& arguments, const RunOptions& options = {});
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void signal(int number) const;
  /// Presses keys on its terminal.
  void type(const std::string& keys) const;
  /// Waits until it has written this to its terminal or standard output (60 s at most) since the
  /// last such wait.
  bool wait_for_output(const std::string& text);
  /// Waits until it has written this to standard error (30 s at most); false if it never did.
  bool wait_for_error(const std::string& text);
  /// The same for a line of standard output that begins with `start`; the rest of the line, or "".
  std::string wait_for_line(const std::string& start);
  Outcome finish();

 private:
  void pump(int timeout_ms);
  void open_terminal(unsigned columns);

  pid_t child_ = -1;
  int out_ = -1;
  int err_ = -1;
  int terminal_ = -1;  // lore's side of it
  bool ended_ = false;
  std::size_t waited_for_ = 0;  // of the output
  Outcome outcome_;
};

/// Whether the tests may become another user and mount a small disk.
bool is_root();

/// A folder on a disk of its own of so many KiB, seen by this process and its children only.
/// `ready()` is false where the machine does not let us.
class TinyDisk {
 public:
  TinyDisk(const std::filesystem::path& folder, unsigned kib);
  ~TinyDisk();
  TinyDisk(const TinyDisk&) = delete;
  TinyDisk& operator=(const TinyDisk&) = delete;

  bool ready() const { return ready_; }
  /// Leaves `free_kib` free by a file of zeros.
  void fill(unsigned free_kib) const;
  void free_again() const;

 private:
  std::filesystem::path folder_;
  bool ready_ = false;
};

}  // namespace lore::test
