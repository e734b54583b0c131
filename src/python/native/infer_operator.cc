// SPDX-License-Identifier: Apache-2.0
#include "infer_operator.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "check_graph.h"
#include "joined.h"
#include "operator_table.h"
#include "rules.h"
#include "run_operator.h"

namespace assay::python {
namespace {

constexpr size_t kRulesMax = 3;  // that an error names

using OutputTypeList = std::vector<DType>;

// Returns the element types that the outputs may have by the rows of the operator's type table.
std::set<OutputTypeList> PossibleOutputs(const Operator& op, const std::vector<DType>& inputs,
                                         std::span<const DType> wished) {
  std::set<OutputTypeList> possible;
  const auto rows = static_cast<int>(RowOf(op.op).type_rows.size());
  for (int row = 0; row < rows; ++row) {
    const std::span<const DType> outputs = OutputTypes(op.op, row);
    OutputTypeList types(outputs.begin(), outputs.end());
    if (types.size() != op.outputs.size()) continue;
    const bool fits = FindTypeRow(op.op, inputs, types, op.attributes.named_type()) == row &&
                      (wished.empty() || std::ranges::equal(types, wished));
    if (fits) possible.insert(std::move(types));
  }
  return possible;
}

// Returns the rules that the operator at the end of the block breaks.
std::string BrokenRules(const Graph& graph, const Level& level) {
  std::string text;
  size_t count = 0;
  for (const Breach& breach : CheckGraph(graph, level, {})) {
    if (++count > kRulesMax) break;
    if (!text.empty()) text += "; ";
    text += breach.rule + ": " + std::string(RuleText(breach.rule));
  }
  return text;
}

// Returns true if the operands have a meaning, with outputs of some rank.
bool HaveMeaning(Signature signature, const std::vector<TensorType>& outputs, const Level& level) {
  std::vector<TensorType> placeholders = outputs;
  signature.outputs = placeholders;
  for (int rank = 0; rank <= level.max_rank; ++rank) {
    if (HasMeaning(signature, level)) return true;
    for (TensorType& placeholder : placeholders) placeholder.shape.PushBack(1);
  }
  return false;
}

}  // namespace

Result<std::vector<TensorType>> InferLastOperator(Graph& graph, std::span<const DType> wished,
                                                  const Level& level) {
  Block& main = *graph.Main();
  const Operator& op = main.operators.back();
  const std::string name(OperatorName(op.op));
  const std::vector<int32_t> producers = main.Producers();
  std::vector<TensorType> inputs;
  std::vector<DType> types;
  std::vector<std::vector<Scalar>> elements;
  for (const TensorIndex input : op.inputs) {
    inputs.push_back(main.TypeOf(input));
    types.push_back(inputs.back().type);
    elements.push_back(ConstantElements(main, producers[static_cast<size_t>(input)])
                           .value_or(std::vector<Scalar>()));
  }
  std::vector<TensorType> outputs(op.outputs.size());
  const std::set<OutputTypeList> possible = PossibleOutputs(op, types, wished);
  if (possible.size() > 1) {
    const auto first = [](const OutputTypeList& one) { return TypeName(one[0]); };
    return BadInput(name + ": the output may be " + Joined(possible, ", ", first) +
                    "; say which (output_type)");
  }
  if (!possible.empty()) {
    for (size_t i = 0; i < outputs.size(); ++i) outputs[i].type = (*possible.begin())[i];
  } else {
    for (size_t i = 0; i < outputs.size() && i < wished.size(); ++i) outputs[i].type = wished[i];
  }
  const std::vector<std::span<const Scalar>> constants(elements.begin(), elements.end());
  const Signature signature{op.op, &op.attributes, inputs, {}, constants};
  const bool inferred = !possible.empty() && HaveMeaning(signature, outputs, level) &&
                        InferOutputs(signature, outputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    main.tensors[static_cast<size_t>(op.outputs[i])].type = outputs[i];
  }
  const std::string broken = BrokenRules(graph, level);
  if (!broken.empty()) return BadInput(name + ": breaks " + broken);
  if (!inferred) return BadInput(name + ": its operands determine no output");
  return outputs;
}

}  // namespace assay::python
