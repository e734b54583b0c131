// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "levels.h"
#include "operator_definition.h"

namespace assay::ops {
namespace {

// Sets the outputs to the types and shapes of the inputs.
bool Infer(const Signature& s, std::vector<TensorType>& outputs) {
  outputs.assign(s.inputs.begin(), s.inputs.end());
  return true;
}

bool HasShapeOf(const TensorType& a, const TensorType& b) { return a.shape == b.shape; }
bool HasTypeOf(const TensorType& a, const TensorType& b) { return a.type == b.type; }

// Checks the rules that need no graph. The other ERROR_IFs compare with the graphs and belong to
// the interpreter. Element types have to agree as well as shapes (reading `control-flow-types`).
void Checks(const Signature& s, const Level& level, Judgement& j) {
  j.Require(std::ssize(s.inputs) <= level.max_tensor_list_size, "WHILE_LOOP/LEVEL_CHECK/1");
  j.Require(std::ssize(s.outputs) <= level.max_tensor_list_size, "WHILE_LOOP/LEVEL_CHECK/2");
  const bool same_shapes = std::ranges::equal(s.inputs, s.outputs, HasShapeOf);
  j.ErrorIf(!same_shapes, "WHILE_LOOP/ERROR_IF/2");
  j.ErrorIf(same_shapes && !std::ranges::equal(s.inputs, s.outputs, HasTypeOf),
            "graph/ERROR_IF/list-types");
}

}  // namespace

extern const OperatorDefinition while_loop_operator = {
    .op = Op::kWhileLoop,
    .traits = {ElementWise::kNo, ResultOrigin::kPassed, ScratchKind::kNone, Specials::kNone},
    .infer = Infer,
    .check = Checks,
};

}  // namespace assay::ops
