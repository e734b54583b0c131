// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "vector_facts.h"
#include "verdict.h"

namespace assay {

// A finding that smaller vectors must show as well, in the same way and for the same reason.
class FindingToKeep {
 public:
  // `finding` must be a finding of `vector`.
  FindingToKeep(const TestVector& vector, const Finding& finding)
      : finding_(finding), basis_(BasisOf(vector, finding.step, finding.tensor)) {}

  // Returns true if a finding of a smaller vector is this one. It must have the same violation and
  // the same rule, rest on the same declarations, and rest on no reading (Finding::readings) that
  // this one does not rest on. For a crash, a time-out or a refusal the backend must say the same.
  // If this number had to be exact, the smaller one must have to be exact as well, unless both are
  // wrong by more than rounding explains. If a number was expected, a NaN or infinity must not be,
  // because it often has another cause. A finding may break the rule of another operator if the
  // result of this one was computed from that operator's result: the reason lies there.
  bool Is(const Finding& smaller) const;

  // Returns the position of the first finding of a smaller vector that is this one; nothing if none
  // is. Only the first finding may follow from others.
  std::optional<size_t> In(const std::vector<Finding>& smaller) const;

 private:
  Finding finding_;
  Basis basis_;
};

}  // namespace assay
