// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "term_arena.h"

namespace assay {

// Computes terms for known inputs, many at a time.
class FoldProgram {
 public:
  static constexpr size_t kLanes = 128;

  // Takes at most `steps_max` terms, including all that the results are made of. If there are more,
  // complete() is false.
  FoldProgram(const TermArena& arena, std::span<const TermId> results, size_t steps_max);

  bool complete() const { return complete_; }
  size_t size() const { return steps_.size(); }
  // Returns the inputs that the results depend on, as terms, in order.
  const std::vector<TermId>& inputs() const { return inputs_; }

  // Returns the place to store lane `lane` of input `input` for the next Run().
  Scalar& Input(size_t input, size_t lane) { return values_[input * kLanes + lane]; }
  size_t results() const { return results_.size(); }
  bool IsFloat(size_t result) const { return is_float_[result]; }
  // Computes the first `lanes` lanes.
  void Run(size_t lanes);
  Scalar Result(size_t result, size_t lane) const {
    return values_[results_[result] * kLanes + lane];
  }

 private:
  struct Step {
    TermKind kind;
    uint32_t first_operand, operands;  // of operands_
    std::span<const int64_t> numbers;
  };

  void Compute(const Step& step, std::span<Scalar> to, size_t lanes);

  bool complete_ = true;
  std::vector<TermId> inputs_;
  std::vector<Step> steps_;         // beside the inputs, each after its operands
  std::vector<uint32_t> operands_;  // rows of values_
  std::vector<uint32_t> results_;   // rows, too
  std::vector<bool> is_float_;      // of results
  std::vector<Scalar> values_;      // a row of lanes for each input, then for each step
  std::vector<Scalar> gathered_;
};

}  // namespace assay
