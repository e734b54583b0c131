// SPDX-License-Identifier: Apache-2.0
#include "window_graph.h"

#include <limits>

#include "fused_shapes.h"
#include "graph_text.h"
#include "operator_facts.h"
#include "version.h"

namespace assay {

WindowGraph::WindowGraph(const Block& block) : block_(block) {
  window_.vector.graphs = {EmptyGraph()};
  window_.vector.steps.resize(1);
}

TensorIndex WindowGraph::AddTensor(TensorIndex from) {
  const TensorInfo& info = block_.tensors[static_cast<size_t>(from)];
  const TensorIndex index = main().AddTensor(info.name, info.type);
  index_.emplace(from, index);
  return index;
}

void WindowGraph::AddOperand(const Operator& op, size_t input, const Operator* constant,
                             const Tensor& value) {
  const TensorIndex from = op.inputs[input];
  const TensorIndex to = AddTensor(from);
  const bool is_shape = value.type() == DType::kShape;
  if (constant != nullptr) {
    main().operators.push_back({constant->op, constant->attributes, {}, {to}});
  } else if (is_shape || FactsOf(op.op).NeedsConstant(input)) {
    const Op made = is_shape ? Op::kConstShape : Op::kConst;
    main().operators.push_back({made, {{AttributeId::kValues, value}}, {}, {to}});
  } else {
    main().inputs.push_back(to);
    inputs_.push_back(from);
    window_.vector.steps[0].inputs.push_back(value);
  }
}

void WindowGraph::AddOperator(const Operator& op) {
  Operator copy = {op.op, op.attributes, {}, {}};
  for (const TensorIndex input : op.inputs) copy.inputs.push_back(index_.at(input));
  for (const TensorIndex output : op.outputs) copy.outputs.push_back(AddTensor(output));
  main().operators.push_back(std::move(copy));
  window_.operators += (operators_.empty() ? "" : ", ") + std::string(OperatorName(op.op));
  operators_.push_back(op.op);
}

Window WindowGraph::Finish() {
  window_.size = static_cast<int>(operators_.size());
  window_.fused = AreFusedInPractice(operators_);
  window_.identity = Identity();
  return std::move(window_);
}

// Returns the text of the graph without the names of tensors and without values that no operator
// needs at compile time.
std::string WindowGraph::Identity() {
  std::set<TensorIndex> fixed;
  for (const Operator& op : main().operators) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (FactsOf(op.op).NeedsConstant(i)) fixed.insert(op.inputs[i]);
    }
  }
  std::string text;
  const auto add = [&](const char* before, const std::vector<TensorIndex>& tensors) {
    text += before;
    for (const TensorIndex tensor : tensors) {
      text += std::to_string(tensor) + ":" + main().TypeOf(tensor).ToString() + " ";
    }
  };
  for (const Operator& op : main().operators) {
    text += OperatorName(op.op);
    add(" ", op.inputs);
    add("> ", op.outputs);
    for (const auto& [id, value] : op.attributes.entries()) {
      if (op.op == Op::kConst && !fixed.contains(op.outputs[0])) continue;
      const Tensor* tensor = std::get_if<Tensor>(&value);
      text += tensor == nullptr ? AttributeText(id, value)
                                : TensorText(*tensor, std::numeric_limits<int64_t>::max());
      text += " ";
    }
    text += "\n";
  }
  add("", main().outputs);
  return text;
}

void DescribeFrom(const TestVector& whole, Window& window) {
  TestVector& vector = window.vector;
  vector.name = (whole.name.empty() ? "" : whole.name + ": ") + window.operators;
  vector.spec = whole.spec;
  vector.requirements = whole.requirements;
  vector.level = whole.level;
  vector.semantics = whole.semantics;
  vector.graphs[0].version = whole.graphs[static_cast<size_t>(window.stands_for[0].graph)].version;
  vector.provenance = whole.provenance;
  vector.provenance.kind = "window";
  vector.provenance.toolkit_version = kToolkitVersion;
  vector.provenance.note = "window of " + (whole.name.empty() ? "a graph" : whole.name);
}

}  // namespace assay
