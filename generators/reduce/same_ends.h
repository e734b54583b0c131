// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "test_vector.h"

namespace assay {

// The check that smaller vectors are as valid as the original.
class SameEnds {
 public:
  // Chooses the limit of loop rounds by the original. With it, candidates with endless loops are
  // mostly found soon, even if loops nest.
  explicit SameEnds(const TestVector& vector);

  // Computes the expectation. Returns false unless each step ends as the candidate says that it
  // did before the move.
  bool Expect(TestVector& candidate) const;

 private:
  int64_t rounds_max_ = 10'000;  // of a candidate's loop
};

}  // namespace assay
