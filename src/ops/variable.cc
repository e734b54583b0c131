// SPDX-License-Identifier: Apache-2.0
#include "element_wise.h"
#include "levels.h"

namespace assay::ops {
namespace {

// The REQUIREs are about the state of the context and belong to the interpreter.
void Checks(const Signature& s, const Level& level, Judgement& j) {
  const Shape shape(s.attributes->Ints(AttributeId::kVarShape));
  const DType type = s.attributes->type(AttributeId::kType);
  const int64_t elements = shape.Elements();
  j.Require(elements >= 1 && elements <= level.MaxTensorSize() / ElementBytes(type),
            "VARIABLE/REQUIRE/tensor_size");
  if (!s.attributes->Has(AttributeId::kInitialValue)) return;
  const Tensor& initial_value = s.attributes->Value(AttributeId::kInitialValue);
  j.Require(initial_value.shape().rank() <= level.max_rank, "VARIABLE/LEVEL_CHECK/1");
}

}  // namespace

extern const OperatorDefinition variable_operator = {
    .op = Op::kVariable,
    .traits = {ElementWise::kNo, ResultOrigin::kPassed, ScratchKind::kNone, Specials::kNone},
    .infer = InferNoOutputs,
    .check = Checks,
};

}  // namespace assay::ops
