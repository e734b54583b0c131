// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "folding_relations.h"

namespace assay {

// Returns graphs with expansions that can be postponed: the result is too large for the policy, but
// its operands are not. Each graph computes "f" from the expansion "e", and the entry reads "f".
std::vector<FoldSubject> PostponableSubjects();

}  // namespace assay
