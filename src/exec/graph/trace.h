#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "domain.h"
#include "graph.h"

namespace assay {

// One operator that ran in the value domain and broke no rule. Views only, for the time of a call.
struct ExecutedOperator {
  const Operator& op;
  std::span<const DomainTensor<Scalar>* const> inputs;  // in the order of the Arguments table
  std::span<const TensorType> outputs;
};

// What a context knows of a variable.
struct VariableStatus {
  const TensorType* type = nullptr;  // as it was declared; null if the variable is unknown
  bool written = false;
  bool seen = false;
};

// A VARIABLE, VARIABLE_READ or VARIABLE_WRITE that is about to run, whatever rules it breaks.
struct VariableTouch {
  const Operator& op;
  const Block& block;    // that it is in
  std::string_view key;  // what the context knows the variable by
  VariableStatus before;
};

// Sees what an execution does, operator by operator, those of branches and bodies that run
// included. Coverage counts what this saw, not what a generator meant to do.
class Trace {
 public:
  virtual ~Trace() = default;
  virtual void Ran(const ExecutedOperator& executed) = 0;

  // A step of a vector begins, in this context.
  virtual void Invokes(int32_t /*context*/) {}
  // A graph begins, invoked or run by control flow, and clears `seen`; `status_of` is as it was.
  using StatusLookup = std::function<VariableStatus(std::string_view key)>;
  virtual void Begins(const StatusLookup& /*status_of*/) {}
  virtual void Touches(const VariableTouch& /*touch*/) {}
};

}  // namespace assay
