// Questions from a file: one a line (.txt), a column (.csv), or an object a line (.jsonl).
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lore::pipeline {

struct QuestionRow {
  std::string
      id_json;  ///< the id as a JSON value: a string or a number; the line where none is given
  std::string question;
  std::string error;     ///< why this row cannot be answered; empty for a good one
  std::size_t line = 0;  ///< from 1
  bool has_id = false;   ///< the file gives one
};

/// Empty lines are left out. A CSV file has a header with "question" (and "id"), or one column of
/// questions. A row that makes no sense is kept with its error. Throws Error{not_found, io};
/// Error{invalid_argument} for another kind of file, a CSV header without "question", and for an id
/// that stands twice.
std::vector<QuestionRow> read_questions(const std::filesystem::path& path);

/// The records of a CSV text (RFC 4180: quoted fields may hold commas, quotes and line ends).
struct CsvRecord {
  std::vector<std::string> fields;
  std::size_t line = 0;
};
std::vector<CsvRecord> parse_csv(std::string_view text);

}  // namespace lore::pipeline
