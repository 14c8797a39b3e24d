#include "lore/json.hpp"

#include "pipeline/json_values.hpp"

namespace lore {
namespace {

using pipeline::dump;
using pipeline::Json;
using pipeline::json_of;

Json failures_of(const std::vector<FailedFile>& failures) {
  Json list = Json::array();
  for (const FailedFile& failure : failures) list.push_back(json_of(failure));
  return list;
}

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

void add_answer(Json& object, const Answer& answer) {
  Json citations = Json::array();
  for (const Citation& citation : answer.citations) citations.push_back(json_of(citation));
  Json passages = Json::array();
  for (const Passage& passage : answer.passages) {
    Json entry = {{"n", passage.rank}};
    entry.update(json_of(passage));
    passages.push_back(std::move(entry));
  }
  object["question"] = answer.question;
  object["status"] = status_name(answer.status);
  object["answer"] = answer.answer;
  object["citations"] = std::move(citations);
  object["withdrawn"] = answer.withdrawn.empty() ? Json(nullptr) : Json(answer.withdrawn);
  object["uncited"] = answer.uncited;
  object["dropped"] = answer.dropped;
  object["passages"] = std::move(passages);
  object["evidence"] = {{"query_terms", answer.evidence.query_terms},
                        {"terms_met", answer.evidence.terms_met},
                        {"similarity", json_number(answer.evidence.similarity)},
                        {"sufficient", answer.evidence.sufficient}};
  object["generator"] = answer.generator ? Json(*answer.generator) : Json(nullptr);
  object["timings_ms"] = {{"embed", answer.timings.embed},
                          {"retrieve", answer.timings.retrieve},
                          {"prefill", answer.timings.prefill},
                          {"decode", answer.timings.decode},
                          {"total", answer.timings.total}};
  object["tokens"] = {{"prompt", answer.prompt_tokens}, {"generated", answer.generated_tokens}};
  object["error"] = answer.error ? Json(*answer.error) : Json(nullptr);
}

}  // namespace

std::string_view status_name(AnswerStatus status) noexcept {
  switch (status) {
    case AnswerStatus::answered:
      return "answered";
    case AnswerStatus::not_in_documents:
      return "not_in_documents";
    case AnswerStatus::failed:
      break;
  }
  return "failed";
}

std::string_view status_name(CitationStatus status) noexcept {
  switch (status) {
    case CitationStatus::verified:
      return "verified";
    case CitationStatus::weak:
      return "weak";
    case CitationStatus::unsupported:
      break;
  }
  return "unsupported";
}

std::string to_json(std::span<const Passage> passages) {
  Json list = Json::array();
  for (const Passage& passage : passages) list.push_back(json_of(passage));
  return dump(list);
}

std::string to_json(const Answer& answer) {
  Json object;
  add_answer(object, answer);
  return dump(object);
}

std::string to_json(const Answer& answer, const std::string& id_json) {
  Json object;
  object["id"] = Json::parse(id_json);
  add_answer(object, answer);
  return dump(object);
}

std::string to_json(const IndexReport& report) {
  Json notices = Json::array();
  for (const FileNotice& notice : report.notices) {
    notices.push_back({{"path", notice.path.string()},
                       {"pages", notice.pages},
                       {"pages_without_text", notice.pages_without_text},
                       {"without_text", notice.without_text},
                       {"problems", notice.problems}});
  }
  return dump({{"added", report.added},
               {"changed", report.changed},
               {"moved", report.moved},
               {"removed", report.removed},
               {"unchanged", report.unchanged},
               {"failed", failures_of(report.failed)},
               {"pages", report.pages},
               {"pages_without_text", report.pages_without_text},
               {"pages_failed", report.pages_failed},
               {"unsupported", report.unsupported},
               {"chunks", report.chunks},
               {"tokens", report.tokens},
               {"seconds", report.seconds},
               {"notices", std::move(notices)},
               {"index", report.index.string()}});
}

std::string to_json(const IndexStatus& status) {
  Json documents = Json::array();
  for (const DocumentInfo& document : status.listed) {
    documents.push_back({{"document", document.document},
                         {"format", document.format},
                         {"title", document.title},
                         {"pages", document.pages},
                         {"pages_without_text", document.pages_without_text},
                         {"chunks", document.chunks},
                         {"bytes", document.bytes},
                         {"problems", document.problems}});
  }
  Json settings = Json::object();
  for (const auto& [key, value] : status.settings) settings[key] = value;
  return dump({{"index", status.index.string()},
               {"embed_model",
                {{"name", status.embed_model},
                 {"sha256", status.embed_model_sha256},
                 {"pooling", status.pooling},
                 {"dimension", status.dimension}}},
               {"settings", std::move(settings)},
               {"documents", status.documents},
               {"pages", status.pages},
               {"pages_without_text", status.pages_without_text},
               {"chunks", status.chunks},
               {"bytes", status.bytes},
               {"recall", or_null(status.recall)},
               {"listed", std::move(documents)},
               {"failed", failures_of(status.failed)}});
}

std::string to_json(const CheckOutcome& outcome) {
  return dump({{"sound", outcome.problems.empty()},
               {"problems", outcome.problems},
               {"repaired", outcome.repaired},
               {"documents", outcome.documents},
               {"chunks", outcome.chunks},
               {"vectors", outcome.vectors}});
}

std::string to_json(const StoredDocument& document) {
  Json pages = Json::array();
  for (const StoredPage& page : document.pages) {
    pages.push_back({{"page", page.page},
                     {"page_label", page.label},
                     {"state", page.state},
                     {"note", page.note},
                     {"start", page.start},
                     {"end", page.end}});
  }
  return dump({{"document", document.document},
               {"path", document.path.string()},
               {"title", document.title},
               {"format", document.format},
               {"sha256", document.sha256},
               {"pages", std::move(pages)},
               {"problems", document.problems},
               {"offset", document.offset},
               {"text", document.text}});
}

std::string to_json(const ModelDescription& model) {
  Json types = Json::object();
  for (const auto& [type, count] : model.tensor_types) types[type] = count;
  return dump({{"path", model.path.string()},
               {"sha256", model.sha256},
               {"architecture", model.architecture},
               {"name", model.name},
               {"quantization", model.quantization},
               {"tensor_types", std::move(types)},
               {"file_bytes", model.file_bytes},
               {"parameters", model.parameters},
               {"layers", model.layers},
               {"hidden_size", model.hidden_size},
               {"context", model.context},
               {"vocabulary", model.vocabulary},
               {"generates", model.generates},
               {"pooling", model.pooling},
               {"query_prefix", model.query_prefix},
               {"passage_prefix", model.passage_prefix},
               {"kernels", model.kernels},
               {"has_chat_template", model.has_chat_template}});
}

std::string to_json(const Tokenization& tokens) {
  Json spans = Json::array();
  for (const auto& [start, end] : tokens.spans) spans.push_back(Json::array({start, end}));
  return dump({{"ids", tokens.ids}, {"pieces", tokens.pieces}, {"spans", std::move(spans)}});
}

std::string to_json(const GeneratedText& generated) {
  Json ids = Json::array();
  Json logprobs = Json::array();
  for (const TokenRecord& token : generated.tokens) {
    ids.push_back(token.id);
    Json top = Json::array();
    for (const TokenAlternative& other : token.top) {
      top.push_back(Json::array({other.id, json_number(other.logprob)}));
    }
    logprobs.push_back(
        {{"id", token.id}, {"logprob", json_number(token.logprob)}, {"top", std::move(top)}});
  }
  return dump({{"text", generated.text},
               {"ids", std::move(ids)},
               {"prompt_ids", generated.prompt_ids},
               {"finish", generated.finish},
               {"logprobs", std::move(logprobs)},
               {"timings",
                {{"load_ms", generated.load_ms},
                 {"prompt_tokens", generated.prompt_ids.size()},
                 {"prompt_ms", generated.prompt_ms},
                 {"generated_tokens", generated.tokens.size()},
                 {"decode_ms", generated.decode_ms}}}});
}

std::string to_json(std::span<const float> numbers) {
  std::string text;
  pipeline::append_numbers(text, numbers);
  return text;
}

}  // namespace lore
