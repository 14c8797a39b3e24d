// lore.h over the library's own interface. No exception leaves it.
#include "lore.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lore/json.hpp"
#include "lore/library.hpp"

struct lore_library {
  lore::Library library;
};
struct lore_embedder {
  lore::TextEmbedder embedder;
};
struct lore_index {
  lore::DocumentIndex index;
};

namespace {

using Json = nlohmann::json;

/// A copy that lore_free can take; null where there is no memory.
char* text_of(std::string_view text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

void leave(char** error, std::string_view sentence) {
  if (error != nullptr) *error = text_of(sentence);
}

/// Runs what may throw; `failed` is returned then.
template <typename Result, typename Body>
Result guarded(char** error, Result failed, Body body) {
  if (error != nullptr) *error = nullptr;
  try {
    return body();
  } catch (const std::bad_alloc&) {
    leave(error, "there is not enough memory for this");
  } catch (const std::exception& what) {
    leave(error, what.what());
  } catch (...) {
    leave(error, "something failed that says nothing of itself");
  }
  return failed;
}

[[noreturn]] void refuse(const std::string& message) {
  throw lore::Error(lore::ErrorCode::invalid_argument, message);
}

/// The options of a call. Each is taken once; what is left at the end is unknown.
class Options {
 public:
  explicit Options(const char* text) {
    if (text == nullptr) return;
    values_ = Json::parse(text, nullptr, false);
    if (!values_.is_object()) refuse("the options are no JSON object, as in {\"k\": 5}");
  }

  template <typename T>
  std::optional<T> take(const char* name) {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::nullopt;
    const Json value = *found;
    values_.erase(found);
    if (value.is_null()) return std::nullopt;
    constexpr bool kCount = std::is_unsigned_v<T> && !std::is_same_v<T, bool>;
    const bool fits = std::is_same_v<T, bool> ? value.is_boolean()
                      : kCount                ? value.is_number_unsigned()
                                              : value.is_string();
    if (!fits) refuse(std::string("the option \"") + name + "\" has a value of another kind");
    return value.get<T>();
  }
  template <typename T>
  void take(const char* name, T& into) {
    if (auto value = take<T>(name)) into = std::move(*value);
  }

  /// Throws where the caller has given an option that nobody took.
  void finish() const {
    if (!values_.empty()) refuse("there is no option \"" + values_.begin().key() + "\"");
  }

 private:
  Json values_ = Json::object();
};

std::string_view needed(const char* text, const char* what) {
  if (text == nullptr) refuse(std::string(what) + " is NULL");
  return text;
}

}  // namespace

const char* lore_version(void) { return lore::version().data(); }

void lore_free(char* text) { std::free(text); }

lore_library* lore_open(const char* options, char** error) {
  return guarded<lore_library*>(error, nullptr, [&] {
    Options given(options);
    lore::LibraryOptions library;
    library.models = given.take<std::string>("models").value_or("");
    given.take("threads", library.threads);
    given.take("kernels", library.kernels);
    given.finish();
    return std::make_unique<lore_library>(lore_library{lore::Library(std::move(library))})
        .release();
  });
}

void lore_close(lore_library* library) { std::unique_ptr<lore_library>{library}.reset(); }

lore_embedder* lore_embedder_open(lore_library* library, const char* options, char** error) {
  return guarded<lore_embedder*>(error, nullptr, [&] {
    if (library == nullptr) refuse("the library is NULL");
    Options given(options);
    lore::EmbedOptions embed;
    given.take("model", embed.model);
    embed.pooling = given.take<std::string>("pooling");
    if (embed.pooling == "none")
      refuse("pooling none gives no single vector; choose mean, cls or last");
    given.take("normalize", embed.normalize);
    given.take("input_type", embed.input_type);
    given.take("dimensions", embed.dimensions);
    given.take("truncate", embed.truncate);
    given.finish();
    return std::make_unique<lore_embedder>(lore_embedder{library->library.embedder(embed)})
        .release();
  });
}

void lore_embedder_close(lore_embedder* embedder) {
  std::unique_ptr<lore_embedder>{embedder}.reset();
}

size_t lore_embedder_dimension(const lore_embedder* embedder) {
  return embedder == nullptr ? 0 : embedder->embedder.dimension();
}

int64_t lore_embed(lore_embedder* embedder, const char* const* texts, size_t count, float* vectors,
                   char** error) {
  return guarded<int64_t>(error, -1, [&] {
    if (embedder == nullptr || (count > 0 && (texts == nullptr || vectors == nullptr))) {
      refuse("the embedder, the texts or the place for the vectors is NULL");
    }
    std::vector<lore::TextEmbedder::Tokens> tokens;
    int64_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
      const std::string name = "text " + std::to_string(i);
      tokens.push_back(embedder->embedder.encode(needed(texts[i], name.c_str()), name));
      sum += static_cast<int64_t>(tokens.back().ids.size());
    }
    const std::vector<float> computed = embedder->embedder.embed(tokens);
    std::copy(computed.begin(), computed.end(), vectors);
    return sum;
  });
}

lore_index* lore_index_open(lore_library* library, const char* folder, char** error) {
  return guarded<lore_index*>(error, nullptr, [&] {
    if (library == nullptr) refuse("the library is NULL");
    return std::make_unique<lore_index>(
               lore_index{library->library.open(needed(folder, "the folder"))})
        .release();
  });
}

void lore_index_close(lore_index* index) { std::unique_ptr<lore_index>{index}.reset(); }

char* lore_search(lore_index* index, const char* query, const char* options, char** error) {
  return guarded<char*>(error, nullptr, [&] {
    if (index == nullptr) refuse("the index is NULL");
    Options given(options);
    lore::SearchOptions search;
    given.take("k", search.k);
    given.take("filter", search.filter);
    const auto mode = lore::search_kind(given.take<std::string>("mode").value_or("hybrid"));
    if (!mode) refuse("the option \"mode\" is hybrid, vector or text");
    search.mode = *mode;
    given.finish();
    return text_of(lore::to_json(index->index.search(needed(query, "the query"), search).passages));
  });
}

char* lore_ask(lore_index* index, const char* question, const char* options,
               lore_text_callback on_text, void* user, char** error) {
  return guarded<char*>(error, nullptr, [&] {
    if (index == nullptr) refuse("the index is NULL");
    Options given(options);
    lore::AskOptions ask;
    given.take("k", ask.k);
    ask.model = given.take<std::string>("model");
    given.take("generate", ask.generate);
    given.take("strict", ask.strict);
    given.take("filter", ask.filter);
    given.take("context_tokens", ask.context_tokens);
    given.take("max_tokens", ask.max_tokens);
    given.finish();
    lore::AskCallbacks callbacks;
    bool stopped = false;
    if (on_text != nullptr) {
      callbacks.text = [&](std::string_view text) {
        stopped = stopped || on_text(std::string(text).c_str(), user) == 0;
      };
      callbacks.stop = [&] { return stopped; };
    }
    return text_of(
        lore::to_json(index->index.ask(needed(question, "the question"), ask, callbacks)));
  });
}
