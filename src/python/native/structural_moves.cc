// SPDX-License-Identifier: Apache-2.0
#include "structural_moves.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "dimension_classes.h"
#include "executor.h"
#include "shrink_moves.h"
#include "vector_facts.h"

namespace assay::python {
namespace {

const Block& MainOf(const TestVector& vector) { return *vector.graphs[0].Main(); }

// Takes the result of a move if it is as valid as the vector.
void Take(Candidate candidate, TestVector& vector) {
  if (!candidate || candidate->steps.size() != vector.steps.size()) return;
  if (!Expect(*candidate, OptionsFor(*candidate, {}))) return;
  const bool is_as_valid =
      std::ranges::equal(candidate->steps, vector.steps, {}, &Step::expected, &Step::expected);
  if (is_as_valid) vector = std::move(*candidate);
}

// Returns the position of the operator with this first result.
std::optional<int32_t> OperatorWith(const Block& block, const std::string& result) {
  for (size_t i = 0; i < block.operators.size(); ++i) {
    const Operator& op = block.operators[i];
    if (op.outputs.empty()) continue;
    if (block.tensors[static_cast<size_t>(op.outputs[0])].name == result) {
      return static_cast<int32_t>(i);
    }
  }
  return std::nullopt;
}

}  // namespace

Structure::Structure(TestVector vector)
    : vector_(std::move(vector)), data_(std::ssize(DataOf(vector_))) {
  const Block& main = MainOf(vector_);
  for (const Operator& op : main.operators) {
    if (IsConstant(op.op) || op.outputs.empty()) continue;
    operators_.push_back(main.tensors[static_cast<size_t>(op.outputs[0])].name);
  }
  const DimensionClasses classes(main);
  for (const DimensionClasses::Class& one : classes.Shrinkable()) {
    for (size_t t = 0; t < main.tensors.size(); ++t) {
      const auto tensor = static_cast<TensorIndex>(t);
      const int rank = main.TypeOf(tensor).shape.rank();
      int axis = 0;
      while (axis < rank && classes.ClassOf(tensor, axis) != one.id) ++axis;
      if (axis == rank) continue;
      axes_.push_back({main.tensors[t].name, axis});
      sizes_.push_back(one.size);
      break;
    }
  }
}

TestVector Structure::Smaller(const std::vector<bool>& keep_operators,
                              const std::vector<int32_t>& sizes,
                              const std::vector<bool>& keep_data) const {
  TestVector vector = vector_;
  for (size_t i = 0; i < keep_data.size() && std::cmp_less(i, data_); ++i) {
    if (keep_data[i]) continue;
    const Tensor& old = *DataOf(vector)[i];
    if (old.type() == DType::kShape) continue;
    Take(SetData(vector, i, Tensor::Splat(old.type(), old.shape(), 0)), vector);
  }
  for (size_t i = 0; i < sizes.size() && i < axes_.size(); ++i) {
    const Block& main = MainOf(vector);
    const auto tensor = main.FindTensor(axes_[i].tensor);
    if (sizes[i] >= sizes_[i] || sizes[i] < 1 || !tensor) continue;
    if (axes_[i].axis >= main.TypeOf(*tensor).shape.rank()) continue;
    const int32_t id = DimensionClasses(main).ClassOf(*tensor, axes_[i].axis);
    Take(ResizeClass(vector, 0, id, sizes[i], Kept::kFirst), vector);
  }
  for (size_t i = operators_.size(); i-- > 0;) {
    if (i >= keep_operators.size() || keep_operators[i]) continue;
    const auto op = OperatorWith(MainOf(vector), operators_[i]);
    if (!op) continue;
    Take(DropOperators(vector, 0, std::array{*op}, EvaluateAll(vector)), vector);
  }
  vector.requirements = NamesOf(RequirementsOf(vector, {}));
  vector.tags = TagsOf(vector);
  return vector;
}

}  // namespace assay::python
