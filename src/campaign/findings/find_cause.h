// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.h"
#include "report.h"
#include "test_vector.h"

namespace assay {

// Looks for the cause of a finding by experiments with its smallest vector, on the backend that it
// is about:
// - Is one of several operators wrong alone? Each runs on the values that the reference executor
//   has there. If all are right, and the graph has variables, the cause lies with these. A constant
//   that is wrong as an output is the cause before all others.
// - Is the vector right if its constants become inputs? Constants of compile time stay, and so do
//   those of a test set of Appendix A.
// - Do canaries or mutants of the operator give the same results? Then the backend does what these
//   say. Floats are the same if they differ by little; number by number if the result is wrong by
//   rounding alone.
// - Does the backend refuse any of a few simple invalid graphs (refusal_probes.h)?
// - In which pass does a compiler make the result wrong? If an operator is wrong alone, its pass.
// Only for wrong results, for invalid graphs that were accepted, and for a broken rule that an
// operator before may have led to; nothing is run for crashes, time-outs and refusals.
FindingCause FindCause(Backend& backend, const TestVector& vector, const Finding& finding);

}  // namespace assay
