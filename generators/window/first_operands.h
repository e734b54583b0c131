// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "test_vector.h"
#include "trace.h"

namespace assay {

// The operands of the operators of a vector, from its execution by the reference executor. An
// operator that runs several times (in a loop, or in several steps) has the operands of its first
// run.
class FirstOperands final : public Trace {
 public:
  // Executes the vector, which must outlive this object and stay unchanged. A step that ends in an
  // error or at a limit of the executor counts up to there. The TimeLimit of the thread holds.
  explicit FirstOperands(const TestVector& vector);

  struct Run {
    int64_t number = 0;            // in the order of execution, from 0
    std::vector<Tensor> operands;  // in the order of Operator::inputs
  };
  // Returns the first run of an operator of the vector's graphs; null if it did not run to its end.
  const Run* Of(const Operator& op) const;

  void Ran(const ExecutedOperator& executed) override;

 private:
  std::unordered_map<const Operator*, Run> runs_;
};

}  // namespace assay
