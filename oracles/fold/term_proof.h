// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "equal_graphs.h"
#include "paired_runs.h"
#include "telling_inputs.h"

namespace assay {

// Compares two graphs with the same inputs and outputs as terms, and decides where these differ.
// For each class of pairs it tries all values of few bits, then special values, then asks Z3.
// `valid` has invocations on which BEFORE is valid; values that make terms differ are put into
// them. A difference is replayed before it is believed. Sets kind, argument, counterexample, reason
// and the figures of `verdict`.
void ProveFold(const Graph& before, const Graph& after, const FoldCheckOptions& options,
               const FoldInputs& inputs, const std::vector<FoldInvocation>& valid,
               FoldVerdict& verdict);

}  // namespace assay
