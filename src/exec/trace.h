#pragma once

#include <span>

#include "domain.h"
#include "graph.h"

namespace assay {

// One operator that ran in the value domain and broke no rule. Views only, for the time of a call.
struct ExecutedOperator {
  const Operator& op;
  std::span<const DomainTensor<Scalar>* const> inputs;  // in the order of the Arguments table
  std::span<const TensorType> outputs;
};

// Sees what an execution does, operator by operator, those of branches and bodies that run
// included. Coverage counts what this saw, not what a generator meant to do.
class Trace {
 public:
  virtual ~Trace() = default;
  virtual void Ran(const ExecutedOperator& executed) = 0;
};

}  // namespace assay
