// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"
#include "levels.h"

namespace assay::ops {
namespace {

// ERROR_IF 1 to 5 compare with the graphs and belong to the interpreter.
void Checks(const Signature& s, const Level& level, Judgement& j) {
  j.Require(std::ssize(s.inputs) - 1 <= level.max_tensor_list_size, "COND_IF/LEVEL_CHECK/2");
  j.Require(std::ssize(s.outputs) <= level.max_tensor_list_size, "COND_IF/LEVEL_CHECK/3");
  j.ErrorIf(s.shape(0).Elements() != 1, "COND_IF/ERROR_IF/6");
}

}  // namespace

extern const OperatorDefinition cond_if_operator = {
    .op = Op::kCondIf,
    .traits = {ElementWise::kNo, ResultOrigin::kPassed, ScratchKind::kNone, Specials::kNone},
    .infer = CannotInfer,  // the graphs that the operator names decide about the outputs
    .check = Checks,
};

}  // namespace assay::ops
