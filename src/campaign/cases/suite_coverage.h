// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backend.h"
#include "case_source.h"
#include "coverage.h"
#include "coverage_table.h"
#include "result.h"
#include "target_options.h"

namespace assay {

// Counts the coverage of vectors one by one. A vector that cannot be loaded, or that takes longer
// than the limits allow, is an Error, or is skipped if the count is lenient. Vectors outside the
// targets do not count. Items outside them are counted as unreachable.
class SuiteCoverage {
 public:
  SuiteCoverage(const ChosenTargets& targets, const BackendOptions& limits, bool lenient)
      : targets_(targets), limits_(limits), lenient_(lenient), coverage_(targets.targets()) {}

  // Counts the vector of a case. An Error begins with `name`.
  Result<Done> Add(const std::string& name, const Result<LoadedCase>& loaded);
  // Returns the number of vectors that are outside the targets.
  int64_t outside() const { return outside_; }
  std::vector<CoverageGroup> Table() { return coverage_.Table(); }

  // Return the counts as JSON in one line, and add those of another part of a suite. Error
  // kBadInput if the text is none of these.
  std::string ToJson();
  Result<Done> AddJson(std::string_view text);

 private:
  ChosenTargets targets_;
  BackendOptions limits_;
  bool lenient_;
  Coverage coverage_;
  int64_t outside_ = 0;
};

}  // namespace assay
