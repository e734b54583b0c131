// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backend.h"
#include "case_result.h"
#include "judge_windows.h"
#include "test_vector.h"

namespace assay {

// Judges operators of a case by values that the backend itself has inside the graph (taps), if it
// offers them: the operators of the main blocks that vague outputs depend on, in every step.
// Each is judged alone, or with the operators before it whose results the backend does not show.
// Its operands are what the backend shows there, half a unit wider at each end, because a backend
// may keep higher precision (ShownTensor()). `result` is what is known without taps.
// - If an operator disagrees, and does so as often as `repeats` says, so does the case. The
//   findings name the operator (Finding::taps). They rest on the declaration `taps-used`; if the
//   backend does not declare that, the case is a suspect. A tap of a wrong type or shape is a
//   finding anyway.
// - If all agree with every element decided, and the outputs are those of a run without taps, the
//   case agrees. The note says that it was judged by taps.
// - Otherwise the state stays as it was, and the note adds what the taps say.
// CaseResult::tapped is the number of operators that were judged. The counts of elements are those
// of the whole vector. Returns true if nothing is left to judge.
bool JudgeTaps(Backend& backend, const TestVector& vector, int repeats, CaseResult& result);

// Asks for all taps of a vector whose outputs or variables are wrong. Returns the finding on the
// first operator that is wrong on the values that the backend has there, if it comes again. Returns
// nothing unless the backend offers taps and declares `taps-used`.
std::optional<Finding> FindingByTaps(Backend& backend, const TestVector& vector);

// Runs a vector as JudgeTaps() or FindingByTaps() does. Returns the first window that disagrees,
// with the shown values as its exact inputs, if it disagrees alone as well. Returns nothing if it
// does not.
std::optional<FailingWindow> FindFailingTap(Backend& backend, const TestVector& vector);

}  // namespace assay
