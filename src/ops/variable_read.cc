// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"

namespace assay::ops {
namespace {

// Returns false: the variable decides about the output, and it is not in the signature.
bool Infer(const Signature&, std::vector<TensorType>&) { return false; }

}  // namespace

// The REQUIREs are about the state of the context and belong to the interpreter.
extern const OperatorDefinition variable_read_operator = {
    .op = Op::kVariableRead,
    .traits = {ElementWise::kNo, ResultOrigin::kPassed, ScratchKind::kNone, Specials::kNone, 2},
    .infer = Infer,
    .check = CheckNothing,
    .examples = {},
};

}  // namespace assay::ops
