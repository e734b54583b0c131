// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace assay::ops {

// One example, worked by hand from the specification; the calculation is in a comment beside it.
// Operands, attributes and results are written like worked_example.h says:
//   {"i8[3]{-5,0,7}", "min_val=i8[]{-1} max_val=i8[]{1} nan_mode=PROPAGATE", "i8[3]{-1,0,1}"}
// Floats are decimals rounded to the type, or nan, inf, -inf. Several operands are separated by
// blanks; list attributes are [1,2]; enumerations and booleans are written as names. A boolean that
// is not mentioned and not optional is false, and the rounding mode is then SINGLE_ROUND. A result
// may also be the rule that decides: "error CLAMP/ERROR_IF/1", "unpredictable ...". An output that
// cannot be inferred, or that must be wrong, is declared beside the attributes: "output=i8[2,2]".
struct Example {
  std::string_view inputs;
  std::string_view attributes;
  std::string_view results;
};

}  // namespace assay::ops
