#include <string>
#include <unordered_set>
#include <utility>

#include "base/hash.hpp"
#include "lore/library.hpp"
#include "pipeline/ask_pipeline.hpp"
#include "pipeline/document_index_state.hpp"
#include "pipeline/index_plan.hpp"
#include "pipeline/model_files.hpp"

namespace lore {

using pipeline::AnswerWriter;
using pipeline::AskPieces;

engine::Embedder& DocumentIndex::State::embedder() {
  if (!embedder_) {
    const auto fingerprint = reader->model();
    if (!fingerprint) {
      throw Error(
          ErrorCode::not_found,
          "the index " + reader->folder().string() + " is empty; fill it with: lore index FOLDER",
          reader->folder().string());
    }
    embedder_ = pipeline::embedder_of(*runtime, *fingerprint, reader->folder(), embed_model);
  }
  return *embedder_;
}

/// A model that was asked for must be there; of the default ones, whichever is.
AnswerWriter* DocumentIndex::State::writer(const AskOptions& options) {
  const std::filesystem::path& models = runtime->options().models;
  const auto chosen = options.model ? options.model : pipeline::default_generator(models);
  if (!chosen) {
    runtime->say_once(Severity::warning,
                      "no model to write answers with in " + models.string() +
                          ": answering with the best sentences themselves; get one with: " +
                          runtime->options().get_models + " " + std::string(kDefaultGenerator));
    return nullptr;
  }
  const std::string& name = *chosen;
  if (!writer_ || writer_->name() != name) {
    std::shared_ptr<const engine::Model> model = runtime->load(name);
    if (!model->info().generates) {
      throw Error(ErrorCode::invalid_argument,
                  "the model " + name + " (" + model->info().architecture +
                      ") cannot write text; choose a generator by --model, or use --no-generate",
                  name);
    }
    writer_ = std::make_unique<pipeline::GeneratedAnswerWriter>(name, std::move(model),
                                                                runtime->generator());
  }
  return writer_.get();
}

void DocumentIndex::State::prepare(const AskOptions& options) {
  pipeline::check_passages(options.k);
  pipeline::engine_sampling(options.sampling);
  embedder();
  if (options.generate) writer(options);
}

DocumentIndex::DocumentIndex(std::unique_ptr<State> state) : state_(std::move(state)) {}
DocumentIndex::~DocumentIndex() = default;
DocumentIndex::DocumentIndex(DocumentIndex&&) noexcept = default;
DocumentIndex& DocumentIndex::operator=(DocumentIndex&&) noexcept = default;

const std::filesystem::path& DocumentIndex::folder() const { return state_->reader->folder(); }
bool DocumentIndex::is_replaced() const { return state_->reader->is_replaced(); }

SearchResponse DocumentIndex::search(std::string_view query, const SearchOptions& options) {
  const AskPieces pieces{*state_->reader,
                         [this]() -> engine::Embedder& { return state_->embedder(); },
                         {},
                         sha256_of_file};
  return pipeline::retrieve(pieces, query, options).response;
}

Answer DocumentIndex::ask(std::string_view question, const AskOptions& options,
                          const AskCallbacks& callbacks) {
  const AskPieces pieces{*state_->reader,
                         [this]() -> engine::Embedder& { return state_->embedder(); },
                         [&] { return state_->writer(options); }, sha256_of_file};
  return pipeline::ask(pieces, question, options, callbacks);
}

IndexStatus DocumentIndex::status() const {
  const index::Reader& reader = *state_->reader;
  IndexStatus status;
  status.index = reader.folder();
  if (const auto model = reader.model()) {
    status.embed_model = model->name;
    status.embed_model_sha256 = model->sha256;
    status.pooling = model->pooling;
    status.dimension = model->dimension;
  }
  const index::Counts counts = reader.counts();
  status.documents = counts.documents;
  status.pages = counts.pages;
  status.pages_without_text = counts.pages_without_text;
  status.chunks = counts.chunks;
  status.bytes = counts.bytes;
  status.recall = counts.recall;
  for (const char* key : {"chunk_tokens", "overlap_tokens"}) {
    if (auto value = reader.setting(key)) status.settings.emplace_back(key, std::move(*value));
  }
  std::unordered_set<std::string> stored;
  for (index::DocumentSummary& document : reader.documents()) {
    stored.insert(document.path);
    status.listed.push_back({std::move(document.path), std::move(document.format),
                             std::move(document.title), document.pages, document.pages_without_text,
                             document.chunks, document.size, std::move(document.problems)});
  }
  for (index::FailureRecord& failure : reader.failures()) {
    const bool older_version =
        failure.code != pipeline::kSomePagesFailed && stored.contains(failure.path);
    status.failed.push_back({reader.resolve(failure.path), std::move(failure.reason),
                             std::move(failure.code), failure.pages_read, older_version});
  }
  return status;
}

CheckOutcome DocumentIndex::check() const {
  return pipeline::public_report(state_->reader->check());
}

StoredDocument DocumentIndex::document(std::string_view name) const {
  index::DocumentRecord record = state_->reader->document(name);
  StoredDocument document;
  document.path = state_->reader->resolve(record.path);
  document.document = std::move(record.path);
  document.title = std::move(record.title);
  document.format = std::move(record.format);
  document.sha256 = std::move(record.sha256);
  document.text = std::move(record.text);
  document.problems = std::move(record.problems);
  for (index::PageRecord& page : record.pages) {
    document.pages.push_back({document.pages.size() + 1, std::move(page.label),
                              std::move(page.state), std::move(page.note), page.start, page.end});
  }
  return document;
}

}  // namespace lore
