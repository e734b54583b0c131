// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.h"
#include "backend_traits.h"

namespace assay {

// Finds out by probing how a backend uses the freedom that the specification leaves: the order of
// sums, the precision that it keeps between operators, subnormal numbers, and the errors of
// elementary functions. Title and command stay empty.
BackendTraits ProbeTraits(Backend& backend);

}  // namespace assay
