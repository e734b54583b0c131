// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "executor.h"
#include "graph_parser.h"
#include "rules.h"
#include "value_parser.h"

namespace assay {

// Returns the tensor of a text like "i8[3]{-5,0,7}". Stops the test program if the text is not
// valid.
inline Tensor TensorOf(std::string_view text) { return ParseTensor(text).value(); }

// Builds a block operator by operator. It checks and infers nothing, so that wrong blocks can be
// built, too. Types are texts: "i32[2,3]", "shape[2]".
class BlockBuilder {
 public:
  explicit BlockBuilder(std::string name = "main") { block.name = std::move(name); }

  TensorIndex Declare(std::string_view type) {
    const auto index = static_cast<TensorIndex>(block.tensors.size());
    block.tensors.push_back(
        {"t" + std::to_string(index), ParseTensorType(type).value(), false, {}, {}});
    return index;
  }
  TensorIndex Input(std::string_view type) {
    block.inputs.push_back(Declare(type));
    return block.inputs.back();
  }
  // Adds a tensor with variable=true.
  TensorIndex Variable(std::string name, std::string_view type, Tensor initial_value = {}) {
    const TensorIndex index = Declare(type);
    TensorInfo& info = block.tensors.back();
    info.name = std::move(name);
    info.variable = true;
    info.initial_value = std::move(initial_value);
    return index;
  }
  // Adds a CONST, or a CONST_SHAPE if the value is a shape, and returns its result.
  TensorIndex Constant(std::string_view value) {
    const Tensor tensor = TensorOf(value);
    const Op op = tensor.type() == DType::kShape ? Op::kConstShape : Op::kConst;
    return Add(op, {}, tensor.tensor_type().ToString(), {{AttributeId::kValues, tensor}});
  }
  TensorIndex Add(Op op, std::vector<TensorIndex> inputs, std::string_view type,
                  Attributes attributes = {}) {
    const TensorIndex output = Declare(type);
    Append(op, std::move(inputs), {output}, std::move(attributes));
    return output;
  }
  void Append(Op op, std::vector<TensorIndex> inputs, std::vector<TensorIndex> outputs,
              Attributes attributes = {}) {
    block.operators.push_back({op, std::move(attributes), std::move(inputs), std::move(outputs)});
  }
  BlockBuilder& Outputs(std::vector<TensorIndex> outputs) {
    block.outputs = std::move(outputs);
    return *this;
  }

  Block block;
};

// Returns a graph of one region; the first block is the one that runs.
inline Graph GraphOf(std::vector<Block> blocks) {
  Graph graph = EmptyGraph();
  graph.regions[0].blocks = std::move(blocks);
  return graph;
}

// Returns the graph of a text (graph_parser.h). Stops the test program if the text is not valid.
inline Graph GraphOf(std::string_view text) {
  const Result<Graph> graph = ParseGraph(text, "graph");
  Check(static_cast<bool>(graph), graph ? "" : graph.error().message.c_str());
  return *graph;
}

// Returns a graph of the builder's block, which it takes.
inline Graph GraphWith(BlockBuilder& builder, std::vector<TensorIndex> outputs) {
  builder.Outputs(std::move(outputs));
  return GraphOf({std::move(builder.block)});
}

// A context in which graphs run in both domains. The domains must agree about the outcome of a
// graph and about values.
class Session {
 public:
  explicit Session(ExecutionOptions options = {}) : options_(options) {}

  Outcome Run(const Graph& graph, const std::vector<std::string_view>& inputs = {}) {
    std::vector<Tensor> tensors;
    for (const std::string_view input : inputs) tensors.push_back(TensorOf(input));
    Outcome outcome = Execute(values_, graph, tensors, options_);
    const BoundedOutcome bounded = ExecuteWithBounds(bounds_, graph, tensors, options_);
    EXPECT_EQ(OutcomeName(outcome.kind), OutcomeName(bounded.kind));
    EXPECT_EQ(outcome.rule, bounded.rule);
    EXPECT_EQ(outcome.message, bounded.message);
    EXPECT_TRUE(outcome.rule.empty() || IsKnownRule(outcome.rule)) << outcome.rule;
    EXPECT_EQ(outcome.outputs.size(), bounded.outputs.size());
    for (size_t i = 0; i < std::min(outcome.outputs.size(), bounded.outputs.size()); ++i) {
      EXPECT_EQ(outcome.outputs[i], bounded.outputs[i].value);
    }
    return outcome;
  }
  const Context& context() const { return values_; }

 private:
  ExecutionOptions options_;
  Context values_;
  BoundContext bounds_;
};

// Returns an outcome as a text: "valid i8[1]{1}", "error ADD/ERROR_IF/1".
inline std::string TextOf(const Outcome& outcome) {
  std::string text(OutcomeName(outcome.kind));
  if (!outcome.rule.empty()) text += " " + outcome.rule;
  for (const Tensor& output : outcome.outputs) {
    text += " " + output.tensor_type().ToString() + "{";
    for (int64_t i = 0; i < output.elements(); ++i) {
      text += (i > 0 ? "," : "") + output.ElementText(i);
    }
    text += "}";
  }
  return text;
}

inline std::string ResultOf(const Graph& graph, const std::vector<std::string_view>& inputs = {},
                            ExecutionOptions options = {}) {
  return TextOf(Session(options).Run(graph, inputs));
}

}  // namespace assay
