// What the library gives back: plain values, owned by the caller.
//
// Positions: `start` and `end` are Unicode code points, [start, end), in the stored text of a
// document (its pages joined by U+000C). Pages count from 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lore/api.hpp"

namespace lore {

// ---- Indexing ---------------------------------------------------------------------------------

/// A file that could not be read, with a reason that a person can act on.
struct FailedFile {
  std::filesystem::path path;  ///< absolute
  std::string reason;
  std::string code;  ///< "password", "damaged", "unreadable", "vanished", …; "pages": only some
                     ///< pages failed, the others are in the index
  std::size_t pages_read = 0;
  bool older_version_kept = false;  ///< what was indexed of it before still answers, marked stale
  bool not_tried_again = false;     ///< it has not changed since (IndexOptions::retry tries it)
};

/// A document with pages that hold no text, or of which something was lost.
struct FileNotice {
  std::filesystem::path path;
  std::size_t pages = 0;
  std::size_t pages_without_text = 0;  ///< scanned or empty; pages that failed are no part of them
  std::string without_text;            ///< which, from 1: "2, 5-9"
  std::vector<std::string> problems;
};

/// Every file that was met is counted in exactly one of the first five numbers, in `failed` or in
/// `unsupported`.
struct IndexReport {
  std::size_t added = 0;
  std::size_t changed = 0;
  std::size_t moved = 0;
  std::size_t unchanged = 0;
  std::size_t removed = 0;  ///< documents whose file is gone
  std::vector<FailedFile> failed;
  std::vector<FileNotice> notices;  ///< of the documents read in this run
  std::size_t pages = 0;            ///< of the documents read in this run, as the next four
  std::size_t pages_without_text = 0;
  std::size_t pages_failed = 0;
  std::size_t chunks = 0;
  std::size_t tokens = 0;       ///< embedded
  std::size_t unsupported = 0;  ///< files left out, since lore reads none of their kind
  double seconds = 0;
  std::filesystem::path index;  ///< the folder that holds the index
};

/// How far a run has come.
struct IndexProgress {
  std::size_t files_done = 0;
  std::size_t files_total = 0;  ///< files that must be read; those unchanged are not among them
  std::uint64_t bytes_done = 0;
  std::uint64_t bytes_total = 0;
  std::size_t chunks = 0;
  std::size_t tokens = 0;
  std::string current;  ///< the document in hand, as stored
};

struct DocumentInfo {
  std::string document;  ///< as stored: relative to the folder that holds the index
  std::string format;
  std::string title;
  std::size_t pages = 0;
  std::size_t pages_without_text = 0;
  std::size_t chunks = 0;
  std::uint64_t bytes = 0;
  std::vector<std::string> problems;
};

struct IndexStatus {
  std::filesystem::path index;
  std::string embed_model;
  std::string embed_model_sha256;
  std::string pooling;
  std::size_t dimension = 0;
  std::size_t documents = 0;
  std::size_t pages = 0;
  std::size_t pages_without_text = 0;
  std::size_t chunks = 0;
  std::uint64_t bytes = 0;       ///< of the index folder
  std::optional<double> recall;  ///< of the first 20 against exact search; empty: search is exact
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<DocumentInfo> listed;
  std::vector<FailedFile> failed;
};

struct CheckOutcome {
  std::vector<std::string> problems;  ///< empty: sound
  std::vector<std::string> repaired;
  std::size_t documents = 0;
  std::size_t chunks = 0;
  std::size_t vectors = 0;
};

struct StoredPage {
  std::size_t page = 0;
  std::string label;
  std::string state;  ///< "text", "empty", "image_only", "failed"
  std::string note;
  std::size_t start = 0;  ///< in StoredDocument::text
  std::size_t end = 0;
};

/// The stored text that spans refer to.
struct StoredDocument {
  std::string document;
  std::filesystem::path path;  ///< absolute
  std::string title;
  std::string format;
  std::string sha256;      ///< of the file when it was read
  std::string text;        ///< UTF-8; pages joined by U+000C
  std::size_t offset = 0;  ///< where `text` starts in the stored text: not 0 for a part of it
  std::vector<StoredPage> pages;
  std::vector<std::string> problems;
};

// ---- Searching --------------------------------------------------------------------------------

/// One chunk that was found.
struct Passage {
  std::size_t rank = 0;  ///< from 1; in an answer: the number that it is cited by
  double score = 0;
  std::string document;        ///< as stored
  std::filesystem::path path;  ///< absolute
  std::string title;
  bool paged = false;  ///< pages mean something to the reader (PDF)
  std::size_t page = 0;
  std::size_t page_end = 0;
  std::string page_label;
  std::string page_end_label;
  std::vector<std::string> heading;
  std::size_t start = 0;
  std::size_t end = 0;
  std::string text;  ///< exactly the stored text [start, end)
  std::optional<std::size_t> vector_rank;
  std::optional<float> similarity;  ///< cosine
  std::optional<std::size_t> lexical_rank;
  std::optional<double> bm25;
};

/// What a question's words and vector met, and what was made of it.
struct Evidence {
  std::size_t query_terms = 0;  ///< distinct content words of the question
  std::size_t terms_met = 0;    ///< most of them in one passage
  float similarity = 0;         ///< of the best passage
  bool sufficient = false;      ///< false: "not in your documents"
};

struct SearchResponse {
  std::vector<Passage> passages;  ///< best first
  Evidence evidence;
};

// ---- Answering --------------------------------------------------------------------------------

enum class AnswerStatus { answered, not_in_documents, failed };
enum class CitationStatus { verified, weak, unsupported };

LORE_API std::string_view status_name(AnswerStatus status) noexcept;
LORE_API std::string_view status_name(CitationStatus status) noexcept;

/// One statement of an answer, and where the cited document says so.
struct Citation {
  std::size_t n = 0;     ///< the passage's number
  std::string sentence;  ///< the statement, without its [n]
  std::string document;
  std::filesystem::path path;
  bool paged = false;
  std::size_t page = 0;
  std::string page_label;
  std::size_t start = 0;
  std::size_t end = 0;
  std::string quote;  ///< exactly the stored text [start, end)
  CitationStatus status = CitationStatus::unsupported;
  bool stale = false;  ///< the file has changed (or gone) since it was indexed
};

struct AnswerTimings {  // milliseconds
  double embed = 0;
  double retrieve = 0;
  double prefill = 0;
  double decode = 0;
  double total = 0;
};

struct Answer {
  std::string question;
  AnswerStatus status = AnswerStatus::failed;
  std::string answer;  ///< "" unless answered
  std::vector<Citation> citations;
  std::string withdrawn;  ///< what the model wrote, where no cited page supports any of it
  std::vector<std::string> uncited;  ///< statements without a number: unsupported
  std::vector<std::string> dropped;  ///< unsupported statements that `strict` left out
  std::vector<Passage> passages;     ///< what was given to the model; the nearest, when refused
  Evidence evidence;
  std::optional<std::string> generator;  ///< the model that was asked; empty where none was
  AnswerTimings timings;
  std::size_t prompt_tokens = 0;
  std::size_t generated_tokens = 0;
  std::optional<std::string> error;
};

struct BatchReport {
  std::size_t answered = 0;
  std::size_t not_in_documents = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;  ///< done by an earlier run (resume)
};

// ---- Models -----------------------------------------------------------------------------------

/// A file in the folder of models; nothing of it has been read.
struct InstalledModel {
  std::string name;
  std::filesystem::path path;
  std::uint64_t bytes = 0;  ///< of a split model: of its first part
};

struct ModelDescription {
  std::filesystem::path path;
  std::string sha256;  ///< empty unless asked for
  std::string architecture;
  std::string name;
  std::string quantization;
  std::vector<std::pair<std::string, std::size_t>> tensor_types;
  std::uint64_t file_bytes = 0;
  std::uint64_t parameters = 0;
  std::size_t layers = 0;
  std::size_t hidden_size = 0;
  std::size_t context = 0;
  std::size_t vocabulary = 0;
  bool generates = false;
  std::string pooling;
  std::string query_prefix;
  std::string passage_prefix;
  std::string kernels;
  bool has_chat_template = false;
};

struct Tokenization {
  std::vector<std::int32_t> ids;
  std::vector<std::string> pieces;                         ///< as the vocabulary spells them
  std::vector<std::pair<std::size_t, std::size_t>> spans;  ///< bytes [start, end) of the text
};

struct TokenAlternative {
  std::int32_t id = 0;
  float logprob = 0;
};

/// One turn of a conversation.
struct ChatMessage {
  std::string role;  ///< "system", "user", "assistant"
  std::string content;
};

struct TokenRecord {
  std::int32_t id = 0;
  float logprob = 0;  ///< of the model's own distribution
  std::vector<TokenAlternative> top;
};

struct GeneratedText {
  std::string text;
  std::vector<std::int32_t> prompt_ids;
  std::vector<TokenRecord> tokens;
  std::string finish;             ///< "stop", "length", "stop_string", "cancelled"
  std::size_t reused_tokens = 0;  ///< of the prompt, that a request before it had computed
  double load_ms = 0;
  double prompt_ms = 0;
  double decode_ms = 0;
};

/// The most that a machine gives, all threads together. Operations: a product and a sum are two.
struct MachineLimits {
  std::string processor;  ///< as the system names it
  std::string kernels;    ///< the instruction set that was measured
  unsigned threads = 0;
  std::uint64_t last_level_cache_bytes = 0;  ///< 0 where the system does not tell
  double int8_operations_per_second = 0;
  std::optional<double> bf16_operations_per_second;  ///< empty: no such instructions
  double f32_operations_per_second = 0;
  double bytes_per_second = 0;  ///< read from memory, past all caches
};

/// What is computed and read.
struct ModelWork {
  double int8_operations = 0;
  double bf16_operations = 0;
  double f32_operations = 0;
  double bytes = 0;  ///< of weights and of cached keys and values
};

/// How near to its machine's limits a computation comes.
struct LimitShare {
  double share = 0;    ///< the least time that the limits allow, divided by the time taken
  std::string set_by;  ///< the limit that is met first: "int8", "bf16", "f32", "memory"
};

/// All operations of a model that do the same, in one of its phases.
struct OperationSpeed {
  std::string kind;  ///< "product", "attention", "rows"; "other": waking and joining threads
  std::string name;  ///< of a product the types of its weights, outputs and inputs
  std::size_t calls = 0;
  double seconds = 0;  ///< the mean of all threads, waiting for each other included
  ModelWork work;      ///< none is counted for rows and other
  std::optional<LimitShare> limit;
};

/// Speed of one phase: embedding texts, entering a prompt, or generating one token after the other.
struct PhaseSpeed {
  std::size_t tokens = 0;  ///< of a text, of the prompt, or generated after that prompt
  double tokens_per_second = 0;
  ModelWork work_per_token;
  LimitShare limit;
  double operations_seconds = 0;           ///< of the run that the operations were timed in
  std::vector<OperationSpeed> operations;  ///< most time first; empty unless asked for
};

/// Speed at one length of the text, of the prompt, or of what stands before a generated token.
struct LengthSpeed {
  std::size_t tokens = 0;
  double tokens_per_second = 0;
  double limit_tokens_per_second = 0;  ///< what the machine's limits allow
};

/// Speed of a model on this machine.
struct ModelSpeed {
  std::string name;
  double load_ms = 0;
  MachineLimits limits;
  PhaseSpeed embedding;               ///< texts of 256 tokens
  std::optional<PhaseSpeed> prefill;  ///< a prompt of 512 tokens
  std::optional<PhaseSpeed> decode;
  // Empty unless asked for. A model that generates has the last two, others have the first.
  std::vector<LengthSpeed> embedding_over_length;
  std::vector<LengthSpeed> prefill_over_length;
  std::vector<LengthSpeed> decode_over_length;
};

}  // namespace lore
