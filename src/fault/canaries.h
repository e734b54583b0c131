#pragma once

#include "mutants.h"

namespace assay {

// Canaries: mutants that spoil several operators. A suite has to find each of them, and a report
// on one has to blame one of its operators.
std::span<const Mutant> AllCanaries();

}  // namespace assay
