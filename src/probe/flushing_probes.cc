// SPDX-License-Identifier: Apache-2.0
#include "flushing_probes.h"

#include "check.h"
#include "executor.h"
#include "float_format.h"

namespace assay {
namespace {

std::string ProbeText(std::string_view what, DType type) {
  return std::string(what) + " " + std::string(TypeName(type));
}

// The operands of one operator, and the type of its result.
struct ProbedOperator {
  Op op;
  std::string_view what;
  double x_unit, x_first, x_step;  // elements (x_first + i x_step) x_unit
  double y;                        // all elements of the second operand, if there is one
  bool has_y;
};

Probe ProbeOf(const ProbedOperator& probed, DType type) {
  std::vector<double> x;
  for (int i = 0; i < kProbeElements; ++i) {
    x.push_back((probed.x_first + i * probed.x_step) * probed.x_unit);
  }
  ProbeGraph graph;
  std::vector<TensorIndex> operands = {graph.Input(Tensor::FromFloats(type, {kProbeElements}, x))};
  if (probed.has_y) {
    const std::vector<double> y(kProbeElements, probed.y);
    operands.push_back(graph.Input(Tensor::FromFloats(type, {kProbeElements}, y)));
  }
  if (probed.op == Op::kMul) {
    operands.push_back(graph.Constant(Tensor::Splat(DType::kInt8, {1}, 0)));
  }
  const TensorIndex output = graph.Add(probed.op, operands, {type, {kProbeElements}});
  Probe probe = graph.Finish(ProbeText(probed.what, type), output);
  Check(Expect(probe.vector, {}), "a probe has an expectation");
  return probe;
}

}  // namespace

std::vector<Probe> SubnormalNumbers() {
  std::vector<Probe> probes;
  for (const DType type : {DType::kFp32, DType::kFp16, DType::kBf16}) {
    const double least = FormatOf(type).normal_min;
    // 64ths of the least normal number. A sum of 64 and 33 to 97 of them, or a product with a half.
    const double unit = least / 64;
    const ProbedOperator probed[] = {
        {Op::kSub, "SUB to subnormal", unit, 66, 1, 64 * unit, true},
        {Op::kAdd, "ADD to subnormal", unit, -99, 1, 130 * unit, true},
        {Op::kMul, "MUL to subnormal", 2 * unit, 32, 0.5, 0.5, true},
        {Op::kMul, "MUL of subnormal", unit, 2, 1, 1 / least, true},
        {Op::kCeil, "CEIL of subnormal", unit, 1, 1, 0, false},
    };
    for (const ProbedOperator& one : probed) probes.push_back(ProbeOf(one, type));
  }
  return probes;
}

}  // namespace assay
