// SPDX-License-Identifier: Apache-2.0
#include "refusal_probes.h"

#include <vector>

#include "check.h"
#include "executor.h"
#include "finding_text.h"
#include "judge_case.h"
#include "probe_graph.h"

namespace assay {
namespace {

// The number of probes that a backend must have run. A backend may lack a check or two.
constexpr int kRunMin = 5;

// An operator of which one rule is broken.
struct BrokenOperator {
  Op op;
  std::vector<Shape> inputs;
  Shape output;
  Attributes attributes = {};
};

std::vector<BrokenOperator> BrokenOperators() {
  const auto axis = [](int32_t value) { return Attributes{{AttributeId::kAxis, value}}; };
  const Attributes twice = {{AttributeId::kPerms, std::vector<int32_t>{0, 0}}};
  return {{Op::kAdd, {{2}, {3}}, {3}},     {Op::kConcat, {{2}, {2}}, {4}, axis(1)},
          {Op::kMaximum, {{2}, {3}}, {3}}, {Op::kReverse, {{2}}, {2}, axis(1)},
          {Op::kAbs, {{2}}, {3}},          {Op::kTranspose, {{2, 2}}, {2, 2}, twice},
          {Op::kSub, {{2}, {2}}, {3}}};
}

TestVector RefusalProbe(const BrokenOperator& broken, DType type) {
  ProbeGraph graph;
  std::vector<TensorIndex> operands;
  for (const Shape& shape : broken.inputs) {
    operands.push_back(graph.Input(Tensor::Splat(type, shape, 1)));
  }
  TestVector vector =
      graph.Finish({graph.Add(broken.op, operands, {type, broken.output}, broken.attributes)});
  Check(Expect(vector, {}) && vector.steps[0].expected == OutcomeKind::kError,
        "a probe is invalid");
  return vector;
}

}  // namespace

bool RefusesNothing(Backend& backend) {
  int run = 0;
  for (const BrokenOperator& broken : BrokenOperators()) {
    for (const DType type : {DType::kFp32, DType::kInt32}) {
      const CaseResult result = JudgeOnce(backend, RefusalProbe(broken, type), "");
      if (result.state == CaseState::kAgrees) return false;
      if (result.state != CaseState::kDisagrees) continue;
      if (!IsAccepted(result.verdict.findings[0])) return false;
      ++run;
    }
  }
  return run >= kRunMin;
}

}  // namespace assay
