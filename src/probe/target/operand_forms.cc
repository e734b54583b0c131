// SPDX-License-Identifier: Apache-2.0
#include "operand_forms.h"

#include <algorithm>

namespace assay {

std::optional<int> OnlyOperator(const TestVector& vector) {
  const std::vector<Operator>& operators = vector.graphs[0].Main()->operators;
  std::optional<int> found;
  for (size_t i = 0; i < operators.size(); ++i) {
    if (IsConstant(operators[i].op)) continue;
    if (found) return std::nullopt;
    found = static_cast<int>(i);
  }
  return found;
}

bool IsInput(const TestVector& vector, int op, int position) {
  const Block& main = *vector.graphs[0].Main();
  const std::vector<TensorIndex>& inputs = main.operators[static_cast<size_t>(op)].inputs;
  return position < std::ssize(inputs) &&
         std::ranges::find(main.inputs, inputs[static_cast<size_t>(position)]) != main.inputs.end();
}

void MakeConstant(TestVector& vector, int position) {
  const auto op = OnlyOperator(vector);
  if (!op || !IsInput(vector, *op, position)) return;
  Block& main = *vector.graphs[0].Main();
  const TensorIndex tensor =
      main.operators[static_cast<size_t>(*op)].inputs[static_cast<size_t>(position)];
  const auto at = std::ranges::find(main.inputs, tensor) - main.inputs.begin();
  std::vector<Tensor>& values = vector.steps[0].inputs;
  const Tensor value = values[static_cast<size_t>(at)];
  values.erase(values.begin() + at);
  main.inputs.erase(main.inputs.begin() + at);
  main.operators.insert(main.operators.begin(),
                        {Op::kConst, {{AttributeId::kValues, value}}, {}, {tensor}});
}

void MakeInput(TestVector& vector, int position) {
  const auto op = OnlyOperator(vector);
  if (!op) return;
  Block& main = *vector.graphs[0].Main();
  const std::vector<TensorIndex>& inputs = main.operators[static_cast<size_t>(*op)].inputs;
  if (position >= std::ssize(inputs)) return;
  const TensorIndex tensor = inputs[static_cast<size_t>(position)];
  const auto is_producer = [tensor](const Operator& one) {
    return one.op == Op::kConst && one.outputs[0] == tensor;
  };
  const auto found = std::ranges::find_if(main.operators, is_producer);
  if (found == main.operators.end()) return;
  vector.steps[0].inputs.push_back(found->attributes.Value(AttributeId::kValues));
  main.inputs.push_back(tensor);
  main.operators.erase(found);
}

TestVector WithConstants(const TestVector& vector) {
  TestVector constant = vector;
  const auto op = OnlyOperator(vector);
  if (!op) return constant;
  const auto operands = vector.graphs[0].Main()->operators[static_cast<size_t>(*op)].inputs.size();
  for (int position = 1; position < static_cast<int>(operands); ++position) {
    MakeConstant(constant, position);
  }
  return constant;
}

}  // namespace assay
