// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "test_vector.h"
#include "verdict.h"

namespace assay {

// Returns the graphs as drawn by Graphviz, with the operators that the finding blames marked. Of
// graphs that are too large to look at, only the operators near these are drawn. Returns "" if
// Graphviz is not installed, or if no operator is blamed in a large graph.
std::string DrawFinding(const TestVector& vector, const Finding& finding);

}  // namespace assay
