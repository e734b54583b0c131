// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backend.h"
#include "case_result.h"
#include "test_vector.h"

namespace assay {

// Returns one vector that runs vectors of one graph and one step, each in a context of its own. The
// rest is that of `whole`.
TestVector Together(const TestVector& whole, const std::vector<const TestVector*>& vectors);

// Judges windows (windows.h) of the operators that vague outputs of a case depend on: the first
// 32, fused ones before small ones, and then those that contain further operators, up to 512. All
// windows run as one vector. `result` is what is known without them.
// - If a window disagrees, and disagrees alone as often as `repeats` says, so does the case. The
//   findings name the window (Finding::window).
// - If all windows agree, and each of those operators is in a window that decides every element of
//   its outputs, the case agrees. The note says that it was judged by windows.
// - Otherwise the state stays as it was, and the note adds what the windows say.
// CaseResult::windows is their number if all of them were judged. The counts of elements are those
// of the whole vector.
void JudgeWindows(Backend& backend, const TestVector& vector, const std::string& path, int repeats,
                  CaseResult& result);

// A window that disagrees, and its result when it runs alone.
struct FailingWindow {
  TestVector vector;
  CaseResult result;
};

// Runs the windows of a vector as JudgeWindows() does. Returns the first one that disagrees,
// nothing if none does.
std::optional<FailingWindow> FindFailingWindow(Backend& backend, const TestVector& vector);

}  // namespace assay
