#include "cli/serve/service.hpp"

#include "base/file.hpp"
#include "cli/installation.hpp"
#include "lore/error.hpp"

namespace lore::cli::serve {
namespace {

constexpr std::size_t kLongestName = 200;  // bytes

void check_name(const std::optional<std::string>& asked, const Service::ModelName& own) {
  if (!asked || *asked == own.id || *asked == own.source) return;
  throw Error(ErrorCode::not_found,
              "this server has no model '" + *asked + "' for that; it has '" + own.id + "'",
              "model");
}

Service::ModelName named(const std::string& source) {
  const std::filesystem::path path = source;
  return {path.extension() == ".gguf" ? path.stem().string() : source, source};
}

}  // namespace

Service::Service(Library library, ServiceOptions options,
                 std::function<void(std::string_view)> note)
    : library_(std::move(library)),
      options_(std::move(options)),
      note_(std::move(note)),
      get_models_(find_installation().get_models),
      indexes_(library_, options_.index, options_.embed_model) {
  load_models();
}

void Service::load_models() {
  std::string embed = options_.embed_model.value_or("");
  if (!options_.index.empty()) {
    const std::string own = indexes_.take()->status().embed_model;
    if (embed.empty()) embed = own;
  }
  // A model that was asked for must be there; without the default ones the rest still serves.
  const std::string name = embed.empty() ? std::string(kDefaultEmbedModel) : embed;
  try {
    embedder_.emplace(library_.embedder({.model = name}));
    embed_name_ = named(name);
  } catch (const Error& error) {
    if (options_.embed_model || error.code() != ErrorCode::not_found) throw;
    note_("no embedding model: /v1/embeddings will not work; get one with: " + get_models_ + " " +
          name);
  }
  const auto generator = options_.model ? options_.model : library_.default_generator();
  if (!generator) {
    note_("no model that writes: answers will be the best sentences themselves; get one with: " +
          get_models_ + " " + std::string(kDefaultGenerator));
    return;
  }
  generator_.emplace(library_.generator({.model = *generator, .context = options_.context}));
  generator_name_ = named(*generator);
}

Error Service::missing(const std::string& what) const {
  return Error(
      ErrorCode::not_found,
      "this server has no " + what + "; get one with " + get_models_ + " and start it again",
      "model");
}

TextEmbedder& Service::embedder(const std::optional<std::string>& asked) {
  if (!embedder_) throw missing("embedding model");
  check_name(asked, embed_name_);
  return *embedder_;
}

TextGenerator& Service::generator(const std::optional<std::string>& asked) {
  if (!generator_) throw missing("model that writes");
  check_name(asked, generator_name_);
  return *generator_;
}

IndexPool::Lease Service::index() {
  if (options_.index.empty()) {
    throw Error(ErrorCode::not_found,
                "this server has no index; start it where there is one, or with --index", "index");
  }
  return indexes_.take();
}

IndexReport Service::add_document(const std::string& name, std::string_view bytes) {
  if (!options_.allow_upload) {
    throw Error(ErrorCode::read_only,
                "this server takes no documents; start it with --allow-upload to let it");
  }
  const bool is_name = !name.empty() && name.size() <= kLongestName && name.front() != '.' &&
                       name.find('/') == std::string::npos && name.find('\0') == std::string::npos;
  if (!is_name) {
    throw Error(ErrorCode::invalid_argument,
                "'name' must be a file's name, without folders and without a dot before it",
                "name");
  }
  const std::filesystem::path folder = indexes_.take()->folder();
  const std::filesystem::path file = folder.parent_path() / name;
  const std::lock_guard lock(uploading_);
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) {
    throw Error(ErrorCode::invalid_argument, "there is a document named " + name + " already",
                "name");
  }
  write_file_atomically(file, bytes);
  return library_.index({.paths = {file}, .index = folder, .embed_model = options_.embed_model});
}

std::optional<Service::Place> Service::enter() {
  if (++running_ > options_.waiting) {
    --running_;
    return std::nullopt;
  }
  return Place(*this);
}

StopFlag Service::cancelled(const HttpRequest& request) const {
  const auto until = std::chrono::steady_clock::now() + options_.time_limit;
  return [this, until, connected = request.connected] {
    return stopping_ || std::chrono::steady_clock::now() > until || !connected();
  };
}

}  // namespace lore::cli::serve
