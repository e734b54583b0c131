// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator_definition.h"

namespace assay::ops {

// Functions that CONST and CONST_SHAPE share: the output is the attribute `values`.

inline bool InferConstant(const Signature& s, std::vector<TensorType>& outputs) {
  outputs.assign(1, s.attributes->Value(AttributeId::kValues).tensor_type());
  return true;
}

template <class D>
void Constant(D& d, const Call<D>& call) {
  const Tensor& values = call.attributes().Value(AttributeId::kValues);
  const DType type = values.type();
  auto& out = call.output();
  for (int64_t i = 0; i < values.elements(); ++i) {
    const Scalar value =
        IsFloat(type) ? Scalar::OfFloat(values.Float(i)) : Scalar::OfInteger(values.Integer(i));
    out[static_cast<size_t>(i)] = d.FromScalar(type, value);
  }
}

}  // namespace assay::ops
