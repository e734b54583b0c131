#pragma once

#include <string>

#include "arm_directory.h"
#include "test_vector.h"

namespace assay {

// An Arm test directory as two vectors over the same graph and inputs, so that a backend is judged
// twice: by what Arm's reference model recorded, and by what our executor expects.
struct RecordedVectors {
  TestVector recorded;
  TestVector computed;
  // What our executor says of the test, where that is no expectation: it cannot run it, or no sound
  // expectation exists. `computed` then has no steps to judge, and `recorded` what stands by
  // itself.
  std::string no_expectation;
};

// The recorded results become expectations by the rule that desc.json gives an output
// (compliance.h). Where it gives none, an element whose value the specification determines must be
// that of `expected/`; any other must lie within the error that our executor allows it around that
// of `expected_fp64/`, which was computed without rounding. A test that our executor finds
// unpredictable is not judged.
RecordedVectors VectorsOf(const ArmTest& test);

}  // namespace assay
