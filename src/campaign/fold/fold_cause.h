// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "equal_graphs.h"
#include "mlir_rewriter.h"
#include "test_vector.h"

namespace assay {

// A difference between a graph and the result of a folder, reduced to its cause.
struct FoldCause {
  TestVector vector;       // the smallest graph before, with inputs that show the difference
  std::string operators;   // of that graph, constants left out: "PAD, CONV2D"
  std::string type;        // of the last of them: "fp32"
  std::string rewrites;    // what the folder did to it: "canonicalize: ClampIsNoOp"
  std::string difference;  // one line

  // Returns a key that is the same for differences with one cause. It has the operators, integers
  // or floats, the rewrites, and the rule that the graph after folding breaks, if there is one.
  std::string Key() const;
};

// Reduces `vector`, as long as the graphs before and after folding differ in the same way by no
// other rewrites. The vector has one graph, which the folder changes. Returns nothing if the
// difference does not come again.
std::optional<FoldCause> FindFoldCause(MlirRewriter& rewriter, const TestVector& vector,
                                       const FoldCheckOptions& check);

}  // namespace assay
