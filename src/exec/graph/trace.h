// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "domain.h"
#include "graph.h"

namespace assay {

// An operator that ran in the value domain and broke no rule. The views are valid during the call
// only.
struct ExecutedOperator {
  const Operator& op;
  std::span<const DomainTensor<Scalar>* const> inputs;  // in the order of the Arguments table
  std::span<const TensorType> outputs;
  std::span<const DomainTensor<Scalar>* const> results;  // as many as `outputs`
};

// The state of a variable in a context.
struct VariableStatus {
  const TensorType* type = nullptr;  // the declared type; null if the variable is unknown
  bool written = false;
  bool seen = false;
};

// A VARIABLE, VARIABLE_READ or VARIABLE_WRITE that is about to run, even if it breaks a rule.
struct VariableTouch {
  const Operator& op;
  const Block& block;    // the block that contains it
  std::string_view key;  // the key of the variable in the context
  VariableStatus before;
};

// Receives each operator that an execution runs, including those of branches and loop bodies.
// Coverage counts what a trace received, not what a generator intended.
class Trace {
 public:
  virtual ~Trace() = default;
  virtual void Ran(const ExecutedOperator& executed) = 0;

  // Called when a step of a vector begins in this context.
  virtual void Invokes(int32_t /*context*/) {}
  // Called when a graph begins, invoked or run by control flow, and clears `seen`. `status_of`
  // returns the status before that.
  using StatusLookup = std::function<VariableStatus(std::string_view key)>;
  virtual void Begins(const StatusLookup& /*status_of*/) {}
  virtual void Touches(const VariableTouch& /*touch*/) {}

  // Called when a block begins, with what it is given, and when it has run to its end without a
  // broken rule. `caller` is the COND_IF or WHILE_LOOP that runs it, null for the main block.
  virtual void Enters(const Operator* /*caller*/, const Block& /*block*/,
                      std::span<const DomainTensor<Scalar>* const> /*inputs*/) {}
  virtual void Leaves() {}
};

}  // namespace assay
