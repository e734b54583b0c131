// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace assay {

[[noreturn, gnu::cold]] void FailCheck(const char* invariant, const char* file, int line);

// Stops the program if an invariant of Assay itself is broken: exit status 4, and one line with
// file and line. Errors of the environment are a Result<T>; errors of a backend are a Verdict. (The
// builtins replace std::source_location, which clang 14 does not have.)
inline void Check(bool holds, const char* invariant, const char* file = __builtin_FILE(),
                  int line = __builtin_LINE()) {
  if (!holds) [[unlikely]] {
    FailCheck(invariant, file, line);
  }
}

}  // namespace assay
