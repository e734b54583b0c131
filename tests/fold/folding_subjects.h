#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "folding_relations.h"

namespace assay {

// Graphs that folders were seen to get wrong, one for each reason.
const std::vector<FoldSubject>& DirectedSubjects();

// Case `index` of the generator of graphs, with marks drawn from (seed, index): some inputs vary,
// some are known at run time or at compile time, or all are, or none; and some policy. Nothing
// where the generator gives nothing.
std::optional<FoldSubject> RandomSubject(uint64_t seed, uint64_t index);

// Folds as `assay fold` does, with the subject's policy and a fault.
Folder FolderOf(const FoldSubject& subject, FoldFault fault);

}  // namespace assay
