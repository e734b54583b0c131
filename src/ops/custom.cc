// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"
#include "levels.h"

namespace assay::ops {
namespace {

void Checks(const Signature& s, const Level& level, Judgement& j) {
  j.Require(std::ssize(s.inputs) <= level.max_tensor_list_size, "CUSTOM/LEVEL_CHECK/1");
  j.Require(std::ssize(s.outputs) <= level.max_tensor_list_size, "CUSTOM/LEVEL_CHECK/2");
}

}  // namespace

extern const OperatorDefinition custom_operator = {
    .op = Op::kCustom,
    .traits = {ElementWise::kNo, ResultOrigin::kPassed, ScratchKind::kNone, Specials::kNone},
    .infer = CannotInfer,  // "Implementation defined behavior"
    .check = Checks,
};

}  // namespace assay::ops
