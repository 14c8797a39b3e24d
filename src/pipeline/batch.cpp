#include "pipeline/batch.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "lore/error.hpp"
#include "lore/json.hpp"
#include "pipeline/answer_log.hpp"

namespace lore::pipeline {
namespace {

Answer failed_answer(const QuestionRow& row, std::string error) {
  Answer answer;
  answer.question = row.question;
  answer.status = AnswerStatus::failed;
  answer.error = std::move(error);
  return answer;
}

/// Whether an error comes from the question; any other one would meet the next question too.
bool is_of_the_question(ErrorCode code) {
  return code == ErrorCode::invalid_argument || code == ErrorCode::limit_exceeded;
}

Answer answer_row(const QuestionRow& row, const Answerer& answerer) {
  if (!row.error.empty()) return failed_answer(row, row.error);
  try {
    return answerer(row.question);
  } catch (const Error& error) {
    if (!is_of_the_question(error.code())) throw;
    return failed_answer(row, error.what());
  }
}

/// Hands out rows in order and takes answers back in any.
class Board {
 public:
  explicit Board(std::size_t rows) : rows_(rows) {}

  std::optional<std::size_t> next_row() {
    const std::lock_guard lock(mutex_);
    if (error_ || next_ == rows_) return std::nullopt;
    return next_++;
  }
  void put(std::size_t row, Answer answer) {
    const std::lock_guard lock(mutex_);
    answers_.emplace(row, std::move(answer));
    changed_.notify_all();
  }
  void fail(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    changed_.notify_all();
  }
  /// Waits for the answer of `row`. Throws what a worker failed with.
  Answer take(std::size_t row) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return error_ || answers_.contains(row); });
    const auto found = answers_.find(row);
    if (found == answers_.end()) std::rethrow_exception(error_);
    Answer answer = std::move(found->second);
    answers_.erase(found);
    return answer;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t rows_;
  std::size_t next_ = 0;
  std::map<std::size_t, Answer> answers_;
  std::exception_ptr error_;
};

void count(const Answer& answer, BatchReport& report) {
  switch (answer.status) {
    case AnswerStatus::answered:
      ++report.answered;
      break;
    case AnswerStatus::not_in_documents:
      ++report.not_in_documents;
      break;
    case AnswerStatus::failed:
      ++report.failed;
      break;
  }
}

[[noreturn]] void stop_at(std::size_t done, std::size_t total, bool resumable) {
  throw Error(ErrorCode::interrupted,
              "interrupted: " + std::to_string(done) + " of " + std::to_string(total) +
                  " questions are answered and kept" +
                  (resumable ? "; go on with the same command and --resume" : ""));
}

/// The answer of a row; an interruption in the middle of it is one of the batch.
Answer take(Board& board, std::size_t row, std::size_t total, bool resumable) {
  try {
    return board.take(row);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::interrupted) stop_at(row, total, resumable);
    throw;
  }
}

/// Joins its threads whatever happens to the one that started them.
class Workers {
 public:
  Workers(Board& board, const std::vector<const QuestionRow*>& rows,
          std::vector<Answerer> answerers)
      : board_(board) {
    for (Answerer& answerer : answerers) {
      threads_.emplace_back([&board, &rows, answer = std::move(answerer)] {
        try {
          while (const auto row = board.next_row())
            board.put(*row, answer_row(*rows[*row], answer));
        } catch (...) {
          board.fail(std::current_exception());
        }
      });
    }
  }
  ~Workers() {
    // Where the writer gave up, rows that nobody will read need not be begun.
    board_.fail(std::make_exception_ptr(Error(ErrorCode::interrupted, "ended")));
    for (std::thread& thread : threads_) thread.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

 private:
  Board& board_;
  std::vector<std::thread> threads_;
};

void refuse_to_overwrite_questions(const BatchOptions& options) {
  std::error_code ignored;
  if (!std::filesystem::equivalent(options.input, options.output, ignored)) return;
  throw Error(ErrorCode::invalid_argument,
              options.output.string() +
                  " holds the questions; name another file for the answers by --output",
              options.output.string());
}

}  // namespace

BatchReport run_batch(const std::vector<QuestionRow>& rows,
                      const std::function<Answerer()>& make_answerer, const BatchOptions& options,
                      const BatchCallbacks& callbacks) {
  BatchReport report;
  std::optional<AnswerLog> log;
  if (!options.output.empty()) {
    refuse_to_overwrite_questions(options);
    log.emplace(options.output, options.resume);
  }
  std::vector<const QuestionRow*> todo;
  for (const QuestionRow& row : rows) {
    if (log && log->is_done(row)) {
      ++report.skipped;
    } else {
      todo.push_back(&row);
    }
  }
  // First what may fail for reasons that lie in no question: then no file is left behind.
  std::vector<Answerer> answerers;
  const std::size_t jobs = std::min<std::size_t>(std::max(options.jobs, 1U), todo.size());
  for (std::size_t i = 0; i < jobs; ++i) answerers.push_back(make_answerer());
  if (log) log->open();
  if (todo.empty()) return report;

  Board board(todo.size());
  const Workers workers(board, todo, std::move(answerers));
  for (std::size_t i = 0; i < todo.size(); ++i) {
    if (callbacks.stop && callbacks.stop()) stop_at(i, todo.size(), log.has_value());
    const Answer answer = take(board, i, todo.size(), log.has_value());
    const std::string line = to_json(answer, todo[i]->id_json);
    if (log) {
      log->append(line);
    } else if (callbacks.line) {
      callbacks.line(line);
    }
    count(answer, report);
    if (answer.error && callbacks.failed) callbacks.failed(todo[i]->id_json, *answer.error);
    if (callbacks.progress) callbacks.progress(i + 1, todo.size());
  }
  return report;
}

}  // namespace lore::pipeline
