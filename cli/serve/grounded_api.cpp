// POST /ask, and chats that are answered from the index.
#include <algorithm>
#include <utility>

#include "cli/json_fields.hpp"
#include "cli/serve/api.hpp"
#include "cli/serve/completion_format.hpp"
#include "cli/serve/completion_request.hpp"
#include "cli/serve/event_stream.hpp"
#include "cli/serve/responses.hpp"
#include "lore/error.hpp"
#include "lore/json.hpp"

namespace lore::cli::serve {
namespace {

constexpr std::size_t kMostPassages = 100;
constexpr std::string_view kRefusal = "The documents do not answer this question.";

Json parsed(const std::string& json) { return Json::parse(json); }

/// "k", "strict" and so on, of /ask itself or of a chat's "lore" object.
AskOptions ask_options(Service& service, const Fields& fields) {
  AskOptions options;
  options.k = fields.count("k", 1, kMostPassages).value_or(options.k);
  options.strict = fields.flag("strict").value_or(options.strict);
  options.filter = fields.text("filter").value_or("");
  options.generate =
      fields.flag("generate").value_or(true) && !service.generator_model().id.empty();
  if (!options.generate) return options;
  options.model = service.generator_model().source;
  // Both fit into the context that the server's models write in.
  const std::size_t most = service.generator().context() / 2;
  options.context_tokens =
      fields.count("context_tokens", 1, most).value_or(std::min(options.context_tokens, most));
  options.max_tokens =
      fields.count("max_tokens", 1, most).value_or(std::min(options.max_tokens, most));
  return options;
}

/// Computes an answer; what is written goes to `text`.
Answer answer(Service& service, const StopFlag& stop, const std::string& question,
              const AskOptions& options, AskCallbacks callbacks) {
  IndexPool::Lease index = service.index();
  callbacks.stop = stop;
  // A strict answer is known only when all of it is checked.
  if (options.strict) callbacks.text = nullptr;
  Answer result = index->ask(question, options, callbacks);
  service.metrics().count_answer(status_name(result.status));
  service.metrics().count_tokens(result.prompt_tokens, 0, result.generated_tokens);
  return result;
}

std::string shown(const Answer& result) {
  return result.status == AnswerStatus::answered ? result.answer : std::string(kRefusal);
}

std::string last_question(const Fields& fields) {
  const std::vector<ChatMessage> messages = messages_of(fields);
  for (auto message = messages.rbegin(); message != messages.rend(); ++message) {
    if (message->role == "user") return message->content;
  }
  fields.refuse("messages", "must hold a message of the user");
}

}  // namespace

HttpResponse ask(Service& service, const HttpRequest& request) {
  const Fields fields = Fields::parse(request.body);
  const auto question = fields.text("question");
  if (!question) fields.refuse("question", "is missing");
  const AskOptions options = ask_options(service, fields);
  const StopFlag stop = service.cancelled(request);
  if (!fields.flag("stream").value_or(false)) {
    return {.body = to_json(answer(service, stop, *question, options, {}))};
  }
  return event_stream([=, &service](const SendEvent& send) {
    bool read = true;
    AskCallbacks callbacks;
    callbacks.passages = [&](const std::vector<Passage>& passages) {
      read = send({{"type", "passages"}, {"passages", parsed(to_json(passages))}});
    };
    callbacks.text = [&](std::string_view text) {
      read = send({{"type", "text"}, {"text", text}});
    };
    const Answer result = answer(
        service, [&] { return !read || stop(); }, *question, options, callbacks);
    send({{"type", "answer"}, {"answer", parsed(to_json(result))}});
  });
}

HttpResponse grounded_chat(Service& service, const HttpRequest& request, const Fields& fields) {
  const Fields lore = *fields.object("lore");
  service.generator(fields.text("model"));
  const std::string question = last_question(fields);
  AskOptions options = ask_options(service, lore);
  if (const auto most = fields.count("max_tokens", 1, service.generator().context() / 2)) {
    options.max_tokens = *most;
  }
  const StopFlag stop = service.cancelled(request);
  const CompletionFormat format(CompletionKind::chat, service.generator_model().id);
  const auto usage_of = [](const Answer& result) {
    return CompletionFormat::usage(result.prompt_tokens, result.generated_tokens);
  };
  // What OpenAI has no name for.
  const auto with_sources = [](Json object, const Answer& result) {
    Json whole = parsed(to_json(result));
    object["citations"] = whole["citations"];
    object["lore"] = std::move(whole);
    return object;
  };
  if (!streaming_of(fields).on) {
    const Answer result = answer(service, stop, question, options, {});
    return json_response(
        with_sources(format.whole(shown(result), nullptr, "stop", usage_of(result)), result));
  }
  return event_stream([=, &service](const SendEvent& send) {
    bool begun = false;
    bool read = true;
    AskCallbacks callbacks;
    const auto write = [&](std::string_view text) {
      if (!begun) send(format.first());
      begun = true;
      read = send(format.piece(text, nullptr));
    };
    callbacks.text = write;
    const Answer result = answer(
        service, [&] { return !read || stop(); }, question, options, callbacks);
    // What was not shown as it came: a refusal, a strict or a withdrawn answer.
    const bool replaced = !result.withdrawn.empty() || result.status != AnswerStatus::answered;
    if (!begun) {
      write(shown(result));
    } else if (replaced) {
      write("\n\n" + shown(result));
    }
    Json last = format.last("stop");
    last["usage"] = usage_of(result);
    send(with_sources(std::move(last), result));
  });
}

}  // namespace lore::cli::serve
