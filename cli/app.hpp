// The command as a whole: verbs, flags, errors to exit codes.
#pragma once

namespace lore::cli {

/// Runs one verb and returns the exit code. Everything that went wrong has been told on standard
/// error by then.
int run(int argc, char** argv);

}  // namespace lore::cli
