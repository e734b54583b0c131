// SPDX-License-Identifier: Apache-2.0
#include "explained_call.h"

#include <memory>
#include <utility>

#include "operator_facts.h"
#include "operator_set.h"

namespace assay {
namespace {

// The steps of one call that are kept, with their operands. They take some 200 MB.
constexpr size_t kStepsMax = size_t{1} << 22;

using Stepped = DomainTensor<SteppedElement>;

Stepped Recorded(Calculation& calculation, uint32_t operand, const DomainTensor<Scalar>& from) {
  auto elements = std::make_shared<std::vector<SteppedElement>>();
  elements->reserve(static_cast<size_t>(from.size()));
  for (int64_t i = 0; i < from.size(); ++i) {
    elements->push_back({from[i], calculation.Operand(from.type.type, from[i], operand, i)});
  }
  return {from.type, std::move(elements)};
}

std::optional<ExplainedElement> Moved(const OperatorCall& call, const Signature& signature,
                                      int64_t element) {
  std::vector<ops::Run> runs;
  ops::DefinitionOf(call.op->op).move(signature, runs);
  int64_t first = 0;
  for (const ops::Run& run : runs) {
    if (element < first + run.count) {
      const int64_t from = run.first + (element - first) * run.step;
      ExplainedElement moved;
      moved.value = call.inputs[static_cast<size_t>(run.operand)][from];
      moved.moved_from = {static_cast<uint32_t>(run.operand), from};
      return moved;
    }
    first += run.count;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ExplainedElement> ExplainElement(const OperatorCall& call, int output,
                                               int64_t element,
                                               const Calculation::NameOf& name_of) {
  const ops::OperatorDefinition& definition = ops::DefinitionOf(call.op->op);
  if (call.inputs.empty()) return std::nullopt;
  std::vector<TensorType> types;
  std::vector<std::span<const Scalar>> constants;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    types.push_back(call.inputs[i].type);
    const bool is_read = FactsOf(call.op->op).NeedsConstant(i);
    constants.push_back(is_read ? std::span<const Scalar>(*call.inputs[i].elements)
                                : std::span<const Scalar>());
  }
  const Signature signature = {call.op->op, &call.op->attributes, types, call.outputs, constants};
  if (definition.move != nullptr) return Moved(call, signature, element);
  if (definition.meaning.steps == nullptr) return std::nullopt;

  Calculation calculation(kStepsMax);
  std::vector<Stepped> operands;
  std::vector<const Stepped*> pointers;
  operands.reserve(call.inputs.size());
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    operands.push_back(Recorded(calculation, static_cast<uint32_t>(i), call.inputs[i]));
    pointers.push_back(&operands.back());
  }
  std::vector<std::vector<SteppedElement>> results(call.outputs.size());
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].resize(static_cast<size_t>(call.outputs[i].shape.Elements()));
  }
  StepsDomain domain(calculation);
  definition.meaning.steps(domain, Call<StepsDomain>{signature, pointers, results});
  if (calculation.exhausted()) return std::nullopt;
  const SteppedElement& x = results[static_cast<size_t>(output)][static_cast<size_t>(element)];
  ExplainedElement explained;
  explained.value = x.value;
  if (const Calculation::Place* place = calculation.PlaceOf(x.step)) {
    explained.moved_from = *place;
    return explained;
  }
  explained.text = calculation.Explain(x.step, name_of);
  return explained;
}

}  // namespace assay
