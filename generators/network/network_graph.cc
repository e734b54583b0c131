// SPDX-License-Identifier: Apache-2.0
#include "network_graph.h"

#include <string>

#include "check.h"

namespace assay {

TensorIndex NetworkGraph::Declare(char letter, ValueTensor value) {
  const TensorIndex index = block_.AddTensor(letter + std::to_string(values_.size()), value.type());
  values_.push_back(std::move(value));
  return index;
}

TensorIndex NetworkGraph::AddInput(Tensor value) {
  const TensorIndex index = Declare('i', ValueTensor(std::move(value)));
  block_.inputs.push_back(index);
  return index;
}

TensorIndex NetworkGraph::AddConstant(Tensor value) {
  const bool is_shape = value.type() == DType::kShape;
  const TensorIndex index = Declare(is_shape ? 's' : 'c', ValueTensor(value));
  const Op op = is_shape ? Op::kConstShape : Op::kConst;
  block_.operators.push_back({op, {{AttributeId::kValues, std::move(value)}}, {}, {index}});
  return index;
}

TensorIndex NetworkGraph::AddNumber(DType type, int64_t integer_or_bits) {
  const auto key = std::pair(type, integer_or_bits);
  const auto found = numbers_.find(key);
  if (found != numbers_.end()) return found->second;
  const TensorIndex index = AddConstant(Tensor::Splat(type, Shape{1}, integer_or_bits));
  numbers_.emplace(key, index);
  return index;
}

TensorIndex NetworkGraph::AddShape(std::span<const int64_t> values) {
  return AddConstant(Tensor::FromShape(values));
}

TensorIndex NetworkGraph::Add(Op op, std::vector<TensorIndex> inputs, Attributes attributes,
                              DType result) {
  Operator added = {op, std::move(attributes), std::move(inputs), {}};
  OperatorRun<ValueDomain> run;
  run.op = &added;
  for (const TensorIndex input : added.inputs) {
    run.inputs.push_back(&ValueOf(input));
    run.input_types.push_back(ValueOf(input).type());
  }
  run.constants.Read(op, run.inputs);
  run.output_types = {{result, Shape{}}};
  const Signature signature = {op, &added.attributes, run.input_types, {}, run.constants.views()};
  Check(InferOutputs(signature, run.output_types), "a layer of a network has an output shape");
  run.types_inferred = true;
  ValueDomain domain;
  RunOperator(domain, level_, Kernels::kFast, run);
  Check(domain.judgement().valid(), "a layer of a network is valid");
  const TensorIndex index = Declare('t', std::move(run.outputs[0]));
  added.outputs = {index};
  block_.operators.push_back(std::move(added));
  return index;
}

std::vector<double> NetworkGraph::ElementsOf(TensorIndex i) const {
  std::vector<double> elements;
  const ValueTensor& value = ValueOf(i);
  elements.reserve(static_cast<size_t>(value.size()));
  if (IsFloat(value.type().type)) {
    value.ForEachFloat([&](double x) { elements.push_back(x); });
  } else {
    value.ForEachInteger([&](int64_t x) { elements.push_back(static_cast<double>(x)); });
  }
  return elements;
}

Graph NetworkGraph::Finish(std::vector<TensorIndex> outputs, Step& step) {
  block_.name = "main";
  block_.outputs = std::move(outputs);
  for (const TensorIndex input : block_.inputs) step.inputs.push_back(ValueOf(input).tensor());
  Graph graph = EmptyGraph();
  *graph.Main() = std::move(block_);
  block_ = Block();
  values_.clear();
  numbers_.clear();
  return graph;
}

}  // namespace assay
