// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>

#include "campaign.h"
#include "match.h"
#include "result.h"

namespace assay {

// The cases of a campaign that become a smoke suite.
struct SmokeChoice {
  // Few cases that kill every mutant and reach every type row that all cases do.
  std::set<int64_t> cases;
  int64_t candidates = 0;  // cases that were looked at
  int64_t kills = 0;       // mutants that they kill
  int64_t type_rows = 0;   // that they reach
};

// Chooses among the first `count` cases, in `jobs` processes. The choice does not depend on `jobs`.
// Error kResource if a case is lost.
Result<SmokeChoice> ChooseSmoke(const Campaign& campaign, const Match& match, int64_t count,
                                int jobs);

}  // namespace assay
