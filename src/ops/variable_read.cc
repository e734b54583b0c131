// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {

// The REQUIREs are about the state of the context and belong to the interpreter.
extern const OperatorDefinition variable_read_operator = {
    .op = Op::kVariableRead,
    .traits = {ElementWise::kNo, ResultOrigin::kPassed, ScratchKind::kNone, Specials::kNone},
    .infer = CannotInfer,  // the variable decides about the output
};

}  // namespace assay::ops
