// SPDX-License-Identifier: Apache-2.0
#include "mutant_trials.h"

#include <set>

#include "ensemble_run.h"
#include "finding_text.h"
#include "judge_case.h"
#include "judge_vector.h"

namespace assay {

ExecutionOptions ExecutionOf(const Mutant* mutant) {
  return {.mutant = mutant, .loop_iterations_max = 10'000};
}

int64_t ExecutionWork(const TestVector& vector) {
  int64_t work = MultiplyAccumulates(vector);
  for (const Step& step : vector.steps) {
    for (const Block& block : vector.GraphOf(step).Blocks()) {
      for (const TensorInfo& tensor : block.tensors) {
        if (__builtin_add_overflow(work, tensor.type.shape.Elements(), &work)) return INT64_MAX;
      }
    }
  }
  return work;
}

std::string KilledBy(const Mutant& mutant, const TestVector& vector, bool* reached) {
  ExecutionOptions options = ExecutionOf(&mutant);
  options.mutant_reached = reached;
  const std::vector<Outcome> outcomes = ExecuteVector(vector, options);
  const Verdict verdict = JudgeVector(vector, outcomes);
  if (verdict.kind == VerdictKind::kDisagrees) return FindingHeadline(verdict.findings[0]);
  for (const Outcome& outcome : outcomes) {
    if (outcome.kind == OutcomeKind::kUnsupported) return outcome.message;
  }
  return "";
}

std::vector<size_t> KillsOf(const TestVector& vector) {
  std::vector<size_t> kills;
  const Verdict verdict = JudgeVector(vector, ExecuteVector(vector, ExecutionOf(nullptr)));
  if (verdict.kind != VerdictKind::kAgrees) return kills;
  std::set<Op> operators;
  for (const auto& [block, op] : vector.Operators()) operators.insert(op.op);
  const std::span<const Mutant> mutants = AllMutants();
  for (size_t i = 0; i < mutants.size(); ++i) {
    if (operators.contains(mutants[i].op) && !KilledBy(mutants[i], vector).empty()) {
      kills.push_back(i);
    }
  }
  return kills;
}

}  // namespace assay
