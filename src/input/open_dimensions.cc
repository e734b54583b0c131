// SPDX-License-Identifier: Apache-2.0
#include "open_dimensions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "check_graph.h"
#include "execution_order.h"
#include "input_names.h"
#include "joined.h"
#include "levels.h"
#include "operator_facts.h"
#include "quoted.h"
#include "run_operator.h"

namespace assay {
namespace {

bool IsOpen(const TensorType& type) {
  return std::ranges::find(type.shape, kOpenDimension) != type.shape.end();
}

bool IsOpen(const Graph& graph) {
  return std::ranges::any_of(graph.Blocks(), [](const Block& block) {
    return std::ranges::any_of(block.tensors,
                               [](const TensorInfo& info) { return IsOpen(info.type); });
  });
}

// Returns dimensions with a "?" for each one that is open: "?,4".
std::string DimensionsText(const Shape& shape, const char* open) {
  return Joined(shape, ",",
                [&](int32_t dim) { return dim == kOpenDimension ? open : std::to_string(dim); });
}

std::string TypeText(const TensorType& type) {
  return std::string(TypeName(type.type)) + "[" + DimensionsText(type.shape, "?") + "]";
}

// Returns true if a shape without open dimensions is one that `open` stands for.
bool Fits(const Shape& shape, const Shape& open) {
  return std::ranges::equal(shape, open, [](int32_t dim, int32_t wanted) {
    return dim == wanted || wanted == kOpenDimension;
  });
}

Result<Done> CloseInputs(Block& main, const std::vector<NamedShape>& shapes) {
  const Result<std::map<size_t, Shape>> given = ByInput(main, "--shape", shapes);
  if (!given) return given.error();
  for (size_t i = 0; i < main.inputs.size(); ++i) {
    TensorInfo& info = main.tensors[static_cast<size_t>(main.inputs[i])];
    const std::string input = "input " + Quoted(info.name) + " of type " + TypeText(info.type);
    if (const auto shape = given->find(i); shape != given->end()) {
      if (!Fits(shape->second, info.type.shape)) {
        return UsageError("--shape " + info.name + "=" + DimensionsText(shape->second, "?") +
                          ": contradicts " + input);
      }
      info.type.shape = shape->second;
    } else if (IsOpen(info.type)) {
      return UsageError(input + " has open dimensions: give them with --shape " + info.name + "=" +
                        DimensionsText(info.type.shape, "N"));
    }
  }
  return Done{};
}

// Infers open dimensions in the order of execution.
class Inference {
 public:
  explicit Inference(Graph& graph) : graph_(graph) {}

  // Infers those of a block whose inputs have none.
  Result<Done> Infer(Block& block) {
    const std::vector<int32_t> producers = block.Producers();
    for (const int32_t index : OrderOf(block, producers)) {
      const Operator& op = block.operators[static_cast<size_t>(index)];
      Result<Done> inferred =
          CalleesOf(op).empty() ? InferOperator(block, op, producers) : InferCall(block, op);
      if (!inferred) return inferred;
    }
    for (const TensorInfo& info : block.tensors) {
      if (!IsOpen(info.type)) continue;
      return BadInput("tensor " + Quoted(info.name) + " of type " + TypeText(info.type) +
                      ": the inputs do not determine its open dimensions");
    }
    return Done{};
  }

 private:
  static std::string Place(const Block& block, const Operator& op) {
    std::string place(OperatorName(op.op));
    if (op.outputs.empty()) return place;
    return place + " " + Quoted(block.tensors[static_cast<size_t>(op.outputs[0])].name);
  }

  static Result<Done> Set(const std::string& place, TensorInfo& info, const Shape& shape) {
    const bool is_positive = std::ranges::all_of(shape, [](int32_t dim) { return dim > 0; });
    if (!is_positive || !Fits(shape, info.type.shape)) {
      return BadInput(place + ": its inputs give the shape [" + DimensionsText(shape, "?") +
                      "], and the graph says " + TypeText(info.type));
    }
    info.type.shape = shape;
    return Done{};
  }

  static Result<Done> InferOperator(Block& block, const Operator& op,
                                    const std::vector<int32_t>& producers) {
    const auto is_open = [&](TensorIndex output) { return IsOpen(block.TypeOf(output)); };
    if (std::ranges::none_of(op.outputs, is_open)) return Done{};
    const std::vector<TensorType> inputs = block.TypesOf(op.inputs);
    std::vector<TensorType> outputs = block.TypesOf(op.outputs);
    std::vector<std::vector<Scalar>> elements(inputs.size());
    bool is_known = true;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!FactsOf(op.op).NeedsConstant(i)) continue;
      auto constant = ConstantElements(block, producers[static_cast<size_t>(op.inputs[i])]);
      is_known = is_known && constant && std::ssize(*constant) == inputs[i].shape.Elements();
      if (is_known) elements[i] = std::move(*constant);
    }
    const std::vector<std::span<const Scalar>> constants(elements.begin(), elements.end());
    const std::string place = Place(block, op);
    is_known =
        is_known && HasMeaning({op.op, &op.attributes, inputs, outputs, constants}, kLevelNone);
    for (TensorType& type : outputs) type.shape = {};
    if (!is_known || !InferOutputs({op.op, &op.attributes, inputs, {}, constants}, outputs)) {
      return BadInput(place + ": its inputs give no shape for its open dimensions");
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      TensorInfo& info = block.tensors[static_cast<size_t>(op.outputs[i])];
      const Result<Done> set = Set(place, info, outputs[i].shape);
      if (!set) return set;
    }
    return Done{};
  }

  // The operands of COND_IF, after the condition, and of WHILE_LOOP are the inputs of the blocks
  // that they run. Their results are the outputs of these.
  Result<Done> InferCall(Block& block, const Operator& op) {
    const std::string place = Place(block, op);
    const size_t first = op.op == Op::kCondIf ? 1 : 0;
    for (const std::string& name : CalleesOf(op)) {
      Block* callee = FindBlock(name);
      if (callee == nullptr || callee->inputs.size() + first != op.inputs.size()) {
        return BadInput(place + ": does not fit the block " + Quoted(name) + " that it runs");
      }
      for (size_t i = 0; i < callee->inputs.size(); ++i) {
        const Result<Done> set = Set(place + ", block " + Quoted(name),
                                     callee->tensors[static_cast<size_t>(callee->inputs[i])],
                                     block.TypeOf(op.inputs[first + i]).shape);
        if (!set) return set;
      }
      const Result<Done> inferred = Infer(*callee);
      if (!inferred) return inferred;
      // The condition of a loop has an output of its own.
      const bool has_results = callee->outputs.size() == op.outputs.size() &&
                               (op.op == Op::kCondIf || name == CalleesOf(op).back());
      for (size_t i = 0; has_results && i < op.outputs.size(); ++i) {
        const Result<Done> set = Set(place, block.tensors[static_cast<size_t>(op.outputs[i])],
                                     callee->TypeOf(callee->outputs[i]).shape);
        if (!set) return set;
      }
    }
    return Done{};
  }

  Block* FindBlock(const std::string& name) {
    for (Block& block : graph_.Blocks()) {
      if (block.name == name) return &block;
    }
    return nullptr;
  }

  Graph& graph_;
};

}  // namespace

Result<Done> CloseDimensions(Graph& graph, const std::vector<NamedShape>& shapes) {
  Block* main = graph.Main();
  if (main == nullptr) return BadInput("the graph has no block \"main\"");
  const bool was_open = IsOpen(graph);
  Result<Done> closed = CloseInputs(*main, shapes);
  if (!closed || !was_open) return closed;
  Judgement judgement;
  CheckStructure(graph, judgement);
  CheckNesting(graph, judgement);
  if (!judgement.valid()) {
    return BadInput(std::string("breaks ") + judgement.rule() + ", so that no shape is inferred");
  }
  return Inference(graph).Infer(*main);
}

}  // namespace assay
