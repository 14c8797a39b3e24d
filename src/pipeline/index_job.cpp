#include "pipeline/index_job.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "index/index.hpp"
#include "ingest/ingest.hpp"
#include "lore/error.hpp"
#include "pipeline/index_pipeline.hpp"
#include "pipeline/index_plan.hpp"
#include "pipeline/model_files.hpp"

namespace lore::pipeline {
namespace {

constexpr std::size_t kDefaultChunkTokens = 256;

std::filesystem::path index_folder(const IndexOptions& options,
                                   const std::vector<std::filesystem::path>& roots) {
  if (!options.index.empty()) return canonical_path(options.index);
  if (roots.size() != 1) {
    throw Error(ErrorCode::invalid_argument,
                "several paths share no folder for their index; say where to put it by --index",
                "--index");
  }
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(roots.front(), ignored);
  return canonical_path((is_folder ? roots.front() : roots.front().parent_path()) / ".lore");
}

/// The walk leaves the index's folder out, and with it all that lies in it.
void refuse_index_as_root(const std::filesystem::path& folder,
                          const std::vector<std::filesystem::path>& roots) {
  if (std::find(roots.begin(), roots.end(), folder) == roots.end()) return;
  throw Error(ErrorCode::invalid_argument,
              "the index cannot be " + folder.string() +
                  " itself, which is to be indexed; choose another --index, as in " +
                  (folder / ".lore").string(),
              "--index");
}

/// What an index that exists already was made with, and what it knows of.
struct Recorded {
  std::optional<index::ModelFingerprint> model;
  std::optional<std::size_t> chunk_tokens;
  std::optional<std::size_t> overlap_tokens;
  std::vector<std::filesystem::path> documents;  ///< where their files were
  std::vector<std::filesystem::path> failures;
};

std::optional<std::size_t> number_of(const std::optional<std::string>& text) {
  std::size_t number = 0;
  if (!text ||
      std::from_chars(text->data(), text->data() + text->size(), number).ec != std::errc()) {
    return std::nullopt;
  }
  return number;
}

std::optional<Recorded> recorded_in(const std::filesystem::path& folder) {
  try {
    const auto reader = index::Reader::open(folder);
    Recorded recorded{reader->model(),
                      number_of(reader->setting("chunk_tokens")),
                      number_of(reader->setting("overlap_tokens")),
                      {},
                      {}};
    for (const auto& document : reader->documents()) {
      recorded.documents.push_back(reader->resolve(document.path));
    }
    for (const auto& failure : reader->failures()) {
      recorded.failures.push_back(reader->resolve(failure.path));
    }
    return recorded;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::not_found) return std::nullopt;
    throw;
  }
}

/// A path is kept absolute, so that the model is found from any working directory.
std::string kept_name(const std::string& model, const std::filesystem::path& found,
                      const std::filesystem::path& models) {
  const bool by_name = found.parent_path() == models && model.find('/') == std::string::npos;
  return by_name ? model : canonical_path(found).string();
}

void refuse_other_model(const index::ModelFingerprint& made_with,
                        const index::ModelFingerprint& wanted,
                        const std::filesystem::path& folder) {
  std::string difference;
  if (made_with.sha256 != wanted.sha256) {
    difference = "the model " + made_with.name + ", and " + wanted.name + " is another one";
  } else if (made_with.pooling != wanted.pooling) {
    difference = "pooling " + made_with.pooling + ", not " + wanted.pooling;
  } else if (made_with.query_prefix != wanted.query_prefix ||
             made_with.passage_prefix != wanted.passage_prefix) {
    difference = "other prefixes than this version of lore uses";
  } else {
    return;
  }
  throw Error(
      ErrorCode::mismatch,
      "the index " + folder.string() + " was made with " + difference +
          "; vectors of the two do not mix: choose another --index, or delete that folder and "
          "index again",
      folder.string());
}

bool is_missing(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found;
}

/// Finds what the run's own walk has left out because of its globs, so that it does not count as
/// gone. Looked for only where something that is known was not met and still exists.
ingest::WalkResult walk_outside(const IndexRun& run, const Recorded& recorded,
                                const std::filesystem::path& folder) {
  std::set<std::filesystem::path> met;
  for (const auto& file : run.walk.files) met.insert(file.path);
  bool any = false;
  bool any_hidden = false;
  for (const auto* paths : {&recorded.documents, &recorded.failures}) {
    for (const std::filesystem::path& path : *paths) {
      const auto root = std::find_if(run.roots.begin(), run.roots.end(),
                                     [&](const auto& each) { return is_below(path, each); });
      if (root == run.roots.end() || met.contains(path) || is_missing(path)) continue;
      any = true;
      for (const auto& part : path.lexically_relative(*root)) {
        any_hidden = any_hidden || part.native().starts_with('.');
      }
    }
  }
  if (!any) return {};
  std::vector<std::string> everything{"**"};
  if (any_hidden) everything.emplace_back(".*");
  return ingest::walk(run.roots, {.include = everything, .exclude = {}, .skip = folder});
}

bool finds_below(const std::filesystem::path& root, const ingest::WalkResult& walk) {
  const auto below = [&](const auto& entry) { return is_below(entry.path, root); };
  return std::any_of(walk.files.begin(), walk.files.end(), below) ||
         std::any_of(walk.failures.begin(), walk.failures.end(), below);
}

/// A folder that is empty all of a sudden is a disk that is not mounted rather than the wish to
/// forget everything.
void refuse_emptied_folders(const IndexRun& run, const Recorded& recorded,
                            const std::filesystem::path& folder) {
  for (const std::filesystem::path& root : run.roots) {
    if (finds_below(root, run.walk) || finds_below(root, run.outside)) continue;
    const auto stored =
        std::count_if(recorded.documents.begin(), recorded.documents.end(),
                      [&](const std::filesystem::path& path) { return is_below(path, root); });
    if (stored == 0) continue;
    throw Error(ErrorCode::not_found,
                "there is no file to index in " + root.string() + ", and the index " +
                    folder.string() + " holds " + std::to_string(stored) +
                    (stored == 1 ? " document" : " documents") +
                    " from there, which are kept: mount the disk that belongs there, or delete "
                    "the index folder to start anew",
                root.string());
  }
}

void refuse_nothing(const IndexRun& run) {
  if (!run.walk.files.empty() || !run.walk.failures.empty()) return;
  std::string names;
  for (const auto& root : run.roots) names += (names.empty() ? "" : ", ") + root.string();
  throw Error(ErrorCode::not_found,
              "nothing to index in " + names +
                  ": lore reads PDF, Markdown, HTML and text files; give another folder, or look "
                  "at --include, --exclude and .loreignore",
              names);
}

/// What the run is about. Throws before anything is written where that is nothing.
IndexRun find_files(const IndexOptions& options, std::vector<std::filesystem::path> roots,
                    const std::filesystem::path& folder, const std::optional<Recorded>& recorded) {
  IndexRun run;
  run.roots = std::move(roots);
  run.base = folder.parent_path();
  run.walk = ingest::walk(run.roots,
                          {.include = options.include, .exclude = options.exclude, .skip = folder});
  if (recorded) {
    run.outside = walk_outside(run, *recorded, folder);
    refuse_emptied_folders(run, *recorded, folder);
  }
  // Where a failure was all that an index knew, its file may go.
  if (!recorded || recorded->failures.empty()) refuse_nothing(run);
  return run;
}

}  // namespace

IndexReport index_files(Runtime& runtime, const IndexOptions& options,
                        const IndexCallbacks& callbacks) {
  if (options.paths.empty()) {
    throw Error(ErrorCode::invalid_argument, "no path to index; give a folder or files");
  }
  std::vector<std::filesystem::path> roots;
  for (const auto& path : options.paths) roots.push_back(canonical_path(path));
  const std::filesystem::path folder = index_folder(options, roots);
  refuse_index_as_root(folder, roots);
  const std::optional<Recorded> recorded = recorded_in(folder);
  IndexRun run = find_files(options, std::move(roots), folder, recorded);

  const bool has_model = recorded && recorded->model;
  const std::string name = options.embed_model ? *options.embed_model
                           : has_model         ? recorded->model->name
                                               : std::string(kDefaultEmbedModel);
  const std::shared_ptr<const engine::Model> model = runtime.load(name);
  engine::EmbedderOptions embedding;
  embedding.batch_tokens = options.batch_tokens;
  if (options.pooling) {
    embedding.pooling = engine::parse_pooling(*options.pooling);
  } else if (has_model) {
    embedding.pooling = engine::parse_pooling(recorded->model->pooling);
  }
  if (embedding.pooling == engine::Pooling::none) {
    throw Error(
        ErrorCode::invalid_argument,
        "--pooling none gives a vector for each token, and an index holds one for each chunk; "
        "choose mean, cls or last",
        "--pooling");
  }
  const auto embedder = engine::Embedder::create(model, runtime.pool(), embedding);
  const index::ModelFingerprint fingerprint =
      fingerprint_of(kept_name(name, model->info().path, runtime.options().models), *model,
                     *embedder, embedding.normalize);
  if (has_model) refuse_other_model(*recorded->model, fingerprint, folder);

  run.chunking.max_tokens = options.chunk_tokens.value_or(
      recorded ? recorded->chunk_tokens.value_or(kDefaultChunkTokens) : kDefaultChunkTokens);
  run.chunking.max_tokens = std::min(run.chunking.max_tokens, embedder->max_tokens());
  run.chunking.overlap_tokens =
      options.overlap_tokens.value_or(recorded ? recorded->overlap_tokens.value_or(0) : 0);
  run.retry = options.retry;
  run.has_passwords = !options.passwords.empty();
  run.batch_tokens = options.batch_tokens;
  // Sizes that no document could be cut to are refused before they are recorded.
  prepare_document({}, *embedder, run.chunking, run.batch_tokens);

  const auto writer = index::Writer::open(folder, has_model ? *recorded->model : fingerprint,
                                          options.wait_seconds, runtime.log());
  const ingest::ExtractOptions extracting{.passwords = options.passwords,
                                          .worker_command = runtime.options().worker_command,
                                          .stop = callbacks.stop};
  const IndexPieces pieces{*writer, *embedder,
                           [&extracting](const std::filesystem::path& path) {
                             return ingest::extract(path, extracting);
                           },
                           sha256_of_file};
  IndexReport report = run_index(pieces, run, callbacks);
  report.index = folder;
  return report;
}

}  // namespace lore::pipeline
