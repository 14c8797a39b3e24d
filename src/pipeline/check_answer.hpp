// An answer's sentences held against the pages that they cite.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "index/index.hpp"
#include "lore/types.hpp"

namespace lore::pipeline {

/// Documents of one answer, each read once, and whether their files are as they were indexed.
///
/// Thread safety: one thread at a time.
class CitedDocuments {
 public:
  using Hash = std::function<std::string(const std::filesystem::path&)>;
  CitedDocuments(const index::Reader& reader, Hash hash)
      : reader_(reader), hash_(std::move(hash)) {}

  const index::DocumentRecord& get(const std::string& stored_path);
  /// The file has another content than what was indexed, or is gone. Read only where its size is
  /// the same and its time is not.
  bool is_stale(const std::string& stored_path);

 private:
  const index::Reader& reader_;
  Hash hash_;
  std::map<std::string, index::DocumentRecord> documents_;
  std::map<std::string, bool> stale_;
};

struct CheckedAnswer {
  std::string text;
  std::vector<Citation> citations;
  std::vector<std::string> uncited;
  std::vector<std::string> dropped;
  std::size_t sentences = 0;  ///< of the whole answer, those in `dropped` too
  std::size_t supported = 0;  ///< of these: by a verified or a weak citation
  bool any_verified = false;  ///< at least one sentence is verified
};

/// Verifies each sentence against the pages of each passage that it cites by its rank; one citation
/// a sentence and number, none for numbers that none of the passages has. A weak citation supports
/// its sentence only if the quote has something that the sentence adds to the question, whose own
/// words prove nothing. `strict` takes out sentences that no citation supports.
CheckedAnswer check_answer(std::string_view answer, std::string_view question,
                           std::span<const Passage> passages, bool strict,
                           CitedDocuments& documents);

/// The rank of the passage whose own words support a sentence best, else of the one that has most
/// of its content words, the earliest of equals; 0 where none has any.
std::size_t supporting_passage(std::string_view sentence, std::span<const Passage> passages);

/// The best sentences of the passages themselves, each with its number; a sentence has to say more
/// than the title and the headings that it stands under.
CheckedAnswer extract_answer(std::string_view question, std::span<const Passage> passages,
                             CitedDocuments& documents);

}  // namespace lore::pipeline
