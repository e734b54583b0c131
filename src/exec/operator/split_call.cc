// SPDX-License-Identifier: Apache-2.0
#include "split_call.h"

#include "operator_facts.h"
#include "operator_set.h"

namespace assay {
namespace {

constexpr int64_t kRowsEnough = 64;  // for an equal share of each thread

}  // namespace

ElementWiseRows::ElementWiseRows(const Signature& signature)
    : signature_(signature), out_(signature.out_shape()) {
  const OperatorFacts& facts = FactsOf(signature.op);
  const size_t operands = signature.inputs.size();
  is_whole_.resize(operands);
  has_rows_.resize(operands);
  for (size_t i = 0; i < operands; ++i) {
    is_whole_[i] = facts.NeedsConstant(i);
    if (!is_whole_[i] && signature.inputs[i].shape.rank() != out_.rank()) return;
  }
  // The scales of RESCALE belong to the last dimension, which no part may lose.
  const bool divides = ops::DefinitionOf(signature.op).traits.element_wise != ops::ElementWise::kNo;
  const int last = out_.rank() - (signature.op == Op::kRescale ? 1 : 0);
  for (int axis = 0; divides && axis < last && count_ < kRowsEnough; ++axis) {
    const bool is_first = count_ == 1;
    for (size_t i = 0; i < operands && out_[axis] > 1; ++i) {
      if (is_whole_[i]) continue;
      const bool has_axis = signature.inputs[i].shape[axis] != 1;
      if (!is_first && has_axis != has_rows_[i]) return;
      has_rows_[i] = has_axis;
    }
    count_ *= out_[axis];
    axes_ = axis + 1;
  }
}

Shape ElementWiseRows::ShapeOfInput(size_t i, int64_t rows) const {
  const Shape& shape = signature_.inputs[i].shape;
  return is_whole_[i] ? shape : Rest(shape, has_rows_[i] ? rows : 1);
}

Shape ElementWiseRows::Rest(const Shape& shape, int64_t rows) const {
  std::vector<int32_t> dimensions = {static_cast<int32_t>(rows)};
  for (int axis = axes_; axis < shape.rank(); ++axis) dimensions.push_back(shape[axis]);
  return Shape(std::span<const int32_t>(dimensions));
}

}  // namespace assay
