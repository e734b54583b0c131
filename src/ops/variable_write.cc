// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {

// The REQUIREs are about the state of the context and belong to the interpreter.
extern const OperatorDefinition variable_write_operator = {
    .op = Op::kVariableWrite,
    .traits = {ElementWise::kNo, ResultOrigin::kPassed, ScratchKind::kNone, Specials::kNone},
    .infer = InferNoOutputs,
};

}  // namespace assay::ops
