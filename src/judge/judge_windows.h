#pragma once

#include <optional>
#include <string>

#include "backend.h"
#include "case_result.h"
#include "case_source.h"

namespace assay {

// Judges a case as JudgeOnBackend() does. If nothing disagrees but some elements are undecided,
// also judges windows (windows.h) of the operators that undecided outputs depend on: the first 32,
// fused ones before small ones, and then those that contain further operators, up to 512. All
// windows run as one vector.
// - If a window disagrees, and disagrees alone as often as `repeats` says, so does the case. The
//   findings name the window (Finding::window).
// - If all windows agree, and each of those operators is in a window that decides every element of
//   its outputs, the case agrees. The note says that it was judged by windows.
// - Otherwise the state stays as it was, and the note adds what the windows say.
// CaseResult::windows is their number if all of them were judged.
// The counts of elements are those of the whole vector. Arm test directories are judged without
// windows.
CaseResult JudgeWithWindows(Backend& backend, const LoadedCase& loaded, const std::string& path,
                            int repeats = 1);

// A window that disagrees, and its result when it runs alone.
struct FailingWindow {
  TestVector vector;
  CaseResult result;
};

// Runs the windows of a vector as JudgeWithWindows() does. Returns the first one that disagrees,
// nothing if none does.
std::optional<FailingWindow> FindFailingWindow(Backend& backend, const TestVector& vector);

}  // namespace assay
