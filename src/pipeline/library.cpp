#include "lore/library.hpp"

#include <utility>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "ingest/ingest.hpp"
#include "pipeline/batch.hpp"
#include "pipeline/document_index_state.hpp"
#include "pipeline/index_job.hpp"
#include "pipeline/library_state.hpp"

namespace lore {

Library::Library(LibraryOptions options)
    : state_(
          std::make_unique<State>(State{std::make_shared<pipeline::Runtime>(std::move(options))})) {
}
Library::~Library() = default;
Library::Library(Library&&) noexcept = default;
Library& Library::operator=(Library&&) noexcept = default;

IndexReport Library::index(const IndexOptions& options, const IndexCallbacks& callbacks) {
  return pipeline::index_files(*state_->runtime, options, callbacks);
}

DocumentIndex Library::open(const std::filesystem::path& folder,
                            const std::optional<std::string>& embed_model) {
  auto state = std::make_unique<DocumentIndex::State>();
  state->runtime = state_->runtime;
  state->reader = index::Reader::open(folder, state_->runtime->log());
  state->embed_model = embed_model.value_or("");
  return DocumentIndex(std::move(state));
}

CheckOutcome Library::repair(const std::filesystem::path& folder) {
  std::optional<index::ModelFingerprint> model =
      index::Reader::open(folder, state_->runtime->log())->model();
  if (!model) {
    throw Error(ErrorCode::not_found,
                "the index " + folder.string() + " is empty; fill it with: lore index FOLDER",
                folder.string());
  }
  constexpr unsigned kWaitSeconds = 5;
  const auto writer = index::Writer::open(folder, *model, kWaitSeconds, state_->runtime->log());
  return pipeline::public_report(writer->repair());
}

BatchReport Library::batch(const std::filesystem::path& folder, const BatchOptions& options,
                           const BatchCallbacks& callbacks,
                           std::optional<std::string> embed_model) {
  const std::vector<pipeline::QuestionRow> rows = pipeline::read_questions(options.input);
  AskCallbacks ask_callbacks;
  ask_callbacks.stop = callbacks.stop;
  state_->runtime->generator().allow(options.jobs);
  const auto make_answerer = [&]() -> pipeline::Answerer {
    auto index = std::make_shared<DocumentIndex>(open(folder, embed_model));
    index->state_->prepare(options.ask);
    return [index, &options, ask_callbacks](const std::string& question) {
      return index->ask(question, options.ask, ask_callbacks);
    };
  };
  return pipeline::run_batch(rows, make_answerer, options, callbacks);
}

std::optional<std::filesystem::path> find_index(const std::filesystem::path& start) {
  std::error_code ignored;
  std::filesystem::path folder = canonical_path(start);
  while (true) {
    std::filesystem::path candidate = folder / ".lore";
    if (std::filesystem::is_directory(candidate, ignored)) return candidate;
    if (!folder.has_parent_path() || folder.parent_path() == folder) return std::nullopt;
    folder = folder.parent_path();
  }
}

std::optional<SearchKind> search_kind(std::string_view name) noexcept {
  if (name == "hybrid") return SearchKind::hybrid;
  if (name == "vector") return SearchKind::vector;
  if (name == "text") return SearchKind::text;
  return std::nullopt;
}

std::string_view version() noexcept { return LORE_VERSION; }

int run_extraction_worker(std::span<const std::string> arguments, const ReaderFiles& files) {
  return ingest::worker_main(arguments, {files.character_maps, files.cipher_modules});
}

}  // namespace lore
