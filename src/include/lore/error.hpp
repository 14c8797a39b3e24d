// The one exception type of lore, and how a caller tells its kinds apart.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "lore/api.hpp"

namespace lore {

/// What went wrong, as far as a caller can act on it. The command maps each to an exit code.
enum class ErrorCode {
  invalid_argument,   ///< the caller asked for something that makes no sense (exit code 2)
  not_found,          ///< a file, model, document or index that does not exist
  io,                 ///< reading or writing failed
  no_space,           ///< the disk is full
  corrupt,            ///< a file breaks the rules of its format
  unsupported,        ///< well-formed, but of a kind that this version does not handle
  limit_exceeded,     ///< an input is larger than a model or a budget allows
  mismatch,           ///< two things do not belong together (an index and another model)
  busy,               ///< somebody else holds what is needed (a second writer)
  read_only,          ///< the place cannot be written
  password_required,  ///< an encrypted document, and no password that opens it
  interrupted,        ///< the user asked to stop; what was finished is kept (exit code 130)
  internal,           ///< a bug in lore
};

/// Ends a call. `what()` is one sentence that names the file, key or flag and says the way out;
/// `context()` is the name alone, for programs. Ordinary failures (one unreadable document among
/// many) are values in a report, not errors.
class LORE_API Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message, std::string context = {})
      : std::runtime_error(message), code_(code), context_(std::move(context)) {}

  ErrorCode code() const noexcept { return code_; }
  const std::string& context() const noexcept { return context_; }

 private:
  ErrorCode code_;
  std::string context_;
};

/// Called by LORE_ASSERT; never returns.
[[noreturn]] inline void fail_assertion(const char* condition, const char* file, int line) {
  throw Error(ErrorCode::internal, std::string("internal error: ") + condition + " at " + file +
                                       ":" + std::to_string(line) + "; please report it");
}

}  // namespace lore

/// States what holds unless lore has a bug. Checked in debug and sanitizer builds; no input may
/// reach it.
#ifdef LORE_ASSERTIONS
#define LORE_ASSERT(condition) \
  ((condition) ? void(0) : ::lore::fail_assertion(#condition, __FILE__, __LINE__))
#else
#define LORE_ASSERT(condition) void(0)
#endif
