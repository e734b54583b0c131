#pragma once

#include <optional>
#include <vector>

#include "dataflow.h"
#include "executor.h"

namespace assay {

// What follows from the CONSTs of a graph alone: the values of operators all of whose operands are
// CONSTs or such values, computed when somebody asks.
class LiteralValues {
 public:
  // Larger results are not computed.
  static constexpr int64_t kElementsMax = int64_t{1} << 20;

  LiteralValues(const Dataflow& flow, const ExecutionOptions& options);

  // Nothing for a tensor that depends on something else, is too large, or has no valid value.
  std::optional<Tensor> ValueOf(TensorIndex tensor);
  // The operators, in order of execution, that cannot be folded: a REQUIRE fails on literal
  // operands.
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

// The values of an operator on such operands, in an execution of its own; the outcome is not valid
// if it has none. `graph` has the blocks that it runs.
Outcome RunAlone(const Graph& graph, const Operator& op, const std::vector<Tensor>& operands,
                 const std::vector<TensorType>& results, const ExecutionOptions& options);

// The same numbers in another type; nothing if it does not have them all.
std::optional<Tensor> Narrowed(const Graph& graph, const Tensor& value, DType narrow,
                               const ExecutionOptions& options);

// Whether an operator may have a REQUIRE that hangs on the values of its operands.
bool MayFail(const Block& block, const Operator& op);

}  // namespace assay
