#pragma once

#include "vector_facts.h"
#include "verdict.h"

namespace assay {

// A finding that smaller vectors have to show as well, in the same way and for the same reason.
class FindingToKeep {
 public:
  // The finding is one of the vector.
  FindingToKeep(const TestVector& vector, const Finding& finding)
      : finding_(finding), basis_(BasisOf(vector, finding.step, finding.tensor)) {}

  // Returns whether a finding of a smaller vector is this one: the same is violated, by the same
  // rule, and it rests on no reading (Finding::readings) that this one does not rest on. Of a
  // crash, a time-out or a refusal the backend has to say the same. A wrong number that has to be
  // exact stays one. It may break the rule of another operator if the result was computed from
  // that operator's: there the reason lies.
  bool Is(const Finding& smaller) const;

 private:
  Finding finding_;
  Basis basis_;
};

}  // namespace assay
