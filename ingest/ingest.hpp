// Ingest's door: documents to pages of text, text to chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/function_ref.hpp"
#include "base/log.hpp"

namespace lore::ingest {

// ---- Walking ----------------------------------------------------------------------------------

struct WalkOptions {
  /// Globs over paths below the root, `**` for any number of folders, case ignored; one without '/'
  /// fits names at any depth. Empty takes every kind of file that lore reads.
  std::vector<std::string> include;
  std::vector<std::string> exclude;  ///< the same; wins over include, and keeps out of folders
  std::filesystem::path skip;        ///< a folder not to enter (the index itself)
};

struct FileEntry {
  std::filesystem::path path;    ///< absolute, lexically normal
  std::uint64_t size = 0;        ///< bytes
  std::int64_t modified_ns = 0;  ///< since the epoch
};

/// One file or folder that could not be read, with a reason that a person can act on.
struct Failure {
  std::filesystem::path path;
  std::string reason;
  std::string code;  ///< "password", "damaged", "unreadable", "vanished", …
  std::size_t pages_read = 0;
};

struct WalkResult {
  std::vector<FileEntry> files;  ///< sorted by path, each once
  std::vector<Failure> failures;
  std::size_t unsupported = 0;  ///< left out: files of no kind that lore reads, pipes, sockets,
                                ///< links to folders, other links that lead nowhere
};

/// Regular files below `roots` (files or folders) that the options take and whose content or name
/// lore can read; a root that is a file is taken whatever it holds. Hidden files and folders are
/// left out unless they are roots or an include glob names them (".notes/**"); links to folders are
/// not followed, and a link to a file counts where that file is not found itself. `.loreignore`
/// files (gitignore's syntax) count for their folder and below, from each root down.
/// Throws Error{not_found} for a root that does not exist, Error{invalid_argument} for an empty
/// glob.
WalkResult walk(std::span<const std::filesystem::path> roots, const WalkOptions& options);

// ---- Documents --------------------------------------------------------------------------------

enum class Format { unknown, pdf, markdown, html, text };
std::string_view format_name(Format format) noexcept;

/// What a file is, by its first bytes, then by its name where the bytes do not tell.
Format sniff(std::string_view head, const std::filesystem::path& name);

enum class PageState {
  text,        ///< has text
  empty,       ///< nothing on it
  image_only,  ///< a picture without text: a scan that would need OCR
  failed,      ///< could not be read; `note` says why
};

struct Page {
  std::string
      text;  ///< UTF-8, valid, never U+000C; lines end in \n; blocks parted by an empty line
  std::string label;  ///< "iv", "12"; the number where the file names none
  PageState state = PageState::text;
  std::string note;
  std::size_t unmapped_glyphs = 0;  ///< characters whose meaning the file does not tell (U+FFFD)
};

struct Heading {
  int level = 1;  ///< 1 is the highest
  std::string title;
  std::size_t start = 0;  ///< where its line starts, in code points of Document::text()
};

struct Document {
  Format format = Format::unknown;
  std::string title;                  ///< "" where the document tells none
  std::vector<Page> pages;            ///< text formats have one
  std::vector<Heading> headings;      ///< in order of `start`
  std::vector<std::string> problems;  ///< what was lost or doubtful, for people
  bool paged = false;                 ///< pages mean something to the reader (PDF)

  /// The stored text: pages joined by U+000C. Spans are code points [start, end) in it.
  std::string text() const;
};

struct ExtractOptions {
  std::vector<std::string> passwords;       ///< tried after the empty one
  std::vector<std::string> worker_command;  ///< program and arguments that run worker_main
  std::uint64_t memory_limit = std::uint64_t{1} << 30;  ///< bytes of address space of a worker
  unsigned cpu_seconds = 30;
  std::uint64_t output_limit = std::uint64_t{256} << 20;  ///< bytes of text
  std::function<bool()> stop;  ///< polled; true ends the run (Error{interrupted})
};

using Extraction = std::variant<Document, Failure>;

/// Reads one document. PDF, HTML and Markdown are parsed in a child process (`worker_command`), so
/// that no file can take this process down; plain text is read here. A document that cannot be read
/// is a Failure; a PDF of which some pages could not be read comes back with those marked failed.
/// Throws Error{interrupted} where options.stop says so, Error{invalid_argument} where a child
/// process is needed and no command given. Thread safety: any thread.
Extraction extract(const std::filesystem::path& path, const ExtractOptions& options);

/// What the child needs that is in no document.
struct WorkerFiles {
  std::filesystem::path character_maps = "/usr/share/poppler";  ///< files of poppler-data
  std::filesystem::path cipher_modules{};  ///< folder of OpenSSL's modules; empty: where it looks
};

/// The child's side: reads its request from standard input's protocol and writes framed pages.
/// Returns the exit code. Called by the hidden command that `worker_command` names.
int worker_main(std::span<const std::string> arguments, const WorkerFiles& files = {});

// ---- Chunks -----------------------------------------------------------------------------------

struct ChunkOptions {
  std::size_t max_tokens =
      256;  ///< of prefix + context line + newline + body, special tokens included
  std::size_t overlap_tokens = 0;  ///< repeated from the chunk before, whole sentences
};

struct Chunk {
  std::size_t start = 0;  ///< code points of Document::text()
  std::size_t end = 0;
  std::size_t page = 0;              ///< index of the first page, from 0
  std::size_t page_end = 0;          ///< index of the last page
  std::vector<std::string> heading;  ///< path of headings above it, outermost first
  std::string context;     ///< title, heading path and, where the chunk starts inside a table,
                           ///< its head row, in one line; not part of the body
  std::string body;        ///< exactly text()[start, end)
  std::size_t tokens = 0;  ///< as counted, with context and special tokens
};

/// Tokens of what would be embedded for this text (context line, newline, body), all included.
using CountTokens = FunctionRef<std::size_t(std::string_view)>;

/// Splits at headings, then paragraphs, list items, sentences, then words; never over
/// options.max_tokens, never inside a word unless one word alone is too long. Every character that
/// is not white space is in at least one chunk.
/// Throws Error{invalid_argument} where max_tokens leaves no room for a body.
std::vector<Chunk> chunk(const Document& document, const ChunkOptions& options,
                         CountTokens count_tokens);

}  // namespace lore::ingest
