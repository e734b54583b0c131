// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "arm_directory.h"
#include "test_vector.h"

namespace assay {

// Returns the expectation of an output of an Arm test directory, by the rule of its desc.json
// (meta.compliance.tensors). It has the reference computed in fp64, `expected_fp64/`, and the
// values around it that the mode admits, with the numbers of `bounds_*` if the mode needs them:
//
//   EXACT           the reference
//   ULP             `ulp` units in the last place, `ulp_lower` toward zero if that is given
//   ABS_ERROR       calcAbsErrorBound, of the reference and base_bound + bounds, or, if
//                   bound_as_magnitude, of bounds and base_bound; at least max_compare
//   RELATIVE        max * scale, at least ulp_bound units in the last place
//   REDUCE_PRODUCT  the bound of a product of n numbers
//   DOT_PRODUCT     abs_bound (2 * ksb) units around the reference; bounds are the dot products of
//                   the absolute values; with 1000 results or more also the bounds on all of them
//   FP_SPECIAL      NaN, infinity or a finite number of the sign of the reference, as it is; a NaN
//                   in bounds admits one
//   RESCALE_INEXACT integers from the reference to bounds
//
// Returns nothing if the directory has no mode for the output or an unknown one, or lacks the file
// that the mode needs (reading `recorded-compliance`).
std::optional<Expectation> ExpectationByCompliance(const ArmRecord& record);

// Returns the record that Arm's tools would have made for an output, so that their verifier demands
// the same as the expectation. It has the reference, the bounds, and the first of these modes that
// can express the expectation: EXACT, DOT_PRODUCT (with statistics), ULP (operators whose rule it
// is), ABS_ERROR with a bound for each element, or RESCALE_INEXACT (integers). If none fits, it has
// no mode.
ArmRecord RecordOf(const std::string& name, const Expectation& expectation);

}  // namespace assay
