#pragma once

#include <string>

#include "arm_directory.h"
#include "test_vector.h"

namespace assay {

// An Arm test directory as two vectors over the same graph and inputs: with what Arm's reference
// model recorded, and with what our executor expects. Our executor reads the text, so its
// expectation decides. The recorded one is shown beside it.
struct RecordedVectors {
  TestVector recorded;
  TestVector computed;
  // What our executor says of the test, where that is no expectation: it cannot run it, or no sound
  // expectation exists. `computed` then has no steps to judge, and nothing decides.
  std::string no_expectation;
};

// The recorded results become expectations by the rule that desc.json gives an output
// (arm_expectation.h). Where it gives none, an element whose value the specification determines must be
// that of `expected/`; any other must lie within the error that our executor allows it around that
// of `expected_fp64/`, which was computed without rounding. A test that our executor finds
// unpredictable is not judged. Where desc.json names the test set of Appendix A that the data are
// of, our executor's expectation bounds the tensor as a whole, too.
RecordedVectors VectorsOf(const ArmTest& test);

}  // namespace assay
