// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "case_result.h"
#include "declaration_names.h"
#include "test_vector.h"

namespace assay {

// The verdict on the outcomes of a vector, wherever they come from.

// Returns the distinct operators of all graphs with their types, sorted. CONST and CONST_SHAPE are
// left out, because nearly all graphs have them.
std::vector<OperatorUse> OperatorsOf(const TestVector& vector);

// Returns a case with only the facts that are in the vector. `path` is how the user reaches it.
CaseResult NewCase(const TestVector& vector, std::string path);

// Judges the outcomes of a vector by what a backend declares. Sets state, verdict and note.
void JudgeOutcomes(const TestVector& vector, std::span<const Outcome> outcomes,
                   const BackendDeclarations& declared, CaseResult& result);

// Sets state and note of a case that the backend does not support; `why` may name an operator.
void CallUnsupported(const TestVector& vector, std::string why, CaseResult& result);

// Returns true, with state and note, if no step has an answer because the backend supports none.
bool ConcludeUnsupported(const TestVector& vector, std::span<const Outcome> outcomes,
                         CaseResult& result);

// Sets verdict, state and note.
void Conclude(Verdict verdict, CaseResult& result);

}  // namespace assay
