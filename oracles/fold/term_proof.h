#pragma once

#include <vector>

#include "equal_graphs.h"
#include "paired_runs.h"
#include "telling_inputs.h"

namespace assay {

// Compares two graphs with the same inputs and outputs as terms, and decides where these differ:
// by trying all values of few bits, by trying special values, by asking Z3; once for each class of
// pairs. `valid` are invocations on which BEFORE is valid, to put the values in that tell terms
// apart; what then differs is replayed before it is believed. Sets kind, argument, counterexample,
// reason and the figures of `verdict`.
void ProveFold(const Graph& before, const Graph& after, const FoldCheckOptions& options,
               const FoldInputs& inputs, const std::vector<FoldInvocation>& valid,
               FoldVerdict& verdict);

}  // namespace assay
