#pragma once

#include <string>

#include "backend.h"
#include "case_result.h"
#include "case_source.h"

namespace assay {

// Judges a case as JudgeOnBackend() does. If nothing disagrees but some elements are undecided,
// goes on with every instrument that reaches inner values: taps (judge_taps.h), and what these
// leave open, windows (judge_windows.h). Arm test directories are judged as a whole only.
CaseResult JudgeInDepth(Backend& backend, const LoadedCase& loaded, const std::string& path,
                        int repeats = 1);

}  // namespace assay
