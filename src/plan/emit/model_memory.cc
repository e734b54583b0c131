// SPDX-License-Identifier: Apache-2.0
#include "model_memory.h"

#include <algorithm>
#include <set>
#include <utility>

#include "block_index.h"
#include "check_graph.h"
#include "custom.h"
#include "operator_table.h"
#include "pools.h"
#include "quoted.h"

namespace assay {
namespace {

void AddBlocks(const BlockIndex& index, const Block& block, std::vector<const Block*>& blocks,
               std::set<const Block*>& known) {
  if (!known.insert(&block).second) return;
  for (const Operator& op : block.operators) {
    for (const AttributeId id : kBlockAttributes) {
      const Block* const runs = index.Callee(op, id);
      if (runs != nullptr) AddBlocks(index, *runs, blocks, known);
    }
  }
  blocks.push_back(&block);
}

bool IsShape(const Block& block, TensorIndex tensor) {
  return block.TypeOf(tensor).type == DType::kShape;
}

bool IsVariableTensor(const Block& block, TensorIndex tensor) {
  return block.tensors[static_cast<size_t>(tensor)].variable;
}

std::string Name(const Block& block, TensorIndex tensor) {
  return "tensor " + Quoted(block.tensors[static_cast<size_t>(tensor)].name) + " of block " +
         Quoted(block.name);
}

// Finds what a graph's model in C cannot do, and collects the variables of the graph.
class ModelCheck {
 public:
  ModelCheck(const Graph& graph, ModelMemory& memory) : graph_(graph), memory_(memory) {}

  Result<Done> Run() {
    const std::vector<const Block*> blocks = BlocksToRun(graph_);
    for (const Block* block : blocks) {
      for (const Operator& op : block->operators) Declare(*block, op);
    }
    for (const Block* block : blocks) CheckBlock(*block);
    if (!problem_.empty()) return Unsupported(problem_);
    return Done{};
  }

 private:
  void Refuse(const std::string& problem) {
    if (problem_.empty()) problem_ = problem;
  }

  void Declare(const Block& block, const Operator& op) {
    if (op.op == Op::kVariable) {
      const TensorType type = {op.attributes.type(AttributeId::kType),
                               Shape(op.attributes.Ints(AttributeId::kVarShape))};
      AddVariable(op.attributes.Text(AttributeId::kName), type);
      if (!op.attributes.Has(AttributeId::kInitialValue)) return;
      const Tensor& initial = op.attributes.Value(AttributeId::kInitialValue);
      if (initial.tensor_type() != type) Refuse("VARIABLE breaks VARIABLE/REQUIRE/1 or /2");
      return;
    }
    for (const auto* list : {&op.inputs, &op.outputs}) {
      for (const TensorIndex tensor : *list) {
        const TensorInfo& info = block.tensors[static_cast<size_t>(tensor)];
        if (info.variable) AddVariable(info.name, info.type);
      }
    }
  }

  void AddVariable(const std::string& name, const TensorType& type) {
    if (!memory_.IndexOf(name)) return memory_.variables.push_back({name, type});
    UseVariable(name, type);
  }

  void UseVariable(const std::string& name, const TensorType& type) {
    const auto known = memory_.IndexOf(name);
    if (!known) return Refuse("variable " + Quoted(name) + " is declared by another graph");
    if (memory_.variables[*known].type != type) {
      Refuse("variable " + Quoted(name) + " is used with two types");
    }
  }

  void CheckBlock(const Block& block) {
    // Only a caller has a place for shapes.
    const bool takes_shapes = &block == graph_.Main() && !memory_.workspace_io;
    for (const TensorIndex input : block.inputs) {
      if (IsVariableTensor(block, input)) Refuse(Name(block, input) + ", a variable, is an input");
      if (IsShape(block, input) && !takes_shapes)
        Refuse(Name(block, input) + ", a shape, is an input");
    }
    for (const TensorIndex output : block.outputs) {
      if (IsShape(block, output) && !takes_shapes)
        Refuse(Name(block, output) + ", a shape, is an output");
    }
    for (const Operator& op : block.operators) CheckOperatorOf(block, op);
  }

  void CheckOperatorOf(const Block& block, const Operator& op) {
    if (op.op == Op::kVariableRead) {
      UseVariable(op.attributes.Text(AttributeId::kName), block.TypeOf(op.outputs[0]));
    } else if (op.op == Op::kVariableWrite) {
      UseVariable(op.attributes.Text(AttributeId::kName), block.TypeOf(op.inputs[0]));
    } else if (op.op == Op::kCustom) {
      Refuse(CustomName(op) + " has no kernel: what it does is up to its implementation");
    } else if (IsControlFlow(op.op)) {
      for (const auto* list : {&op.inputs, &op.outputs}) {
        for (const TensorIndex tensor : *list) {
          if (!IsVariableTensor(block, tensor)) continue;
          Refuse(Name(block, tensor) + ", a variable, is handed on by control flow");
        }
      }
    }
  }

  const Graph& graph_;
  ModelMemory& memory_;
  std::string problem_;
};

// Adds the pools that the target does not name.
void AddOwnPools(MemoryTarget& target, ModelMemory& memory) {
  const auto written = std::ranges::count_if(target.pools, IsWritten);
  const auto named = std::ssize(target.pools);
  const auto add = [&](std::string name, std::vector<TargetAccess> access) {
    const auto is_taken = [&](const PoolInfo& pool) { return pool.name == name; };
    while (std::ranges::any_of(target.pools, is_taken)) name += '_';
    PoolInfo& pool = target.pools.emplace_back();
    pool.name = name;
    pool.targets = std::move(access);
  };
  if (written == 0) add("workspace", {});
  if (written == named) add("parameters", {{"*", PoolAccess::kReadOnly}});
  for (size_t i = 0; i < target.pools.size(); ++i) {
    memory.own.push_back(static_cast<std::ptrdiff_t>(i) >= named);
    memory.read_only.push_back(!IsWritten(target.pools[i]));
  }
}

Result<Done> AddStates(const MemoryTarget& target, ModelMemory& memory) {
  MemoryProblem& problem = memory.graph.problem;
  BufferInfo states;
  states.name_hint = "states of variables";
  const auto is_taken = [&](const BufferInfo& b) { return b.name_hint == states.name_hint; };
  while (std::ranges::any_of(problem.buffers, is_taken)) states.name_hint += '_';
  states.size_bytes = std::ssize(memory.variables);
  states.alignment = target.alignment;
  states.kind = BufferKind::kVariable;
  // States are live as long as all other buffers together.
  states.live = {{0, 1}};
  LiveRange& live = states.live[0];
  for (const BufferInfo& buffer : problem.buffers) {
    for (const LiveRange& range : buffer.live) live.upper = std::max(live.upper, range.upper);
  }
  states.pool_candidates = CandidatesFor(problem.pools, {target.default_target}, states.kind);
  if (states.pool_candidates.empty()) return BadInput("no pool for the states of variables");
  memory.states = static_cast<int32_t>(problem.buffers.size());
  problem.buffers.push_back(std::move(states));
  return Done{};
}

}  // namespace

std::optional<size_t> ModelMemory::IndexOf(std::string_view variable) const {
  for (size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].name == variable) return i;
  }
  return std::nullopt;
}

std::vector<const Block*> BlocksToRun(const Graph& graph) {
  std::vector<const Block*> blocks;
  std::set<const Block*> known;
  AddBlocks(BlockIndex(graph), *graph.Main(), blocks, known);
  return blocks;
}

Result<ModelMemory> MemoryOfModel(const Graph& graph, MemoryTarget target) {
  const std::vector<Breach> breaches =
      CheckGraph(graph, kLevelNone, Requirements{Feature::kExtDynamic});
  if (!breaches.empty()) {
    return BadInput(breaches[0].where + " breaks " + breaches[0].rule + "; `assay check` says all");
  }
  ModelMemory memory;
  memory.workspace_io = target.workspace_io;
  AddOwnPools(target, memory);
  Result<GraphMemory> graph_memory = MemoryOf(graph, target);
  if (!graph_memory) return graph_memory.error();
  memory.graph = std::move(*graph_memory);
  if (memory.graph.dynamic > 0) {
    return Unsupported(std::to_string(memory.graph.dynamic) + " tensors are of unknown size");
  }
  const Result<Done> checked = ModelCheck(graph, memory).Run();
  if (!checked) return checked.error();
  if (!memory.variables.empty()) {
    const Result<Done> added = AddStates(target, memory);
    if (!added) return added.error();
  }
  return memory;
}

}  // namespace assay
