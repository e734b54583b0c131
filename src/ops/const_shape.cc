// SPDX-License-Identifier: Apache-2.0
#include "constant.h"

namespace assay::ops {
namespace {

// Checks that the attribute and the output agree: they are one shape_t in the Arguments table.
void Checks(const Signature& s, const Level&, Judgement& j) {
  const Tensor& values = s.attributes->Value(AttributeId::kValues);
  j.ErrorIf(values.tensor_type() != s.outputs[0], "CONST_SHAPE/ERROR_IF/arguments");
}

constexpr Example kExamples[] = {
    {"", "values=shape[3]{1,65535,3}", "shape[3]{1,65535,3}"},
    // A shape_t may hold numbers that are no dimensions.
    {"", "values=shape[2]{-1,0}", "shape[2]{-1,0}"},
    // The shape of a tensor of rank 0.
    {"", "values=shape[0]{}", "shape[0]{}"},
    {"", "values=shape[2]{1,2} output=shape[3]", "error CONST_SHAPE/ERROR_IF/arguments"},
};

}  // namespace

extern const OperatorDefinition const_shape_operator = {
    .op = Op::kConstShape,
    .traits = {ElementWise::kNo, ResultOrigin::kCalculated, ScratchKind::kNone, Specials::kNone},
    .infer = InferConstant,
    .check = Checks,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Constant(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops
