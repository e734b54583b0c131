// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "graph.h"

namespace assay {

// An operator of TOSA 1.0 in the TOSA dialect of LLVM 19, which is older than TOSA 1.0: shapes,
// zero points, and MUL's shift are attributes there, and there are no NaN modes.
struct LegacyOperator {
  std::string name;  // "tosa.reduce_prod"
  std::vector<TensorIndex> operands;
  std::vector<Tensor> constants;  // the operands behind these
  std::string attributes;         // "axis = 1 : i32, ..."
  std::string problem;            // why the dialect cannot express the operator; "" if it can
};

LegacyOperator ToLegacy(const Block& block, const Operator& op);

}  // namespace assay
