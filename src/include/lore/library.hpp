// The library: index documents, search them, answer from them, and use the models directly.
//
//   lore::Library library({.models = "/home/ada/.local/share/lore/models"});
//   library.index({.paths = {"manuals"}});
//   lore::DocumentIndex index = library.open("manuals/.lore");
//   lore::Answer answer = index.ask("What does alarm E41 mean?");
//
// Everything that fails throws lore::Error; one unreadable file among many is a value in a report.
// Nothing here prints, exits or reads the environment.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lore/api.hpp"
#include "lore/error.hpp"
#include "lore/options.hpp"
#include "lore/types.hpp"

namespace lore {

/// An index opened for reading, with the models that it needs (loaded when first used).
///
/// Thread safety: one thread at a time; open one for each thread. They share loaded models.
class LORE_API DocumentIndex {
 public:
  ~DocumentIndex();
  DocumentIndex(DocumentIndex&&) noexcept;
  DocumentIndex& operator=(DocumentIndex&&) noexcept;

  const std::filesystem::path& folder() const;
  /// Whether the folder holds another index by now, or none: open it anew. Documents that come and
  /// go are seen without that.
  bool is_replaced() const;

  /// Throws Error{limit_exceeded} for a query over the embedding model's limit, Error{mismatch}
  /// where the model's file is not the one that the index was made with.
  SearchResponse search(std::string_view query, const SearchOptions& options = {});

  /// Answers from the indexed documents alone. A question that they do not answer is no error:
  /// AnswerStatus::not_in_documents, with the nearest passages. Throws as search, and
  /// Error{limit_exceeded} where the question alone is over `context_tokens`.
  Answer ask(std::string_view question, const AskOptions& options = {},
             const AskCallbacks& callbacks = {});

  IndexStatus status() const;
  /// Compares all that can be compared; changes nothing.
  CheckOutcome check() const;
  /// By stored path, or a unique ending of it. Throws Error{not_found, invalid_argument}.
  StoredDocument document(std::string_view name) const;

 private:
  friend class Library;
  struct State;
  explicit DocumentIndex(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Turns texts into vectors.
///
/// Thread safety: any thread; what several threads ask for at the same time is computed together.
class LORE_API TextEmbedder {
 public:
  ~TextEmbedder();
  TextEmbedder(TextEmbedder&&) noexcept;
  TextEmbedder& operator=(TextEmbedder&&) noexcept;

  std::size_t dimension() const;
  std::size_t max_tokens() const;
  ModelDescription model() const;  ///< with its SHA-256
  std::string pooling() const;     ///< in use
  std::string prefix() const;      ///< put before every text, for the input type in use

  struct Tokens {
    std::vector<std::int32_t> ids;
    bool cut = false;  ///< `truncate` shortened it
  };
  /// `name` tells which input this is, for the error; `input_type` takes the place of the option.
  /// Throws Error{limit_exceeded} that names the input, its tokens and the limit;
  /// Error{invalid_argument} for a text without any token.
  Tokens encode(std::string_view text, std::string_view name,
                std::optional<std::string_view> input_type = std::nullopt) const;
  /// Tokens as they are. Throws as encode, and Error{invalid_argument} for an id that the model
  /// does not have.
  Tokens take(std::vector<std::int32_t> ids, std::string_view name) const;

  /// [texts, dimension], or [all tokens, dimension] with pooling none; row-major. The same bits for
  /// any grouping and order of texts. `dimensions` takes the place of the option, where not 0.
  std::vector<float> embed(std::span<const Tokens> texts, std::size_t dimensions = 0);

 private:
  friend class Library;
  struct State;
  explicit TextEmbedder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Continues prompts.
///
/// Thread safety: any thread; as many requests as LibraryOptions::together says are computed at the
/// same time, the others wait.
class LORE_API TextGenerator {
 public:
  ~TextGenerator();
  TextGenerator(TextGenerator&&) noexcept;
  TextGenerator& operator=(TextGenerator&&) noexcept;

  /// As GenerateOptions say. `on_text` gets each piece as soon as it is certain; false ends the
  /// generation.
  GeneratedText generate(std::string_view prompt,
                         const std::function<bool(std::string_view)>& on_text = {});
  /// Throws Error{limit_exceeded} for a prompt that leaves no room in the context,
  /// Error{invalid_argument} for a request that makes no sense.
  GeneratedText generate(const GenerateRequest& request);

  ModelDescription model() const;
  std::size_t context() const;  ///< tokens of prompt and answer at most
  /// The bytes that a token adds to a text; may be a part of a character.
  std::string piece(std::int32_t id) const;

 private:
  friend class Library;
  struct State;
  explicit TextGenerator(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Threads, kernels and models that the rest shares.
///
/// Thread safety: any thread may call; indexing, and each object handed out, is for one thread at a
/// time. Objects handed out keep what they need alive.
class LORE_API Library {
 public:
  explicit Library(LibraryOptions options);
  ~Library();
  Library(Library&&) noexcept;
  Library& operator=(Library&&) noexcept;

  /// Brings an index up to date with the files. Throws Error{not_found} where there is nothing to
  /// index, Error{busy, mismatch, read_only, no_space, io}, and Error{interrupted} after the
  /// document in hand is finished; what was committed stays in every case.
  IndexReport index(const IndexOptions& options, const IndexCallbacks& callbacks = {});

  /// `embed_model`: where the index's own embedding model is now, if it is not found by its name.
  /// Throws Error{not_found, corrupt, unsupported}.
  DocumentIndex open(const std::filesystem::path& folder,
                     const std::optional<std::string>& embed_model = std::nullopt);

  /// Puts right what DocumentIndex::check finds and can be rebuilt.
  CheckOutcome repair(const std::filesystem::path& folder);

  /// Answers the questions of a file, one JSON object a line, each line durable before the next is
  /// begun, in the order of the file. Throws Error{interrupted} when stopped; the lines stay.
  BatchReport batch(const std::filesystem::path& folder, const BatchOptions& options,
                    const BatchCallbacks& callbacks = {},
                    std::optional<std::string> embed_model = std::nullopt);

  TextEmbedder embedder(const EmbedOptions& options);
  TextGenerator generator(const GenerateOptions& options);

  /// Those that can be asked for by name, sorted by it.
  std::vector<InstalledModel> installed_models() const;
  /// The name of the model that writes answers where none is asked for; empty where there is none.
  std::optional<std::string> default_generator() const;
  ModelDescription describe_model(const std::string& model, bool with_hash);
  std::vector<Tokenization> tokenize(const std::string& model, std::span<const std::string> texts,
                                     const TokenizeOptions& options);
  /// The text of tokens. Throws Error{invalid_argument} for an id that the model does not have.
  std::string detokenize(const std::string& model, std::span<const std::int32_t> ids);
  /// Measures the machine first, then the model. Throws as describe_model, and
  /// Error{limit_exceeded} where memory is short.
  ModelSpeed measure_model(const std::string& model, const BenchOptions& options = {});
  /// Of the kernels and threads that this object computes with; takes about a second.
  MachineLimits measure_limits();
  /// A folder of BERT-family safetensors to one GGUF file; `type`: f32, f16, q8_0.
  void convert_model(const std::filesystem::path& folder, const std::filesystem::path& out,
                     std::string_view type);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The folder ".lore" in `start` or the nearest folder above it that has one.
LORE_API std::optional<std::filesystem::path> find_index(const std::filesystem::path& start);

/// lore's version, "0.1.0".
LORE_API std::string_view version() noexcept;

/// What LibraryOptions::worker_command must end in: reads one document for the process that started
/// it. Returns the exit code.
LORE_API int run_extraction_worker(std::span<const std::string> arguments,
                                   const ReaderFiles& files = {});

}  // namespace lore
