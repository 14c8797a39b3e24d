#include "pipeline/question_file.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/file.hpp"
#include "base/utf8.hpp"
#include "lore/error.hpp"
#include "pipeline/json_values.hpp"

namespace lore::pipeline {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return result;
}

QuestionRow make_row(std::string id_json, std::string_view question, std::size_t line) {
  QuestionRow row{std::move(id_json), std::string(trimmed(question)), {}, line, false};
  if (row.question.empty()) {
    row.error = "line " + std::to_string(line) + " holds no question";
  } else if (!utf8::is_valid(row.question)) {
    row.question = utf8::sanitized(row.question);
    row.error = "line " + std::to_string(line) + " is not valid UTF-8; save the file as UTF-8";
  }
  return row;
}

template <typename Body>
void for_each_line(std::string_view text, Body body) {
  std::size_t line = 1;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!trimmed(text.substr(0, end)).empty()) body(text.substr(0, end), line);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line;
  }
}

std::vector<QuestionRow> from_text(std::string_view text) {
  std::vector<QuestionRow> rows;
  for_each_line(text, [&](std::string_view line, std::size_t number) {
    rows.push_back(make_row(std::to_string(number), line, number));
  });
  return rows;
}

QuestionRow from_json_line(std::string_view line, std::size_t number) {
  const std::string name = "line " + std::to_string(number);
  QuestionRow bad{std::to_string(number), {}, {}, number, false};
  const Json object = Json::parse(line, nullptr, false);
  if (object.is_discarded()) {
    bad.error = name + " is not valid JSON; each line must be one object with \"question\"";
    return bad;
  }
  if (object.is_string()) return make_row(bad.id_json, object.get<std::string>(), number);
  if (!object.is_object()) {
    bad.error = name + " is no JSON object with \"question\"";
    return bad;
  }
  if (const auto id = object.find("id"); id != object.end() && !id->is_null()) {
    if (!id->is_string() && !id->is_number()) {
      bad.error = name + ": \"id\" must be a string or a number";
      return bad;
    }
    bad.id_json = dump(*id);
    bad.has_id = true;
  }
  const auto question = object.find("question");
  if (question == object.end() || !question->is_string()) {
    bad.error = name + " has no \"question\" that is a string";
    return bad;
  }
  QuestionRow row = make_row(bad.id_json, question->get<std::string>(), number);
  row.has_id = bad.has_id;
  return row;
}

std::vector<QuestionRow> from_json_lines(std::string_view text) {
  std::vector<QuestionRow> rows;
  for_each_line(text, [&](std::string_view line, std::size_t number) {
    rows.push_back(from_json_line(line, number));
  });
  return rows;
}

std::optional<std::size_t> column(const CsvRecord& header, std::string_view name) {
  for (std::size_t i = 0; i < header.fields.size(); ++i) {
    if (lower(trimmed(header.fields[i])) == name) return i;
  }
  return std::nullopt;
}

std::vector<QuestionRow> from_csv(std::string_view text, const std::filesystem::path& path) {
  const std::vector<CsvRecord> records = parse_csv(text);
  std::vector<QuestionRow> rows;
  if (records.empty()) return rows;
  std::optional<std::size_t> question = column(records.front(), "question");
  const std::optional<std::size_t> id = column(records.front(), "id");
  const bool has_header = question.has_value();
  if (!has_header) {
    const bool one_column = std::all_of(records.begin(), records.end(),
                                        [](const auto& r) { return r.fields.size() == 1; });
    if (!one_column) {
      throw Error(ErrorCode::invalid_argument,
                  path.string() +
                      " has several columns and none is named 'question'; name it in the "
                      "first line, as in: id,question",
                  path.string());
    }
    question = 0;
  }
  for (std::size_t i = has_header ? 1 : 0; i < records.size(); ++i) {
    const CsvRecord& record = records[i];
    const bool has_id =
        has_header && id && *id < record.fields.size() && !trimmed(record.fields[*id]).empty();
    std::string id_json =
        has_id ? dump(Json(std::string(trimmed(record.fields[*id])))) : std::to_string(record.line);
    const std::string_view cell =
        *question < record.fields.size() ? record.fields[*question] : std::string_view();
    rows.push_back(make_row(std::move(id_json), cell, record.line));
    rows.back().has_id = has_id;
  }
  return rows;
}

/// Numbers of lines must not be taken for ids that the file gives.
void name_lines(std::vector<QuestionRow>& rows) {
  const auto is_numbered = [](const QuestionRow& row) {
    return row.id_json == std::to_string(row.line);
  };
  if (std::all_of(rows.begin(), rows.end(), is_numbered)) return;
  for (QuestionRow& row : rows) {
    if (!row.has_id) row.id_json = dump(Json("line " + std::to_string(row.line)));
  }
}

void refuse_doubles(const std::vector<QuestionRow>& rows, const std::filesystem::path& path) {
  std::unordered_map<std::string, std::size_t> lines;
  for (const QuestionRow& row : rows) {
    const auto [first, added] = lines.emplace(row.id_json, row.line);
    if (added) continue;
    throw Error(ErrorCode::invalid_argument,
                path.string() + ": the id " + row.id_json + " stands in line " +
                    std::to_string(first->second) + " and in line " + std::to_string(row.line) +
                    "; give each question an id of its own",
                path.string());
  }
}

}  // namespace

std::vector<CsvRecord> parse_csv(std::string_view text) {
  std::vector<CsvRecord> records;
  CsvRecord record{{}, 1};
  std::string field;
  bool quoted = false;
  bool any = false;  // something stands in this record
  std::size_t line = 1;
  const auto end_record = [&] {
    if (any) {
      record.fields.push_back(std::move(field));
      records.push_back(std::move(record));
    }
    record = {{}, line};
    field.clear();
    any = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"' && field.empty()) {
      quoted = any = true;
    } else if (c == ',') {
      record.fields.push_back(std::move(field));
      field.clear();
      any = true;
    } else if (c == '\n') {
      end_record();
    } else if (c != '\r') {
      field += c;
      any = true;
    }
  }
  end_record();
  return records;
}

std::vector<QuestionRow> read_questions(const std::filesystem::path& path) {
  const std::string extension = lower(path.extension().string());
  if (extension != ".txt" && extension != ".csv" && extension != ".jsonl") {
    throw Error(ErrorCode::invalid_argument,
                "cannot tell the kind of " + path.string() +
                    " by its name; questions come in files that end in .txt, .csv or .jsonl",
                path.string());
  }
  const std::string bytes = read_file(path);
  std::string_view text = bytes;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<QuestionRow> rows = extension == ".txt"   ? from_text(text)
                                  : extension == ".csv" ? from_csv(text, path)
                                                        : from_json_lines(text);
  name_lines(rows);
  refuse_doubles(rows, path);
  return rows;
}

}  // namespace lore::pipeline
