#include "pipeline/index_job.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "base/hash.hpp"
#include "index/index.hpp"
#include "ingest/ingest.hpp"
#include "lore/error.hpp"
#include "pipeline/index_pipeline.hpp"
#include "pipeline/model_files.hpp"

namespace lore::pipeline {
namespace {

constexpr std::size_t kDefaultChunkTokens = 256;

std::filesystem::path canonical_path(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path result = std::filesystem::weakly_canonical(path, error);
  if (error) result = std::filesystem::absolute(path).lexically_normal();
  if (!result.has_filename() && result.has_relative_path()) result = result.parent_path();
  return result;
}

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
  return (is_folder ? roots.front() : roots.front().parent_path()) / ".lore";
}

/// What an index that exists already was made with.
struct Recorded {
  std::optional<index::ModelFingerprint> model;
  std::optional<std::size_t> chunk_tokens;
  std::optional<std::size_t> overlap_tokens;
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
    return Recorded{reader->model(), number_of(reader->setting("chunk_tokens")),
                    number_of(reader->setting("overlap_tokens"))};
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

ingest::WalkResult walk_roots(const IndexOptions& options,
                              const std::vector<std::filesystem::path>& roots,
                              const std::filesystem::path& folder, bool exists) {
  ingest::WalkResult walk =
      ingest::walk(roots, {.include = options.include, .exclude = options.exclude, .skip = folder});
  if (walk.files.empty() && walk.failures.empty() && !exists) {
    std::string names;
    for (const auto& root : roots) names += (names.empty() ? "" : ", ") + root.string();
    throw Error(
        ErrorCode::not_found,
        "nothing to index in " + names +
            ": lore reads PDF, Markdown, HTML and text files; give another folder, or look at "
            "--include, --exclude and .loreignore",
        names);
  }
  return walk;
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
  const std::optional<Recorded> recorded = recorded_in(folder);
  IndexRun run;
  run.walk = walk_roots(options, roots, folder, recorded.has_value());

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
  run.roots = std::move(roots);
  run.base = folder.parent_path();
  run.retry = options.retry;
  run.has_passwords = !options.passwords.empty();
  run.batch_tokens = options.batch_tokens;

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
