// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mutants.h"

namespace assay {

// Returns the canaries: mutants with a fault in several operators. A suite has to find each of
// them, and a report on one has to blame one of its operators.
std::span<const Mutant> AllCanaries();

}  // namespace assay
