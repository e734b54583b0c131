// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "arm_directory.h"
#include "test_vector.h"

namespace assay {

// An Arm test directory as two vectors over the same graph and inputs: one with the results that
// Arm's reference model recorded, one with the expectation of our executor. Our executor follows
// the text, so its expectation decides. The recorded one is shown beside it.
struct RecordedVectors {
  TestVector recorded;
  TestVector computed;
  // The reason why our executor has no expectation: it cannot run the test, or no sound expectation
  // exists. Then `computed` has no steps to judge, and nothing decides.
  std::string no_expectation;
};

// Returns the two vectors of a test. Recorded results become expectations by the rule that
// desc.json gives an output (arm_expectation.h).
//
// Without such a rule, an element whose value the specification determines must be equal to that of
// `expected/`. Any other element must lie near that of `expected_fp64/`, which was computed without
// rounding, within the error that our executor allows.
//
// A test that our executor finds unpredictable is not judged. If desc.json names the test set of
// Appendix A of the data, our executor's expectation also bounds the tensor as a whole.
RecordedVectors VectorsOf(const ArmTest& test);

}  // namespace assay
