#include "cli/render/report.hpp"

#include "cli/places.hpp"

namespace lore::cli {
namespace {

void add_part(std::string& line, std::size_t count, const std::string& what) {
  if (count == 0) return;
  line += (line.empty() ? "" : ", ") + human_count(count) + " " + what;
}

std::string field(const std::string& name, const std::string& value) {
  constexpr std::size_t kWidth = 16;
  return name + std::string(name.size() < kWidth ? kWidth - name.size() : 1, ' ') +
         printable(value) + "\n";
}

std::string notice_line(const FileNotice& notice) {
  std::string line = shown(notice.path) + ": ";
  if (notice.pages_without_text > 0) {
    line += notice.pages == 1 ? "no text on its only page"
                              : "no text on " + human_count(notice.pages_without_text) + " of " +
                                    counted(notice.pages, "page", "pages");
    line += notice.pages_without_text == notice.pages
                ? " (scanned or empty), so nothing of it can be found"
                : " (scanned or empty: " + notice.without_text + ")";
  }
  for (const std::string& problem : notice.problems) {
    if (!line.ends_with(": ")) line += "; ";
    line += problem;
  }
  return printable(line) + "\n";
}

}  // namespace

std::string render_failure(const FailedFile& failure) {
  std::string line = shown(failure.path) + ": " + failure.reason;
  if (failure.pages_read > 0) {
    line += " (" + counted(failure.pages_read, "page", "pages") + " could be read)";
  }
  if (failure.not_tried_again) line += " (not changed since, so not read again; --retry reads it)";
  if (failure.older_version_kept) line += " (what was indexed of it before is kept)";
  return printable(line);
}

std::string render_report(const IndexReport& report, const Style& style) {
  std::string parts;
  add_part(parts, report.added, "added");
  add_part(parts, report.changed, "changed");
  add_part(parts, report.moved, "moved");
  add_part(parts, report.removed, "removed");
  add_part(parts, report.unchanged, "unchanged");
  add_part(parts, report.failed.size(), "failed");
  std::string text;
  for (const FileNotice& notice : report.notices) text += notice_line(notice);
  text += style.bold("Documents: ") + (parts.empty() ? "none" : parts) + ". Read " +
          counted(report.pages, "page", "pages");
  std::string missing;
  add_part(missing, report.pages_without_text, "without text");
  add_part(missing, report.pages_failed, "not readable");
  if (!missing.empty()) text += " (" + missing + ")";
  text += ", " + counted(report.chunks, "chunk", "chunks") + ", " +
          counted(report.tokens, "token", "tokens") + " in " + human_seconds(report.seconds) +
          ".\n";
  return text;
}

std::string render_status(const IndexStatus& status, const Style& style) {
  std::string text = field("Index", shown(status.index));
  text += field("Documents", human_count(status.documents));
  text += field("Pages", human_count(status.pages) +
                             (status.pages_without_text > 0
                                  ? ", " + human_count(status.pages_without_text) + " without text"
                                  : ""));
  text += field("Chunks", human_count(status.chunks));
  text += field("Size", human_bytes(status.bytes));
  if (status.recall) {
    text += field("Recall", fixed(*status.recall * 100, 1) + " % of what an exact search finds");
  }
  text += field("Model", status.embed_model + ", " + status.pooling + " pooling, " +
                             std::to_string(status.dimension) + " dimensions");
  for (const auto& [key, value] : status.settings) text += field(key, value);
  for (const DocumentInfo& document : status.listed) {
    text += "  " + printable(document.document) + ": " + counted(document.pages, "page", "pages") +
            ", " + counted(document.chunks, "chunk", "chunks");
    if (document.pages_without_text > 0) {
      text += ", " + human_count(document.pages_without_text) + " without text";
    }
    text += '\n';
    for (const std::string& problem : document.problems) {
      text += "    " + style.yellow(printable(problem)) + "\n";
    }
  }
  if (!status.failed.empty()) {
    text +=
        style.red("Not read, or not as a whole (tried again with --retry, or when they change):") +
        "\n";
    for (const FailedFile& failure : status.failed) text += "  " + render_failure(failure) + "\n";
  }
  return text;
}

std::string render_check(const CheckOutcome& outcome, const Style& style) {
  std::string text;
  for (const std::string& repaired : outcome.repaired)
    text += "repaired: " + printable(repaired) + "\n";
  for (const std::string& problem : outcome.problems) {
    text += style.red("problem: ") + printable(problem) + "\n";
  }
  text += (outcome.problems.empty() ? style.green("Sound: ") : style.red("Not sound: ")) +
          counted(outcome.documents, "document", "documents") + ", " +
          counted(outcome.chunks, "chunk", "chunks") + ", " +
          counted(outcome.vectors, "vector", "vectors") + ".\n";
  return text;
}

std::string render_model(const ModelDescription& model) {
  std::string types;
  for (const auto& [type, count] : model.tensor_types) {
    types += (types.empty() ? "" : ", ") + type + " " + std::to_string(count);
  }
  std::string text = field("File", shown(model.path) + " (" + human_bytes(model.file_bytes) + ")");
  text += field("SHA-256", model.sha256);
  text += field("Name", model.name);
  text += field("Architecture", model.architecture);
  text += field("Parameters", human_count(model.parameters));
  text += field("Weights", model.quantization + " (" + types + ")");
  text += field("Layers", std::to_string(model.layers));
  text += field("Hidden size", std::to_string(model.hidden_size));
  text += field("Context", human_count(model.context) + " tokens");
  text += field("Vocabulary", human_count(model.vocabulary) + " tokens");
  text += field("Writes text", model.generates ? "yes" : "no");
  text += field("Chat template", model.has_chat_template ? "yes" : "no");
  text += field("Pooling", model.pooling);
  if (!model.query_prefix.empty()) text += field("Query prefix", "\"" + model.query_prefix + "\"");
  if (!model.passage_prefix.empty()) {
    text += field("Passage prefix", "\"" + model.passage_prefix + "\"");
  }
  return text + field("Kernels", model.kernels);
}

}  // namespace lore::cli
