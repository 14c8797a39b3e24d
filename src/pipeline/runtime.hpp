// What all objects of one Library share: threads and loaded models.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "base/log.hpp"
#include "base/thread_pool.hpp"
#include "engine/engine.hpp"
#include "index/index.hpp"
#include "lore/options.hpp"
#include "lore/types.hpp"
#include "pipeline/shared_generator.hpp"

namespace lore::pipeline {

/// Thread safety: any thread.
class Runtime {
 public:
  explicit Runtime(LibraryOptions options);

  const LibraryOptions& options() const { return options_; }
  ThreadPool& pool() { return pool_; }
  SharedGenerator& generator() { return generator_; }
  LogSink log() const;
  /// The same message is said once, however many objects find it worth saying.
  void say_once(Severity severity, std::string_view message);

  /// By name or path; a model that is still in use is not loaded again. Throws what find and load
  /// throw.
  std::shared_ptr<const engine::Model> load(const std::string& name_or_path);

 private:
  LibraryOptions options_;
  ThreadPool pool_;
  SharedGenerator generator_;
  std::mutex mutex_;
  std::map<std::filesystem::path, std::weak_ptr<const engine::Model>> models_;
  std::set<std::string, std::less<>> said_;
};

/// What an index records of the model that made its vectors. `name`: as the user named it.
index::ModelFingerprint fingerprint_of(const std::string& name, const engine::Model& model,
                                       const engine::Embedder& embedder, bool normalized);

/// The embedder that an index was made with. `elsewhere`: a name or path to use instead of the
/// recorded name. Throws Error{mismatch} where that model is another one, Error{not_found}.
std::unique_ptr<engine::Embedder> embedder_of(Runtime& runtime,
                                              const index::ModelFingerprint& fingerprint,
                                              const std::filesystem::path& index_folder,
                                              const std::string& elsewhere);

ModelDescription describe(const engine::Model& model, bool with_hash);

}  // namespace lore::pipeline
