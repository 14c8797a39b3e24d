// What the library can be asked for. Every field has the default of the command's flag.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lore/api.hpp"
#include "lore/types.hpp"

namespace lore {

inline constexpr std::string_view kDefaultEmbedModel = "minilm";
inline constexpr std::string_view kDefaultGenerator = "qwen-1.5b";
inline constexpr std::string_view kSmallGenerator = "smollm2";

enum class Severity { debug, info, warning };
/// Receives what the library has to say that is no result. May be called from any thread.
using MessageSink = std::function<void(Severity, std::string_view message)>;
/// Polled between pieces of work; true ends the call with Error{interrupted}.
using StopFlag = std::function<bool()>;

/// Files that the reader of PDFs takes from outside.
struct ReaderFiles {
  /// The folder whose cMap/ has the predefined character maps of Chinese, Japanese and Korean
  /// fonts: where Debian's poppler-data puts them.
  std::filesystem::path character_maps = "/usr/share/poppler";
  /// Where OpenSSL's legacy provider is, for old encryption; empty: where OpenSSL looks.
  std::filesystem::path cipher_modules{};
};

struct LibraryOptions {
  std::filesystem::path models{};  ///< folder of models that are asked for by name
  /// The command that fetches models by their names, for messages that tell to run it.
  std::string get_models = "scripts/get-models.sh";
  unsigned threads = 0;          ///< 0: all that the process may use
  std::string kernels = "auto";  ///< auto, scalar, sse41, avx2, avxvnni, avx512, amx, neon
  /// Program and arguments that end in run_extraction_worker(): PDF, HTML and Markdown are parsed
  /// there.
  std::vector<std::string> worker_command{};
  /// Texts that one model writes at the same time; Library::batch raises it to its jobs.
  std::size_t together = 1;
  MessageSink messages{};
};

struct IndexOptions {
  std::vector<std::filesystem::path> paths{};   ///< files and folders; at least one
  std::filesystem::path index{};                ///< empty: ".lore" in the only folder of `paths`
  std::optional<std::string> embed_model{};     ///< empty: the index's own, else kDefaultEmbedModel
  std::optional<std::string> pooling{};         ///< empty: the index's own, else the model's
  std::optional<std::size_t> chunk_tokens{};    ///< empty: the index's own, else 256
  std::optional<std::size_t> overlap_tokens{};  ///< empty: the index's own, else 0
  std::vector<std::string> include{};
  std::vector<std::string> exclude{};
  std::vector<std::string> passwords{};
  bool retry = false;         ///< read again what failed before, though it has not changed
  unsigned wait_seconds = 5;  ///< for another writer
  std::size_t batch_tokens = 2048;
};

struct IndexCallbacks {
  std::function<void(const IndexProgress&)> progress{};
  std::function<void(const FailedFile&)> failed{};
  StopFlag stop{};
};

enum class SearchKind { hybrid, vector, text };
/// Of "hybrid", "vector" or "text"; empty for another name.
LORE_API std::optional<SearchKind> search_kind(std::string_view name) noexcept;

struct SearchOptions {
  std::size_t k = 10;
  SearchKind mode = SearchKind::hybrid;
  std::string filter{};  ///< glob over document paths
};

/// Defaults are greedy.
struct Sampling {
  float temperature = 0;
  std::int32_t top_k = 40;
  float top_p = 0.95F;
  float min_p = 0.05F;
  float repeat_penalty = 1;
  float frequency_penalty = 0;
  float presence_penalty = 0;
  std::uint64_t seed = 0;
};

struct AskOptions {
  std::size_t k = 5;
  std::size_t context_tokens = 600;    ///< of the whole prompt
  std::size_t max_tokens = 192;        ///< of the answer
  std::optional<std::string> model{};  ///< empty: the default one, or the small one
  bool generate = true;                ///< false: the best sentences themselves
  bool strict = false;                 ///< leave out what no cited page supports
  std::string filter{};
  Sampling sampling{};
};

struct AskCallbacks {
  std::function<void(const std::vector<Passage>&)> passages{};  ///< before the answer is computed
  std::function<void(std::string_view)> text{};                 ///< the answer, as it is written
  StopFlag stop{};
};

struct BatchOptions {
  std::filesystem::path input{};   ///< .txt, .csv or .jsonl
  std::filesystem::path output{};  ///< JSON lines; empty: to BatchCallbacks::line
  bool resume = false;
  unsigned jobs = 8;  ///< questions that are answered at the same time, with the same answers
  AskOptions ask{};
};

struct BatchCallbacks {
  std::function<void(std::string_view line)> line{};  ///< without its end; where `output` is empty
  std::function<void(std::size_t done, std::size_t total)> progress{};
  std::function<void(std::string_view id, std::string_view error)> failed{};
  StopFlag stop{};
};

struct EmbedOptions {
  std::string model{kDefaultEmbedModel};
  std::optional<std::string> pooling{};  ///< none, mean, cls, last; empty: the model's
  bool normalize = true;
  std::string input_type = "none";  ///< query, passage, none
  std::size_t dimensions = 0;       ///< 0: all
  std::size_t batch_tokens = 2048;
  bool truncate = false;  ///< cut texts over the model's limit (else: an error)
  bool parse_special = false;
};

struct GenerateOptions {
  std::string model{kDefaultGenerator};
  std::size_t max_tokens = 256;
  std::size_t context = 0;         ///< 0: min(the model's, 4096)
  std::string cache_type = "f16";  ///< f32, f16, q8_0
  Sampling sampling{};
  std::vector<std::string> stop{};
  std::optional<bool> chat{};    ///< empty: chat where the model carries a template
  std::string system{};          ///< chat only
  bool parse_special = true;     ///< raw only; chat prompts are always the template's
  bool add_special = true;       ///< BOS and EOS as the model adds them
  std::size_t logprobs = 0;      ///< alternatives to report at each place
  bool report_logprobs = false;  ///< report log-probabilities at all
  bool ignore_end = false;
};

/// One call of TextGenerator. What to continue is the first of these that is not empty: messages,
/// ids, prompt. The defaults of the rest are GenerateOptions'.
struct GenerateRequest {
  std::vector<ChatMessage> messages{};  ///< in the model's own chat format
  std::vector<std::int32_t> ids{};
  std::string prompt{};
  std::size_t max_tokens = 256;
  Sampling sampling{};
  std::vector<std::string> stop{};
  bool parse_special = true;  ///< of `prompt`: text of special tokens means those tokens
  bool add_special = true;
  std::size_t logprobs = 0;
  bool report_logprobs = false;
  bool ignore_end = false;
  std::function<void(const TokenRecord&)> on_token{};  ///< before the piece that it completes
  /// Each piece of the text as soon as it is certain; false ends the generation.
  std::function<bool(std::string_view)> on_text{};
  /// Asked while it waits, between the pieces of a prompt and between tokens; true ends it
  /// ("cancelled").
  StopFlag cancelled{};
};

struct BenchOptions {
  bool operations = false;   ///< where the time goes, too
  bool over_length = false;  ///< speeds over the context's length, too: about a minute more
  std::function<void(std::string_view what)> progress{};  ///< told what is measured next
};

struct TokenizeOptions {
  bool add_special = true;
  bool parse_special = false;
};

}  // namespace lore
