// SPDX-License-Identifier: Apache-2.0
#include "graph_edit.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "check.h"
#include "executor.h"

namespace assay {
namespace {

// Returns true if an operator has an effect beyond its results.
bool HasEffect(const Block& block, const Operator& op) {
  if (op.outputs.empty()) return true;
  return std::any_of(op.outputs.begin(), op.outputs.end(), [&](TensorIndex output) {
    return block.tensors[static_cast<size_t>(output)].variable;
  });
}

// Marks the tensors that an output or an operator with an effect depends on.
std::vector<char> LiveTensors(const Block& block) {
  std::vector<char> live(block.tensors.size(), 0);
  for (const TensorIndex output : block.outputs) live[static_cast<size_t>(output)] = 1;
  for (size_t i = block.operators.size(); i-- > 0;) {
    const Operator& op = block.operators[i];
    bool needed = HasEffect(block, op);
    for (const TensorIndex output : op.outputs) needed |= live[static_cast<size_t>(output)] != 0;
    if (!needed) continue;
    for (const TensorIndex t : op.inputs) live[static_cast<size_t>(t)] = 1;
    for (const TensorIndex t : op.outputs) live[static_cast<size_t>(t)] = 1;
  }
  return live;
}

// Keeps the live tensors and the operators with an effect or a live result.
void Compact(Block& block, const std::vector<char>& live) {
  std::erase_if(block.operators, [&](const Operator& op) {
    return !HasEffect(block, op) && live[static_cast<size_t>(op.outputs[0])] == 0;
  });
  std::vector<TensorIndex> index(block.tensors.size(), -1);
  std::vector<TensorInfo> tensors;
  for (size_t i = 0; i < block.tensors.size(); ++i) {
    if (live[i] == 0) continue;
    index[i] = static_cast<TensorIndex>(tensors.size());
    tensors.push_back(std::move(block.tensors[i]));
  }
  block.tensors = std::move(tensors);
  ForEachOperand(block, [&index](TensorIndex& t) { t = index[static_cast<size_t>(t)]; });
}

}  // namespace

GraphEdit::GraphEdit(TestVector& vector, int32_t graph) : vector_(vector), graph_(graph) {
  for (size_t i = 0; i < vector.steps.size(); ++i) {
    if (vector.steps[i].graph == graph) steps_.push_back(i);
  }
}

Tensor& GraphEdit::InputValue(size_t step, TensorIndex input) {
  const auto& inputs = main().inputs;
  const auto at = std::find(inputs.begin(), inputs.end(), input);
  Check(at != inputs.end(), "the tensor is an input of the main block");
  return vector_.steps[steps_[step]].inputs[static_cast<size_t>(at - inputs.begin())];
}

TensorIndex GraphEdit::AddTensor(std::string name, TensorType type) {
  while (main().FindTensor(name)) name += "_";
  return main().AddTensor(std::move(name), std::move(type));
}

TensorIndex GraphEdit::AddInput(std::string name, const TensorType& type,
                                const std::vector<Tensor>& values) {
  const TensorIndex input = AddTensor(std::move(name), type);
  main().inputs.push_back(input);
  for (size_t i = 0; i < steps_.size(); ++i) vector_.steps[steps_[i]].inputs.push_back(values[i]);
  return input;
}

void GraphEdit::RemoveInput(TensorIndex input) {
  auto& inputs = main().inputs;
  const auto at = std::find(inputs.begin(), inputs.end(), input) - inputs.begin();
  inputs.erase(inputs.begin() + at);
  for (const size_t step : steps_) {
    auto& values = vector_.steps[step].inputs;
    values.erase(values.begin() + at);
  }
}

void GraphEdit::SetConstant(size_t op, size_t operand, Tensor value) {
  const Op constant = value.type() == DType::kShape ? Op::kConstShape : Op::kConst;
  const TensorIndex old = main().operators[op].inputs[operand];
  const std::string name = main().tensors[static_cast<size_t>(old)].name;
  const TensorIndex fresh = AddTensor(name, value.tensor_type());
  main().operators[op].inputs[operand] = fresh;
  made_.push_back({constant, {{AttributeId::kValues, std::move(value)}}, {}, {fresh}});
}

const Tensor* GraphEdit::Constant(size_t op, size_t operand) {
  const Operator& reader = main().operators[op];
  if (operand >= reader.inputs.size()) return nullptr;
  for (const auto* producers : {&made_, &main().operators}) {
    for (const Operator& producer : *producers) {
      if (IsConstant(producer.op) && producer.outputs[0] == reader.inputs[operand]) {
        return &producer.attributes.Value(AttributeId::kValues);
      }
    }
  }
  return nullptr;
}

void GraphEdit::Sweep() {
  Block& block = main();
  block.operators.insert(block.operators.begin(), std::make_move_iterator(made_.begin()),
                         std::make_move_iterator(made_.end()));
  made_.clear();
  std::vector<TensorIndex> outputs;
  for (const TensorIndex output : block.outputs) {
    if (std::find(outputs.begin(), outputs.end(), output) == outputs.end()) {
      outputs.push_back(output);
    }
  }
  block.outputs = std::move(outputs);

  const std::vector<char> live = LiveTensors(block);
  for (size_t i = block.inputs.size(); i-- > 0;) {
    if (live[static_cast<size_t>(block.inputs[i])] == 0) RemoveInput(block.inputs[i]);
  }
  Compact(block, live);
  SweepRegions(graph());
}

void SweepNested(Block& block) {
  std::vector<char> live = LiveTensors(block);
  for (const TensorIndex input : block.inputs) live[static_cast<size_t>(input)] = 1;
  Compact(block, live);
}

void SweepRegions(Graph& graph) {
  std::vector<std::string> reached;
  std::vector<const Block*> todo = {graph.Main()};
  while (!todo.empty()) {
    const Block* block = todo.back();
    todo.pop_back();
    for (const Operator& op : block->operators) {
      for (const std::string& name : CalleesOf(op)) {
        const Block* callee = graph.FindBlock(name);
        if (callee == nullptr || std::find(reached.begin(), reached.end(), name) != reached.end()) {
          continue;
        }
        reached.push_back(name);
        todo.push_back(callee);
      }
    }
  }
  const auto unused = [&](const std::string& name) {
    return std::find(reached.begin(), reached.end(), name) == reached.end();
  };
  for (size_t i = graph.regions.size(); i-- > 1;) {
    if (unused(graph.regions[i].name)) {
      graph.regions.erase(graph.regions.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  std::erase_if(graph.regions[0].blocks,
                [&](const Block& block) { return block.name != "main" && unused(block.name); });
}

void ReplaceUses(Block& block, TensorIndex from, TensorIndex to) {
  for (Operator& op : block.operators) std::ranges::replace(op.inputs, from, to);
  std::ranges::replace(block.outputs, from, to);
}

std::vector<Block*> NestedBlocks(Graph& graph) {
  std::vector<Block*> blocks;
  for (Block& block : graph.Blocks()) {
    if (&block != graph.Main()) blocks.push_back(&block);
  }
  return blocks;
}

std::vector<std::vector<Reader>> ReadersOf(const Block& block) {
  std::vector<std::vector<Reader>> readers(block.tensors.size());
  for (size_t i = 0; i < block.operators.size(); ++i) {
    for (const TensorIndex input : block.operators[i].inputs) {
      readers[static_cast<size_t>(input)].push_back(static_cast<int32_t>(i));
    }
  }
  for (const TensorIndex output : block.outputs) {
    readers[static_cast<size_t>(output)].push_back(std::nullopt);
  }
  return readers;
}

void SweepVector(TestVector& vector) {
  std::vector<std::optional<int32_t>> graph(vector.graphs.size());
  std::vector<Graph> graphs;
  std::map<int32_t, int32_t> contexts;
  for (Step& step : vector.steps) {
    std::optional<int32_t>& number = graph[static_cast<size_t>(step.graph)];
    if (!number) {
      number = static_cast<int32_t>(graphs.size());
      graphs.push_back(std::move(vector.graphs[static_cast<size_t>(step.graph)]));
    }
    step.graph = *number;
    step.context =
        contexts.emplace(step.context, static_cast<int32_t>(contexts.size())).first->second;
  }
  vector.graphs = std::move(graphs);
}

Tensor Crop(const Tensor& tensor, const Shape& to, Kept kept) {
  const Shape& from = tensor.shape();
  if (from == to) return tensor;
  const auto width = static_cast<size_t>(ElementBytes(tensor.type()));
  std::vector<uint8_t> bytes(static_cast<size_t>(to.Elements()) * width);
  std::array<int32_t, Shape::kMaxRank> index{};
  const uint8_t* source = tensor.bytes().data();
  for (size_t out = 0; out < bytes.size(); out += width) {
    int64_t offset = 0;
    for (int axis = 0; axis < to.rank(); ++axis) {
      const int32_t first = kept == Kept::kLast ? from[axis] - to[axis] : 0;
      offset = offset * from[axis] + first + index[static_cast<size_t>(axis)];
    }
    std::memcpy(bytes.data() + out, source + static_cast<size_t>(offset) * width, width);
    for (int axis = to.rank() - 1; axis >= 0; --axis) {
      if (++index[static_cast<size_t>(axis)] < to[axis]) break;
      index[static_cast<size_t>(axis)] = 0;
    }
  }
  return Tensor::FromBytes(tensor.type(), to, std::move(bytes));
}

std::vector<std::vector<Tensor>> EvaluateAll(const TestVector& vector) {
  TestVector open = vector;
  for (Graph& graph : open.graphs) {
    Block& main = *graph.Main();
    main.outputs.clear();
    const std::vector<int32_t> producers = main.Producers();
    for (size_t i = 0; i < main.tensors.size(); ++i) {
      const TensorInfo& info = main.tensors[i];
      if (info.variable || info.type.type == DType::kShape || producers[i] < 0) continue;
      main.outputs.push_back(static_cast<TensorIndex>(i));
    }
  }
  const std::vector<Outcome> outcomes = ExecuteVector(open, {});
  std::vector<std::vector<Tensor>> values;
  for (size_t s = 0; s < open.steps.size(); ++s) {
    const Block& main = *open.graphs[static_cast<size_t>(open.steps[s].graph)].Main();
    std::vector<Tensor> row(main.tensors.size());
    if (outcomes[s].kind == OutcomeKind::kValid) {
      for (size_t i = 0; i < main.outputs.size(); ++i) {
        row[static_cast<size_t>(main.outputs[i])] = outcomes[s].outputs[i];
      }
    }
    for (size_t i = 0; i < main.inputs.size() && i < open.steps[s].inputs.size(); ++i) {
      row[static_cast<size_t>(main.inputs[i])] = open.steps[s].inputs[i];
    }
    values.push_back(std::move(row));
  }
  return values;
}

}  // namespace assay
