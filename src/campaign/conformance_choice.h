// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "campaign.h"
#include "result.h"
#include "suite.h"
#include "target.h"

namespace assay {

// The cases of a campaign that become a conformance package.
struct ConformanceChoice {
  // Few cases that reach every item of the specification, reading, class of dot products and mutant
  // that all cases reach, of those on which the reference executor agrees.
  std::set<int64_t> must_pass;
  // Few cases that reach items which no case does on which it agrees, with the reason why it does
  // not.
  std::map<int64_t, std::string> informative;
  int64_t candidates = 0;  // cases that were looked at
  int64_t items = 0;       // that they reach
};

// Returns the profiles and extensions that a campaign's vectors may need, and its other targets.
std::vector<Target> TargetsOf(const Campaign& campaign);

// Chooses among the first `count` cases, in `jobs` processes. The choice does not depend on `jobs`.
// Error kResource if a case is lost.
Result<ConformanceChoice> ChooseConformance(const Campaign& campaign, int64_t count, int jobs);

// Writes the files of a conformance package to `folder`, which has the vectors of `suite`. The
// caller then writes the suite file, which completes the package. `command` makes the
// package. `informative` has the reasons why vectors are not to be passed, by file. `arm` also
// writes Arm test directories.
Result<Done> WriteChosenPackage(const std::string& folder, const Campaign& campaign,
                                const Suite& suite, const std::string& command,
                                const std::map<std::string, std::string>& informative, bool arm);

}  // namespace assay
