// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "dataflow.h"
#include "executor.h"

namespace assay {

// The values that follow from the CONSTs of a graph alone. These are the results of operators whose
// operands are all CONSTs or such values. They are computed on request.
class LiteralValues {
 public:
  // The largest number of elements of a result that is computed.
  static constexpr int64_t kElementsMax = int64_t{1} << 20;

  LiteralValues(const Dataflow& flow, const ExecutionOptions& options);

  // Returns the value of a tensor; nothing if it depends on something else, is too large, or has no
  // valid value.
  std::optional<Tensor> ValueOf(TensorIndex tensor);
  // Returns the operators, in order of execution, that cannot be folded because a REQUIRE fails on
  // literal operands.
  std::vector<int32_t> Failing();

 private:
  enum class State : uint8_t { kUnknown, kValue, kNone, kFails };

  State Compute(int32_t op);
  State Run(int32_t op);

  const Dataflow& flow_;
  ExecutionOptions options_;
  std::vector<State> states_;   // of operators
  std::vector<Tensor> values_;  // of tensors
  std::vector<bool> literal_;   // operators that depend on CONSTs alone
};

// Executes an operator on these operands, in an execution of its own. The outcome is not valid if
// the operator has no result. `graph` has the blocks that the operator runs.
Outcome RunAlone(const Graph& graph, const Operator& op, const std::vector<Tensor>& operands,
                 const std::vector<TensorType>& results, const ExecutionOptions& options);

// Returns the same numbers in another type; nothing if that type does not have all of them.
std::optional<Tensor> Narrowed(const Graph& graph, const Tensor& value, DType narrow,
                               const ExecutionOptions& options);

// Returns true if an operator may have a REQUIRE that depends on the values of its operands.
bool MayFail(const Block& block, const Operator& op);

}  // namespace assay
