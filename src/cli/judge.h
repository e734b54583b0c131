#pragma once

#include <string>
#include <vector>

#include "backend.h"
#include "oracle.h"
#include "report.h"

namespace assay {

// Distinct operators of all graphs with their types, sorted.
std::vector<OperatorUse> OperatorsOf(const TestVector& vector);

// A case of which nothing is known yet but what stands in the vector. `path` is how the user
// reaches it.
CaseResult NewCase(const TestVector& vector, std::string path);

// Runs the vector on the backend and judges every step. What disagrees is run once more: if the
// same finding does not come again, the case is undecided and says so.
CaseResult JudgeOnBackend(Backend& backend, const TestVector& vector, std::string path);

// What the vector is found to violate on the backend, "" if nothing: the predicate of reduction.
std::string SignatureOnBackend(Backend& backend, const TestVector& vector);

}  // namespace assay
