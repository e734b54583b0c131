// SPDX-License-Identifier: Apache-2.0
#include "constant.h"

namespace assay::ops {
namespace {

// Checks that the attribute and the output agree: they are one tensor in the Arguments table.
void Checks(const Signature& s, const Level&, Judgement& j) {
  const Tensor& values = s.attributes->Value(AttributeId::kValues);
  j.ErrorIf(values.shape() != s.out_shape(), "CONST/ERROR_IF/arguments");
  j.ErrorIf(values.type() != s.out(), "CONST/ERROR_IF/types");
}

constexpr Example kExamples[] = {
    {"", "values=i48[2]{-140737488355328,140737488355327}",
     "i48[2]{-140737488355328,140737488355327}"},
    {"", "values=fp16[1,5]{nan,-inf,-0,65504,1}", "fp16[1,5]{nan,-inf,-0,65504,1}"},
    {"", "values=bool[]{true}", "bool[]{true}"},
    {"", "values=i4[2]{-7,7}", "i4[2]{-7,7}"},
    {"", "values=i8[2]{1,2} output=i8[3]", "error CONST/ERROR_IF/arguments"},
    {"", "values=i8[2]{1,2} output=i16[2]", "error CONST/ERROR_IF/types"},
};

}  // namespace

extern const OperatorDefinition const_operator = {
    .op = Op::kConst,
    .traits = {ElementWise::kNo, ResultOrigin::kPassed, ScratchKind::kNone, Specials::kNone},
    .infer = InferConstant,
    .check = Checks,
    .meaning = ReadingsOf([](auto& d, const auto& call) { Constant(d, call); }),
    .examples = kExamples,
};

}  // namespace assay::ops
