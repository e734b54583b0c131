#pragma once

#include <source_location>

namespace assay {

// Stops the program (exit status 4, one line with file and line) when an invariant of our own is
// broken. For what the world did wrong there is Result<T>; for a wrong backend there is Verdict.
void Check(bool holds, const char* invariant,
           std::source_location where = std::source_location::current());

}  // namespace assay
