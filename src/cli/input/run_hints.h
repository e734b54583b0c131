// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "report.h"

namespace assay {

// Lines on standard error that say what a user may do next.

// Notes vectors in the findings folder of a run's report that are not of this run. They are kept,
// because somebody may need them.
void TellOfOtherFindings(const RunReport& run);

// Notes that findings are not at their smallest, if `count` of them (WorkedUp::unanswered) are not.
void TellOfUnanswered(const std::string& backend, int64_t count);

// Looks for a backend that runs graphs without checking them, and does not declare it.
class UncheckedGraphs {
 public:
  void Add(const CaseResult& result);
  // Notes how to declare it, if the backend has refused no graph that must be refused.
  void Tell(const std::string& backend) const;

 private:
  int64_t accepted_ = 0, refused_ = 0;  // of the graphs that must be refused
};

}  // namespace assay
