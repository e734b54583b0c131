// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backend.h"
#include "result.h"
#include "target.h"

namespace assay {

// No tensor of a probe has more elements.
inline constexpr int64_t kProbedElementsMax = int64_t{1} << 20;

// The result of probing a backend.
struct LearnedTarget {
  Target target;
  std::vector<std::string> refusals;  // a line for each thing that the backend refused, in order
  // A line for each vector that got two different answers. If there is one, the target is no good.
  std::vector<std::string> inconsistent;
  int64_t probes = 0;      // vectors that were tried, twice each
  int64_t crashes = 0;     // vectors that crashed or timed out, both times
  bool takes_any = false;  // the backend takes some operator
};

// Finds out what a backend takes, with small vectors. It takes a vector if it answers every step,
// right or wrong. The operators and rows of their type tables are tried one by one, then ranks,
// values of enumerations, forms of operands, and limits by bisection. One thing at a time varies
// around a vector that is taken. The result is the same for backends that take the same vectors.
// An Error means that the backend could not be reached.
Result<LearnedTarget> LearnTarget(Backend& backend);

}  // namespace assay
