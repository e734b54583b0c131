// SPDX-License-Identifier: Apache-2.0
#include "levels.h"
#include "operator_definition.h"

namespace assay::ops {
namespace {

// "Implementation defined behavior".
bool Infer(const Signature&, std::vector<TensorType>&) { return false; }

void Checks(const Signature& s, const Level& level, Judgement& j) {
  j.Require(std::ssize(s.inputs) <= level.max_tensor_list_size, "CUSTOM/LEVEL_CHECK/1");
  j.Require(std::ssize(s.outputs) <= level.max_tensor_list_size, "CUSTOM/LEVEL_CHECK/2");
}

}  // namespace

extern const OperatorDefinition custom_operator = {
    .op = Op::kCustom,
    .traits = {ElementWise::kNo, ResultOrigin::kPassed, ScratchKind::kNone, Specials::kNone, 2},
    .infer = Infer,
    .check = Checks,
    .examples = {},
};

}  // namespace assay::ops
