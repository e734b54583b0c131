// SPDX-License-Identifier: Apache-2.0
#include "worked_example.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "convert_tensor.h"
#include "operator_facts.h"
#include "run_operator.h"
#include "value_parser.h"

namespace assay {
namespace {

// Returns the parts of a text between blanks.
std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// A builder of a graph with one operator in one block.
class ExampleGraph {
 public:
  explicit ExampleGraph(Op op) { operator_.op = op; }

  void AddInput(const Tensor& tensor, bool constant) {
    const TensorIndex index = Declare(tensor.tensor_type());
    operator_.inputs.push_back(index);
    operands_.push_back(tensor);
    if (constant || tensor.type() == DType::kShape) {
      const Op source = tensor.type() == DType::kShape ? Op::kConstShape : Op::kConst;
      block_.operators.push_back({source, {{AttributeId::kValues, tensor}}, {}, {index}});
    } else {
      block_.inputs.push_back(index);
      inputs_.push_back(tensor);
    }
  }

  void AddOutput(const TensorType& type) {
    const TensorIndex index = Declare(type);
    operator_.outputs.push_back(index);
    if (type.type != DType::kShape) block_.outputs.push_back(index);
  }

  Attributes& attributes() { return operator_.attributes; }

  // Declares the outputs that the operator's shape rule infers. Returns false if it infers none.
  bool InferAllOutputs() {
    std::vector<std::vector<Scalar>> elements;
    std::vector<TensorType> types;
    for (const Tensor& tensor : operands_) {
      types.push_back(tensor.tensor_type());
      elements.push_back(*ToScalars(tensor).elements);
    }
    const std::vector<std::span<const Scalar>> constants(elements.begin(), elements.end());
    std::vector<TensorType> outputs(FactsOf(operator_.op).outputs.size());
    if (!InferOutputs({operator_.op, &operator_.attributes, types, {}, constants}, outputs)) {
      return false;
    }
    for (const TensorType& type : outputs) {
      if (type.type == DType::kUnknown) return false;
      AddOutput(type);
    }
    return true;
  }

  TestVector Finish(Step step) {
    TestVector vector;
    block_.name = "main";
    block_.operators.push_back(std::move(operator_));
    vector.graphs.push_back(EmptyGraph());
    vector.graphs[0].regions[0].blocks[0] = std::move(block_);
    step.inputs = std::move(inputs_);
    vector.steps.push_back(std::move(step));
    vector.tags.emplace_back("example");
    return vector;
  }

 private:
  TensorIndex Declare(const TensorType& type) {
    return block_.AddTensor("t" + std::to_string(block_.tensors.size()), type);
  }

  Operator operator_;
  Block block_;
  std::vector<Tensor> operands_;  // all of them
  std::vector<Tensor> inputs_;    // of the graph
};

}  // namespace

Result<TestVector> VectorOfExample(Op op, const ops::Example& example) {
  const OperatorFacts& facts = FactsOf(op);
  ExampleGraph graph(op);
  size_t position = 0;
  for (const std::string_view text : Split(example.inputs)) {
    Result<Tensor> tensor = ParseTensor(text);
    if (!tensor) return tensor.error();
    graph.AddInput(*tensor, facts.NeedsConstant(position++));
  }
  bool declared = false;
  for (const std::string_view text : Split(example.attributes)) {
    constexpr std::string_view kOutput = "output=";
    if (text.starts_with(kOutput)) {
      Result<TensorType> type = ParseTensorType(text.substr(kOutput.size()));
      if (!type) return type.error();
      graph.AddOutput(*type);
      declared = true;
      continue;
    }
    const Result<Attributes::Entry> attribute = ParseAttribute(op, text);
    if (!attribute) return attribute.error();
    graph.attributes().Set(attribute->first, attribute->second);
  }
  AddUsualAttributes(op, graph.attributes());
  Step step;
  const bool error = example.results.starts_with("error ");
  if (error || example.results.starts_with("unpredictable ")) {
    if (!declared && !graph.InferAllOutputs()) {
      return BadInput("the outputs must be declared, output=...: " + std::string(example.results));
    }
    step.expected = error ? OutcomeKind::kError : OutcomeKind::kUnpredictable;
    step.rule = example.results.substr(example.results.find(' ') + 1);
    return graph.Finish(std::move(step));
  }
  for (const std::string_view text : Split(example.results)) {
    Result<Tensor> tensor = ParseTensor(text);
    if (!tensor) return tensor.error();
    if (!declared) graph.AddOutput(tensor->tensor_type());
    // A shape cannot be an output of a graph. The operators that read shapes have examples that
    // check it.
    if (tensor->type() == DType::kShape) continue;
    Expectation expectation;
    expectation.value = *tensor;
    expectation.rule = OperatorName(op);
    step.outputs.push_back(std::move(expectation));
  }
  return graph.Finish(std::move(step));
}

}  // namespace assay
