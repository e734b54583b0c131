// SPDX-License-Identifier: Apache-2.0
#include "folding_changes.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "folding_mistakes.h"

namespace assay {
namespace {

Operator Zeros(const TensorType& type, TensorIndex output) {
  return {
      Op::kConst, {{AttributeId::kValues, Tensor::Splat(type.type, type.shape, 0)}}, {}, {output}};
}

bool IsZero(const Block& block, TensorIndex tensor) {
  const Operator* producer = block.ProducerOf(tensor);
  if (producer == nullptr || producer->op != Op::kConst) return false;
  const std::span<const uint8_t> bytes = producer->attributes.Value(AttributeId::kValues).bytes();
  return std::ranges::all_of(bytes, [](uint8_t byte) { return byte == 0; });
}

// Moves the part of a block that is computed from CONSTs to the block that runs it. That block
// passes the results as arguments.
void Hoist(Block& runner, size_t position, Block& callee, Block& other) {
  std::set<TensorIndex> constant;
  std::vector<Operator> kept;
  size_t moved = 0;
  for (const Operator& op : callee.operators) {
    const bool is_moved =
        !IsControlFlow(op.op) && !IsVariableOperator(op.op) && op.op != Op::kCustom &&
        op.outputs.size() == 1 &&
        std::ranges::all_of(op.inputs, [&](TensorIndex input) { return constant.contains(input); });
    if (!is_moved) {
      kept.push_back(op);
      continue;
    }
    constant.insert(op.outputs[0]);
    if (IsConstant(op.op)) kept.push_back(op);
  }
  std::vector<TensorIndex> copies(callee.tensors.size(), -1);
  std::vector<Operator> hoisted;
  for (const Operator& op : callee.operators) {
    if (op.outputs.size() != 1 || !constant.contains(op.outputs[0])) continue;
    const TensorInfo info = callee.tensors[static_cast<size_t>(op.outputs[0])];
    const TensorIndex copy = AddTensor(runner, info.name + "/hoisted", info.type);
    copies[static_cast<size_t>(op.outputs[0])] = copy;
    Operator there = op;
    for (TensorIndex& input : there.inputs) input = copies[static_cast<size_t>(input)];
    there.outputs = {copy};
    hoisted.push_back(std::move(there));
    if (IsConstant(op.op)) continue;
    ++moved;
    callee.inputs.push_back(op.outputs[0]);
    other.inputs.push_back(AddTensor(other, info.name + "/unused", info.type));
    runner.operators[position].inputs.push_back(copy);
  }
  if (moved == 0) return;
  callee.operators = std::move(kept);
  runner.operators.insert(runner.operators.begin() + static_cast<ptrdiff_t>(position),
                          hoisted.begin(), hoisted.end());
}

// Replaces the results of the operators for which `is_dropped` is true by zeros.
template <typename IsDropped>
void Drop(Block& block, const IsDropped& is_dropped) {
  for (Operator& op : block.operators) {
    if (is_dropped(op)) op = Zeros(block.TypeOf(op.outputs[0]), op.outputs[0]);
  }
}

Graph& StageOf(Folding& folding, FoldStage stage) {
  return folding.graphs[static_cast<size_t>(folding.record.at(stage).graph)];
}

}  // namespace

void ShiftArguments(UnfoldedGraph& input) {
  if (input.arguments.empty()) return;
  std::rotate(input.arguments.begin(), input.arguments.begin() + 1, input.arguments.end());
}

void TakeRuntimeForCompileTime(UnfoldedGraph& input) {
  std::ranges::replace(input.arguments, Constness::kRuntime, Constness::kCompileTime);
}

void DropSizePolicy(UnfoldedGraph& input) {
  input.policy = {SizePolicyKind::kAbsolute, std::numeric_limits<int64_t>::max()};
}

void TakeCustomForPure(UnfoldedGraph& input) {
  for (const Block& block : input.graph.Blocks()) {
    for (const Operator& op : block.operators) {
      if (!op.attributes.Has(AttributeId::kDomainName)) continue;
      input.pure_domains.insert(op.attributes.Text(AttributeId::kDomainName));
    }
  }
}

void DropTimesZero(UnfoldedGraph& input) {
  Block& main = *input.graph.Main();
  Drop(main, [&](const Operator& op) {
    return op.op == Op::kMul && (IsZero(main, op.inputs[0]) || IsZero(main, op.inputs[1]));
  });
}

void DropMinusItself(UnfoldedGraph& input) {
  Drop(*input.graph.Main(),
       [](const Operator& op) { return op.op == Op::kSub && op.inputs[0] == op.inputs[1]; });
}

void ReadInitialValues(UnfoldedGraph& input) {
  std::map<std::string, Tensor> initial;
  for (Operator& op : input.graph.Main()->operators) {
    if (op.op == Op::kVariable && op.attributes.Has(AttributeId::kInitialValue)) {
      initial[op.attributes.Text(AttributeId::kName)] =
          op.attributes.Value(AttributeId::kInitialValue);
    }
    if (op.op != Op::kVariableRead) continue;
    const auto known = initial.find(op.attributes.Text(AttributeId::kName));
    if (known == initial.end()) continue;
    op = {Op::kConst, {{AttributeId::kValues, known->second}}, {}, op.outputs};
  }
}

void HoistAll(UnfoldedGraph& input) {
  Graph& graph = input.graph;
  Block& main = *graph.Main();
  for (size_t i = 0; i < main.operators.size(); ++i) {
    if (main.operators[i].op != Op::kCondIf) continue;
    const auto block = [&](AttributeId id) {
      return const_cast<Block*>(graph.FindBlock(main.operators[i].attributes.Text(id)));
    };
    Block* const yes = block(AttributeId::kThenGraph);
    Block* const no = block(AttributeId::kElseGraph);
    if (yes == no) continue;
    const size_t before = main.operators.size();
    Hoist(main, i, *yes, *no);
    i += main.operators.size() - before;
    const size_t between = main.operators.size();
    Hoist(main, i, *no, *yes);
    i += main.operators.size() - between;
  }
}

void DropConstants(Folding& folding) {
  std::vector<FoldSource>& sources = folding.record.at(FoldStage::kEntry).inputs;
  std::vector<TensorIndex>& inputs = StageOf(folding, FoldStage::kEntry).Main()->inputs;
  for (size_t i = sources.size(); i-- > 0;) {
    if (sources[i].kind != FoldSource::Kind::kArgument ||
        folding.arguments[static_cast<size_t>(sources[i].index)] == Constness::kVarying) {
      continue;
    }
    sources.erase(sources.begin() + static_cast<ptrdiff_t>(i));
    inputs.erase(inputs.begin() + static_cast<ptrdiff_t>(i));
  }
}

void ExchangeResults(Folding& folding) {
  for (FoldStageRecord& stage : folding.record.stages) {
    if (stage.outputs.empty()) continue;
    std::rotate(stage.outputs.begin(), stage.outputs.begin() + 1, stage.outputs.end());
  }
}

void ShareByType(Folding& folding) {
  const std::vector<CachedTensor>& cached = folding.record.cached;
  for (FoldStageRecord& stage : folding.record.stages) {
    for (FoldSource& source : stage.inputs) {
      if (source.kind != FoldSource::Kind::kCached) continue;
      const TensorType& type = cached[static_cast<size_t>(source.index)].type;
      const auto first = std::ranges::find(cached, type, &CachedTensor::type);
      source.index = static_cast<int32_t>(first - cached.begin());
    }
  }
}

void ForgetCachedOutputs(Folding& folding) {
  const FoldStageRecord& record = folding.record.at(FoldStage::kEntry);
  const auto arguments =
      std::ranges::count(record.inputs, FoldSource::Kind::kArgument, &FoldSource::kind);
  Block& main = *StageOf(folding, FoldStage::kEntry).Main();
  for (TensorIndex& output : main.outputs) {
    const auto input = std::ranges::find(main.inputs, output);
    if (input - main.inputs.begin() < arguments) continue;
    if (input == main.inputs.end()) continue;
    const TensorInfo info = main.tensors[static_cast<size_t>(output)];
    output = AddTensor(main, info.name + "/unbound", info.type);
    main.operators.push_back(Zeros(info.type, output));
  }
}

void LoseAttributes(Folding& folding) {
  for (const FoldStage stage : {FoldStage::kCompileTime, FoldStage::kRuntime}) {
    for (Operator& op : StageOf(folding, stage).Main()->operators) {
      op.attributes = Carried(op.attributes, true);
    }
  }
}

void ChangeResultTypes(Folding& folding) {
  for (CachedTensor& cached : folding.record.cached) {
    cached.type = {cached.type.type, {static_cast<int32_t>(cached.type.shape.Elements())}};
  }
}

void VaryOrder(Folding& folding) {
  // Two in four are backwards: a graph that is folded in two forms in turns is noticed as well.
  static std::atomic<unsigned> count = 0;
  if (count++ % 4 < 2) return;
  std::vector<CachedTensor>& cached = folding.record.cached;
  const auto runtime = std::ranges::find(cached, FoldStage::kRuntime, &CachedTensor::stage);
  const auto early = static_cast<int32_t>(runtime - cached.begin());
  const auto all = static_cast<int32_t>(cached.size());
  const auto moved = [&](int32_t index) {
    return index < early ? early - 1 - index : early + all - 1 - index;
  };
  std::reverse(cached.begin(), runtime);
  std::reverse(runtime, cached.end());
  for (FoldStageRecord& stage : folding.record.stages) {
    for (FoldSource& source : stage.inputs) {
      if (source.kind == FoldSource::Kind::kCached) source.index = moved(source.index);
    }
    for (int32_t& output : stage.outputs) output = moved(output);
  }
}

void CountElements(Folding& folding) {
  for (CachedTensor& cached : folding.record.cached) cached.bytes = cached.type.shape.Elements();
}

void CountNoSubBytes(Folding& folding) {
  for (CachedTensor& cached : folding.record.cached) {
    if (cached.type.type == DType::kBool || cached.type.type == DType::kInt4) cached.bytes = 0;
  }
}

}  // namespace assay
