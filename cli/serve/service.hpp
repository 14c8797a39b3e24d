// What all handlers share: the models, the index, and how much is computed at the same time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "cli/index_pool.hpp"
#include "cli/serve/http_server.hpp"
#include "cli/serve/metrics.hpp"
#include "lore/error.hpp"
#include "lore/library.hpp"

namespace lore::cli::serve {

struct ServiceOptions {
  std::filesystem::path index{};  ///< empty: none
  std::optional<std::string> embed_model{};
  std::optional<std::string> model{};  ///< that writes; empty: the default one, or none
  std::size_t context = 0;             ///< tokens of prompt and answer; 0: the model's, up to 4096
  bool allow_upload = false;           ///< documents may be added
  std::size_t waiting = 64;            ///< requests computed or waiting at the same time
  std::chrono::seconds time_limit{600};  ///< of one request
};

/// Thread safety: any thread.
class Service {
 public:
  /// Loads the models and opens the index once, so that what is wrong with them is told at once.
  /// What is missing is told when somebody asks for it. Throws Error.
  Service(Library library, ServiceOptions options, std::function<void(std::string_view)> note);

  Library& library() { return library_; }
  Metrics& metrics() { return metrics_; }
  const ServiceOptions& options() const { return options_; }

  /// A model of the server: the name that requests ask for (of a file, its name without .gguf), and
  /// what the library finds it by. Empty where there is none.
  struct ModelName {
    std::string id;
    std::string source;
  };
  const ModelName& embed_model() const { return embed_name_; }
  const ModelName& generator_model() const { return generator_name_; }
  /// Throw Error{not_found}: where there is no such model, or `asked` names another one.
  TextEmbedder& embedder(const std::optional<std::string>& asked = std::nullopt);
  TextGenerator& generator(const std::optional<std::string>& asked = std::nullopt);

  /// Throws Error{not_found} where the server has none.
  IndexPool::Lease index();

  /// Keeps a document beside the others and reads it into the index, one upload at a time. Throws
  /// Error{read_only} where uploads are not allowed, Error{invalid_argument} for a name that is no
  /// file's or is taken, and what writing and indexing throw.
  IndexReport add_document(const std::string& name, std::string_view bytes);

  /// A place among those who are computed or wait; none where too many do.
  class Place {
   public:
    explicit Place(Service& service) : service_(&service) {}
    Place(Place&& other) noexcept : service_(std::exchange(other.service_, nullptr)) {}
    ~Place() {
      if (service_ != nullptr) --service_->running_;
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    Place& operator=(Place&&) = delete;

   private:
    Service* service_;
  };
  std::optional<Place> enter();
  std::size_t running() const { return running_; }

  /// From now on requests in hand are cut off.
  void stop() { stopping_ = true; }
  /// Whether to go on with a request: its client waits, its time is not over, nobody stops us.
  StopFlag cancelled(const HttpRequest& request) const;

 private:
  void load_models();
  Error missing(const std::string& what) const;

  Library library_;
  ServiceOptions options_;
  std::function<void(std::string_view)> note_;
  std::string get_models_;  ///< the command that fetches models
  Metrics metrics_;
  ModelName embed_name_;
  ModelName generator_name_;
  std::optional<TextEmbedder> embedder_;
  std::optional<TextGenerator> generator_;
  IndexPool indexes_;
  std::mutex uploading_;
  std::atomic<std::size_t> running_{0};
  std::atomic<bool> stopping_{false};
};

}  // namespace lore::cli::serve
