#pragma once

namespace assay {

[[noreturn, gnu::cold]] void FailCheck(const char* invariant, const char* file, int line);

// Stops the program (exit status 4, one line with file and line) when an invariant of our own is
// broken. For what the world did wrong there is Result<T>; for a wrong backend there is Verdict.
// (The builtins stand for std::source_location, which clang 14 does not have.)
inline void Check(bool holds, const char* invariant, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  if (!holds) [[unlikely]] {
    FailCheck(invariant, file, line);
  }
}

}  // namespace assay
