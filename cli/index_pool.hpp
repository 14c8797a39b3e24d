// An index opened as often as there are requests at the same time.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lore/library.hpp"

namespace lore::cli {

/// What was opened once is kept, with the models that it has loaded.
///
/// Thread safety: any thread.
class IndexPool {
 public:
  /// The library must outlive it.
  IndexPool(Library& library, std::filesystem::path folder, std::optional<std::string> embed_model)
      : library_(library), folder_(std::move(folder)), embed_model_(std::move(embed_model)) {}

  /// An index for one request, given back at its end.
  class Lease {
   public:
    Lease(IndexPool& pool, DocumentIndex index) : pool_(pool), index_(std::move(index)) {}
    ~Lease() { pool_.give_back(std::move(index_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    DocumentIndex& operator*() { return index_; }
    DocumentIndex* operator->() { return &index_; }

   private:
    IndexPool& pool_;
    DocumentIndex index_;
  };
  /// Throws as Library::open.
  Lease take();

 private:
  void give_back(DocumentIndex index);

  Library& library_;
  std::filesystem::path folder_;
  std::optional<std::string> embed_model_;
  std::mutex mutex_;
  std::vector<DocumentIndex> free_;
};

}  // namespace lore::cli
