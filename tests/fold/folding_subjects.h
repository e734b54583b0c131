// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "folding_relations.h"

namespace assay {

// Returns graphs that folders have got wrong, one for each reason.
const std::vector<FoldSubject>& DirectedSubjects();

// Returns case `index` of the generator of graphs, or nothing if the generator makes none. The
// marks and the policy are drawn from (seed, index). Some inputs vary, some are known at run time
// or at compile time, or all are, or none.
std::optional<FoldSubject> RandomSubject(uint64_t seed, uint64_t index);

// Returns a folder like that of `assay fold`, with the subject's policy and a fault.
Folder FolderOf(const FoldSubject& subject, FoldFault fault);

}  // namespace assay
