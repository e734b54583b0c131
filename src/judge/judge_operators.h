// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "backend.h"
#include "case_result.h"
#include "judge_case.h"
#include "judge_windows.h"
#include "test_vector.h"

namespace assay {

// Looks for the operators with which a step goes wrong whose outputs or variables are wrong, or in
// which the backend crashes and names an operator.
// - Each operator runs alone, on the values that the reference executor has there: all in one run,
//   and the first of each signature that is wrong once more, in a new process if `rule` takes it.
//   An operator that crashes alone is wrong, whatever the whole shows.
//   Each of the first four signatures becomes a finding that names its operator (Finding::window),
//   in the order of execution.
// - If none is wrong alone, sets of two to four connected operators run in the same way. The
//   smallest one that is wrong becomes a finding that names all of them (Finding::graph), because a
//   wrong value may show in another operator than the one that makes it. A crash runs no sets.
// - If no set is wrong, the backend is asked for taps, if it declares `taps-used`. The first
//   operator that is wrong on the values that the backend has there is the finding (Finding::taps),
//   unless it is right alone.
// The findings on outputs stay behind these, and follow from one if they depend on it. A finding
// that follows from none, and whose operator is right alone, names no operator any more; one of a
// window, of taps or of a variable stays as it is. Nothing changes for a graph of one operator, for
// other findings, and if no operator but the producer of the wrong output is wrong.
void NameWrongOperators(Backend& backend, const TestVector& vector, AloneRule& rule,
                        CaseResult& result);

// Returns the operator or the set of such a finding as a vector; nothing if it is not wrong alone.
std::optional<FailingWindow> FindFailingOperator(Backend& backend, const TestVector& vector,
                                                 const Finding& finding);

}  // namespace assay
