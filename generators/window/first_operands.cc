// SPDX-License-Identifier: Apache-2.0
#include "first_operands.h"

#include "convert_tensor.h"
#include "executor.h"

namespace assay {

FirstOperands::FirstOperands(const TestVector& vector) { ExecuteVector(vector, {.trace = this}); }

const FirstOperands::Run* FirstOperands::Of(const Operator& op) const {
  const auto run = runs_.find(&op);
  return run == runs_.end() ? nullptr : &run->second;
}

void FirstOperands::Ran(const ExecutedOperator& executed) {
  const auto [run, is_first] = runs_.try_emplace(&executed.op);
  if (!is_first) return;
  run->second.number = static_cast<int64_t>(runs_.size()) - 1;
  if (IsConstant(executed.op.op)) return;
  for (const DomainTensor<Scalar>* operand : executed.inputs) {
    run->second.operands.push_back(ToTensor(*operand));
  }
}

}  // namespace assay
