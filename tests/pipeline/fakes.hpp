// Stand-ins for the engine and the index, so that the pipelines are tested alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "index/index.hpp"
#include "lore/error.hpp"

namespace lore::test {

/// A token a word; a vector that depends on the words alone.
class FakeEmbedder : public engine::Embedder {
 public:
  std::size_t calls = 0;
  std::vector<std::size_t> batches;  ///< tokens of each call

  std::size_t dimension() const override { return 4; }
  std::size_t max_tokens() const override { return 32; }
  engine::Pooling pooling() const override { return engine::Pooling::mean; }

  std::vector<engine::TokenId> encode(std::string_view text, engine::InputType,
                                      bool) const override {
    std::istringstream words{std::string(text)};
    std::vector<engine::TokenId> ids{101};
    for (std::string word; words >> word;) {
      ids.push_back(static_cast<engine::TokenId>(std::hash<std::string>{}(word) % 30000));
    }
    ids.push_back(102);
    return ids;
  }
  std::vector<engine::TokenId> truncate(std::vector<engine::TokenId> ids,
                                        std::size_t limit) const override {
    ids.resize(std::min(ids.size(), limit == 0 ? max_tokens() : limit));
    return ids;
  }
  void embed(std::span<const std::vector<engine::TokenId>> sequences,
             std::span<float> out) override {
    ++calls;
    std::size_t tokens = 0;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      if (sequences[i].size() > max_tokens()) {
        throw Error(ErrorCode::limit_exceeded, "a sequence is too long");
      }
      tokens += sequences[i].size();
      for (std::size_t d = 0; d < dimension(); ++d) {
        float sum = 0;
        for (const engine::TokenId id : sequences[i]) {
          sum += std::sin(static_cast<float>(id) * static_cast<float>(d + 1));
        }
        out[i * dimension() + d] = sum;
      }
    }
    batches.push_back(tokens);
  }
};

/// An index in memory. Each change is noted in `log`.
class FakeWriter : public index::Writer {
 public:
  std::map<std::int64_t, index::DocumentRecord> stored;
  std::map<std::int64_t, std::vector<float>> vectors;
  std::map<std::string, index::FailureRecord> failed;
  std::map<std::string, std::string> settings;
  std::vector<std::string> log;
  std::string fail_put_of;  ///< a path whose put finds the disk full

  static index::DocumentSummary summary(std::int64_t id, const index::DocumentRecord& record) {
    index::DocumentSummary summary;
    summary.id = id;
    summary.path = record.path;
    summary.size = record.size;
    summary.modified_ns = record.modified_ns;
    summary.sha256 = record.sha256;
    summary.chunks = record.chunks.size();
    return summary;
  }

  std::optional<index::DocumentSummary> find(std::string_view path) const override {
    for (const auto& [id, record] : stored) {
      if (record.path == path) return summary(id, record);
    }
    return std::nullopt;
  }
  std::vector<index::DocumentSummary> documents() const override {
    std::vector<index::DocumentSummary> found;
    for (const auto& [id, record] : stored) found.push_back(summary(id, record));
    return found;
  }
  std::vector<index::FailureRecord> failures() const override {
    std::vector<index::FailureRecord> found;
    for (const auto& [path, failure] : failed) found.push_back(failure);
    return found;
  }
  void put(const index::DocumentRecord& document, std::span<const float> rows) override {
    if (document.path == fail_put_of) throw Error(ErrorCode::no_space, "the disk is full");
    std::int64_t id = next_++;
    if (const auto known = find(document.path)) id = known->id;
    stored[id] = document;
    vectors[id].assign(rows.begin(), rows.end());
    failed.erase(document.path);
    log.push_back("put " + document.path);
  }
  void remove(std::int64_t id) override {
    log.push_back("remove " + stored.at(id).path);
    stored.erase(id);
  }
  void move(std::int64_t id, std::string_view path, std::int64_t modified_ns) override {
    log.push_back("move " + stored.at(id).path + " to " + std::string(path));
    stored.at(id).path = path;
    stored.at(id).modified_ns = modified_ns;
  }
  void touch(std::int64_t id, std::int64_t modified_ns) override {
    stored.at(id).modified_ns = modified_ns;
    log.push_back("touch " + stored.at(id).path);
  }
  void put_failure(const index::FailureRecord& failure) override { failed[failure.path] = failure; }
  void remove_failure(std::string_view path) override { failed.erase(std::string(path)); }
  void set_setting(std::string_view key, std::string_view value) override {
    settings[std::string(key)] = value;
  }
  std::optional<std::string> setting(std::string_view key) const override {
    const auto found = settings.find(std::string(key));
    return found == settings.end() ? std::nullopt : std::optional(found->second);
  }
  void publish() override { log.push_back("publish"); }
  index::CheckReport repair() override { return {}; }

 private:
  std::int64_t next_ = 1;
};

/// A vocabulary given piece by piece; the last token ends a generation.
class FakeTokenizer : public engine::Tokenizer {
 public:
  explicit FakeTokenizer(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}

  engine::Encoding encode(std::string_view text, const engine::EncodeOptions&) const override {
    engine::Encoding encoding;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t best = pieces_.size();
      for (std::size_t i = 0; i < pieces_.size(); ++i) {
        const bool fits = !pieces_[i].empty() && text.substr(at).starts_with(pieces_[i]);
        if (fits && (best == pieces_.size() || pieces_[i].size() > pieces_[best].size())) best = i;
      }
      const std::size_t length = best == pieces_.size() ? 1 : pieces_[best].size();
      encoding.ids.push_back(static_cast<engine::TokenId>(best));
      encoding.spans.push_back({at, at + length});
      at += length;
    }
    return encoding;
  }
  std::size_t size() const override { return pieces_.size() + 1; }
  std::string_view token(engine::TokenId id) const override {
    const auto index = static_cast<std::size_t>(id);
    return index < pieces_.size() ? std::string_view(pieces_[index]) : "<end>";
  }
  std::string piece(engine::TokenId id, bool) const override {
    return static_cast<std::size_t>(id) < pieces_.size() ? std::string(token(id)) : "";
  }
  std::string decode(const std::vector<engine::TokenId>& ids, bool special) const override {
    std::string text;
    for (const engine::TokenId id : ids) text += piece(id, special);
    return text;
  }
  std::optional<engine::TokenId> bos() const override { return std::nullopt; }
  std::optional<engine::TokenId> eos() const override { return end(); }
  bool is_end_of_generation(engine::TokenId id) const override { return id == end(); }
  bool is_control(engine::TokenId id) const override { return id == end(); }
  std::optional<engine::TokenId> find(std::string_view token) const override {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (pieces_[i] == token) return static_cast<engine::TokenId>(i);
    }
    return std::nullopt;
  }
  engine::TokenId end() const { return static_cast<engine::TokenId>(pieces_.size()); }

 protected:
  std::vector<engine::TokenId> encode_ids(std::string_view text,
                                          const engine::EncodeOptions& options) const override {
    return encode(text, options).ids;
  }

 private:
  std::vector<std::string> pieces_;
};

}  // namespace lore::test
