// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "checked_plan.h"

namespace assay {

// Returns a plan as an SVG picture, with one panel for each used pool. Time runs across and
// addresses upwards. Each live range of a buffer is a rectangle; a buffer without live ranges takes
// all of the time. Collisions are red. At most kPictureRangesMax ranges of a pool are shown. They
// are those nearest to the first collision, or else to the tick at which most bytes are live. The
// same plan gives the same bytes.
inline constexpr size_t kPictureRangesMax = 2000;
std::string PlanPicture(const MemoryProblem& problem, const MemoryPlan& plan,
                        const CheckedPlan& checked);

}  // namespace assay
