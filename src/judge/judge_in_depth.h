// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend.h"
#include "case_result.h"
#include "case_source.h"
#include "judge_case.h"
#include "judge_windows.h"

namespace assay {

// Judges a case as JudgeOnBackend() does. If nothing disagrees but some elements are undecided
// or their sets are wide (IsVague()), goes on with the other instruments: taps (judge_taps.h), and
// what these leave open by windows (judge_windows.h). For an Arm test directory, the expectation of
// the reference executor is the one that is judged so, and the note still has the verdict by the
// recorded results.
CaseResult JudgeInDepth(Backend& backend, const LoadedCase& loaded, const std::string& path,
                        int repeats = 1, AloneRule* rule = nullptr);

// Returns the part of a vector that shows a finding of JudgeInDepth() alone: the window, or the
// operator on the values that the backend has there. Returns nothing if no part shows it. The
// finding must name a window or taps.
std::optional<FailingWindow> FailingPart(Backend& backend, const TestVector& vector,
                                         const Finding& finding);

}  // namespace assay
