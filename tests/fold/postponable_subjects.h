#pragma once

#include <vector>

#include "folding_relations.h"

namespace assay {

// Graphs with expansions that can be postponed: the result is too large for the policy, what it is
// made of is not. `after` computes with the expansion "e" and gives "f", which the entry reads.
std::vector<FoldSubject> PostponableSubjects();

}  // namespace assay
