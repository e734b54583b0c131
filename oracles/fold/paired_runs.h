// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "equal_graphs.h"

namespace assay {

// The result of running BEFORE and AFTER on the same inputs.
enum class FoldRunKind : uint8_t {
  kAgree,       // BEFORE is valid, and AFTER does the same
  kDiffer,      // BEFORE is valid, and AFTER does something else
  kExcluded,    // BEFORE is not valid: nothing is asked of AFTER
  kUnsupported  // one of them cannot be executed here, or no rule judges what came out
};

struct FoldRun {
  FoldRunKind kind = FoldRunKind::kExcluded;
  std::string text;  // what differs, or why it is excluded or unsupported
};

// Compares the outcomes of one invocation before and after `graph` was folded, bit by bit except
// for the bits of NaNs. The text names the first output or variable that differs and its first
// wrong element.
FoldRun CompareOutcomes(const Graph& graph, const Outcome& before, const Outcome& after);

// The inputs of one invocation.
using FoldInvocation = std::vector<Tensor>;

// Executes both graphs with the reference executor, each in a fresh context, on a sequence of
// invocations, and compares outputs and variables after each by options.mode.
FoldRun RunBoth(const Graph& before, const Graph& after,
                const std::vector<FoldInvocation>& invocations, const FoldCheckOptions& options);

// Returns the vector that shows a difference, which `text` describes. It has BEFORE in context 0,
// then AFTER in context 1, with the results of the reference for each.
TestVector CounterexampleOf(const Graph& before, const Graph& after,
                            const std::vector<FoldInvocation>& invocations, std::string text,
                            const FoldCheckOptions& options);

}  // namespace assay
