// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.h"

namespace assay {

// Tells whether a backend refuses no invalid graph at all. It is given small graphs of one operator
// in which a rule of shapes or axes is broken, until it refuses one. False if it ran too few of
// them to tell.
bool RefusesNothing(Backend& backend);

}  // namespace assay
