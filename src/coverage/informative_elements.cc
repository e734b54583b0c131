// SPDX-License-Identifier: Apache-2.0
#include "informative_elements.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "float_format.h"
#include "operator_set.h"
#include "random.h"
#include "run_operator.h"

namespace assay {
namespace {

using Elements = DomainTensor<Scalar>;

// Returns the operand with each element moved up or down.
Elements Moved(const Elements& operand, uint64_t seed) {
  const DType type = operand.type.type;
  const double step = std::max(0x1p-6, std::ldexp(1.0, -FormatOf(type).fraction_bits));
  Random random(seed);
  auto moved = std::make_shared<std::vector<Scalar>>(*operand.elements);
  for (Scalar& element : *moved) {
    const double sign = random.OneIn(2) ? -1 : 1;
    const double x = element.real();
    element = Scalar::OfFloat(RoundToType(type, x * (1 + sign * step)));
  }
  return {operand.type, std::move(moved)};
}

bool IsSame(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Returns true if the operator is flat between steps, so that small moves do not show.
bool HasSteps(Op op, ops::ResultOrigin origin) {
  return origin == ops::ResultOrigin::kRounded || op == Op::kCast;
}

InformativeCount CountFiniteOperands(const Elements& operand) {
  InformativeCount count;
  for (const Scalar element : *operand.elements) {
    const double x =
        IsFloat(operand.type.type) ? element.real() : static_cast<double>(element.integer());
    ++count.all;
    count.informative += std::isfinite(x) && x != 0;
  }
  return count;
}

// Runs the operator on other operands. Returns no results if that breaks a rule.
std::vector<ValueTensor> RunAgain(const ExecutedOperator& executed,
                                  std::span<const Elements> operands, const Level& level) {
  std::vector<ValueTensor> values;
  values.reserve(operands.size());
  for (const Elements& operand : operands) values.emplace_back(operand);
  OperatorRun<ValueDomain> run;
  run.op = &executed.op;
  for (const ValueTensor& value : values) {
    run.inputs.push_back(&value);
    run.input_types.push_back(value.type());
  }
  run.output_types.assign(executed.outputs.begin(), executed.outputs.end());
  ValueDomain domain;
  RunOperator(domain, level, Kernels::kFast, run);
  if (!domain.judgement().valid()) return {};
  return std::move(run.outputs);
}

}  // namespace

InformativeCount CountInformative(const ExecutedOperator& executed,
                                  const std::vector<bool>& varying, const Level& level) {
  const Op op = executed.op.op;
  const ops::ResultOrigin origin = ops::DefinitionOf(op).traits.results;
  if (origin == ops::ResultOrigin::kPassed || executed.results.empty()) return {};
  if (!IsFloat(executed.outputs[0].type)) return {};
  if (HasSteps(op, origin)) {
    return varying[0] ? CountFiniteOperands(*executed.inputs[0]) : InformativeCount();
  }
  std::vector<Elements> operands;
  bool any = false;
  for (size_t i = 0; i < executed.inputs.size(); ++i) {
    const Elements& operand = *executed.inputs[i];
    const bool moves = varying[i] && IsFloat(operand.type.type);
    any |= moves;
    // Two readings of one tensor move alike.
    const auto first = std::ranges::find(executed.op.inputs, executed.op.inputs[i]);
    const auto seed = static_cast<uint64_t>(first - executed.op.inputs.begin());
    operands.push_back(moves ? Moved(operand, seed) : operand);
  }
  if (!any) return {};
  const std::vector<ValueTensor> moved = RunAgain(executed, operands, level);
  if (moved.empty()) return {};
  InformativeCount count;
  for (size_t output = 0; output < executed.results.size(); ++output) {
    const Elements& before = *executed.results[output];
    count.all += before.size();
    const Elements& after = moved[output].elements();
    for (int64_t i = 0; i < before.size(); ++i) {
      count.informative += !IsSame(before[i].real(), after[i].real());
    }
  }
  return count;
}

}  // namespace assay
