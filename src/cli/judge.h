#pragma once

#include <string>
#include <vector>

#include "backend.h"
#include "load.h"
#include "oracle.h"
#include "report.h"

namespace assay {

// What the backend says it is, for a title. It is closed again: workers open their own. Error as
// from OpenBackend(); what is not installed says that nothing was judged.
Result<std::string> DescribeBackend(const std::string& specification,
                                    const BackendOptions& options);

// Distinct operators of all graphs with their types, sorted; without CONST and CONST_SHAPE, which
// are in nearly all of them.
std::vector<OperatorUse> OperatorsOf(const TestVector& vector);

// A case of which nothing is known yet but what stands in the vector. `path` is how the user
// reaches it.
CaseResult NewCase(const TestVector& vector, std::string path);

// The rule of the implied error that a step of the case demands, "" if no step demands one: the
// text states no ERROR_IF for it.
std::string ImpliedErrorOf(const LoadedCase& loaded);

// The case of a vector that demands an implied error, where nobody has asked for those: undecided.
CaseResult ExcludedCase(const TestVector& vector, std::string path, const std::string& rule);

// A case whose worker process ended, in the words of WorkPlan::merge: a defect of ours, but for
// want of memory, which leaves it undecided.
CaseResult LostCase(std::string path, const std::string& lost);

// Runs the vector on the backend and judges every step.
CaseResult JudgeOnce(Backend& backend, const TestVector& vector, std::string path);

// The same, and what disagrees is run once more: if the same finding does not come again, the case
// is undecided and said to be not repeatable. An Arm test directory is judged by what the reference
// executor expects; the note says what the recorded result makes of the answer. Where the two
// verdicts contradict each other, CaseResult::contradicts_record is set. Where the reference
// executor has no expectation, the case is undecided.
CaseResult JudgeOnBackend(Backend& backend, const LoadedCase& loaded, std::string path);

}  // namespace assay
