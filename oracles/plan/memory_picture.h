#pragma once

#include <string>

#include "checked_plan.h"

namespace assay {

// A plan as a picture (SVG), one panel for each pool that is used: time across, address up, a
// rectangle for each live range of a buffer (all of the time if it has none), what collides in red.
// Of more than kPictureRangesMax in a pool, those nearest to the first collision are shown, or to
// the tick at which most is live. The same plan gives the same bytes.
inline constexpr size_t kPictureRangesMax = 2000;
std::string PlanPicture(const MemoryProblem& problem, const MemoryPlan& plan,
                        const CheckedPlan& checked);

}  // namespace assay
