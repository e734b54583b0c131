// SPDX-License-Identifier: Apache-2.0
#include "shrink_nested.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "graph_edit.h"

namespace assay {
namespace {

// A copy of a vector, and the block of it that is edited.
struct Copy {
  Copy(const TestVector& from, int32_t graph_number, size_t block_number)
      : vector(from),
        graph_index(graph_number),
        graph(vector.graphs[static_cast<size_t>(graph_number)]),
        block(*AllBlocks(graph)[block_number]) {}

  // Drops what is no longer needed. Returns nullopt if the main block has no operators or no
  // outputs left.
  Candidate Swept() {
    for (Block* nested : NestedBlocks(graph)) SweepNested(*nested);
    GraphEdit(vector, graph_index).Sweep();
    const Block& main = *vector.graphs[static_cast<size_t>(graph_index)].Main();
    if (main.operators.empty() || main.outputs.empty()) return std::nullopt;
    return std::move(vector);
  }

  TestVector vector;
  int32_t graph_index;
  Graph& graph;
  Block& block;
};

template <class T>
void EraseAt(std::vector<T>& list, size_t place) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(place));
}

Operator ZerosLike(const Block& block, TensorIndex tensor) {
  const TensorType& type = block.TypeOf(tensor);
  return {
      Op::kConst, {{AttributeId::kValues, Tensor::Splat(type.type, type.shape, 0)}}, {}, {tensor}};
}

// The blocks that the operators of a graph name, found as by Graph::FindBlock().
using BlocksByName = std::map<std::string_view, Block*>;

BlocksByName NamedBlocks(Graph& graph) {
  BlocksByName named;
  for (Block& block : graph.regions[0].blocks) named.emplace(block.name, &block);
  for (Region& region : graph.regions) {
    if (!region.blocks.empty()) named.emplace(region.name, &region.blocks[0]);
  }
  return named;
}

// Returns the blocks that an operator runs: the branches of COND_IF, or the condition and the body
// of WHILE_LOOP. Returns an empty list if the operator does not fit them.
std::vector<Block*> Callees(const BlocksByName& named, const Operator& op) {
  if (op.op != Op::kCondIf && op.op != Op::kWhileLoop) return {};
  const bool loop = op.op == Op::kWhileLoop;
  if (!loop && op.inputs.empty()) return {};
  const size_t handed_in = op.inputs.size() - (loop ? 0 : 1);
  std::vector<Block*> callees;
  for (const AttributeId id : {loop ? AttributeId::kCondGraph : AttributeId::kThenGraph,
                               loop ? AttributeId::kBodyGraph : AttributeId::kElseGraph}) {
    const AttributeValue* value = op.attributes.Find(id);
    const auto* name = value == nullptr ? nullptr : std::get_if<std::string>(value);
    const auto found = name == nullptr ? named.end() : named.find(*name);
    if (found == named.end() || found->second->inputs.size() != handed_in) return {};
    const size_t results = id == AttributeId::kCondGraph ? 1 : op.outputs.size();
    if (found->second->outputs.size() != results) return {};
    callees.push_back(found->second);
  }
  if (loop && op.inputs.size() != op.outputs.size()) return {};
  return callees;
}

// The removal of inputs and results of blocks, and of everything that must go with them. Blocks are
// shared, and may run each other and themselves. So a change of one block reaches all operators
// that run it, and the other blocks of these operators. All of it is computed before anything
// changes.
class Removal {
 public:
  explicit Removal(Graph& graph) : graph_(graph) {
    const BlocksByName named = NamedBlocks(graph);
    for (Block* block : AllBlocks(graph)) {
      for (size_t i = 0; i < block->operators.size(); ++i) {
        std::vector<Block*> callees = Callees(named, block->operators[i]);
        if (!callees.empty()) calls_.push_back({block, i, std::move(callees)});
      }
    }
  }

  // Marks an input or result of a block that operators run, by position.
  void DropInput(Block* block, size_t place) { Add(inputs_, block, place); }
  void DropResult(Block* block, size_t place) { Add(results_, block, place); }

  // Drops everything that is marked. Returns false, with the graph unchanged, if some of it is
  // still needed.
  bool Apply() {
    while (!open_.empty()) {
      const auto [list, block, place] = open_.back();
      open_.pop_back();
      if (block == graph_.Main()) return false;
      if (list == &inputs_) {
        FollowInput(block, place);
      } else if (!FollowResult(block, place)) {
        return false;
      }
    }
    if (!std::ranges::all_of(calls_, [this](const Call& call) { return LeavesAResult(call); })) {
      return false;
    }
    for (const Call& call : calls_) Shorten(call);
    // From the back, so that positions stay valid.
    for (auto at = results_.rbegin(); at != results_.rend(); ++at) {
      EraseAt(at->first->outputs, at->second);
    }
    std::vector<std::pair<Block*, TensorIndex>> gone;
    for (auto at = inputs_.rbegin(); at != inputs_.rend(); ++at) {
      Block* block = at->first;
      gone.emplace_back(block, block->inputs[at->second]);
      EraseAt(block->inputs, at->second);
    }
    for (const auto& [block, input] : gone) {
      if (ReadersOf(*block)[static_cast<size_t>(input)].empty()) continue;
      block->operators.insert(block->operators.begin(), ZerosLike(*block, input));
    }
    return true;
  }

 private:
  using Places = std::set<std::pair<Block*, size_t>>;
  struct Call {
    Block* block;
    size_t op;
    std::vector<Block*> callees;
    Operator& Operation() const { return block->operators[op]; }
    bool IsLoop() const { return Operation().op == Op::kWhileLoop; }
    bool Runs(const Block* other) const { return callees[0] == other || callees[1] == other; }
  };

  void Add(Places& list, Block* block, size_t place) {
    if (list.emplace(block, place).second) open_.push_back({&list, block, place});
  }

  // Operators that run the block no longer hand the input in. COND_IFs in the block no longer hand
  // it on.
  void FollowInput(const Block* block, size_t place) {
    const TensorIndex input = block->inputs[place];
    for (const Call& call : calls_) {
      if (call.Runs(block)) {
        for (Block* callee : call.callees) DropInput(callee, place);
        if (call.IsLoop()) DropResult(call.callees[1], place);
      }
      if (call.block != block || call.IsLoop()) continue;
      const std::vector<TensorIndex>& operands = call.Operation().inputs;
      for (size_t k = 1; k < operands.size(); ++k) {
        if (operands[k] != input) continue;
        for (Block* callee : call.callees) DropInput(callee, k - 1);
      }
    }
  }

  // Returns false if an operator that runs the block needs the result.
  bool FollowResult(const Block* block, size_t place) {
    for (const Call& call : calls_) {
      if (!call.Runs(block)) continue;
      if (call.IsLoop()) {
        if (call.callees[0] == block) return false;
        DropInput(call.callees[1], place);
        continue;
      }
      const auto result = static_cast<size_t>(call.Operation().outputs[place]);
      if (!ReadersOf(*call.block)[result].empty()) return false;
      for (Block* callee : call.callees) DropResult(callee, place);
    }
    return true;
  }

  bool Goes(const Places& list, const Call& call, size_t place) const {
    return list.contains({call.callees[1], place});
  }

  bool LeavesAResult(const Call& call) const {
    const size_t results = call.Operation().outputs.size();
    for (size_t i = 0; i < results; ++i) {
      if (!Goes(results_, call, i)) return true;
    }
    return results == 0;
  }

  void Shorten(const Call& call) {
    Operator& op = call.Operation();
    for (size_t i = op.outputs.size(); i-- > 0;) {
      if (!Goes(results_, call, i)) continue;
      if (call.IsLoop()) {
        const TensorIndex result = op.outputs[i];
        // A graph whose output is its own input tests nothing.
        if (call.block == graph_.Main()) std::erase(call.block->outputs, result);
        ReplaceUses(*call.block, result, op.inputs[i]);
      }
      EraseAt(op.outputs, i);
    }
    const size_t first = call.IsLoop() ? 0 : 1;
    for (size_t i = op.inputs.size(); i-- > first;) {
      if (Goes(inputs_, call, i - first)) EraseAt(op.inputs, i);
    }
  }

  struct Open {
    const Places* list;
    Block* block;
    size_t place;
  };

  Graph& graph_;
  std::vector<Call> calls_;
  Places inputs_, results_;
  std::vector<Open> open_;  // what was added, but not followed yet
};

// Drops one result of a COND_IF that nothing reads. Returns false if no such result can go.
bool DropOneUnread(Graph& graph) {
  const BlocksByName named = NamedBlocks(graph);
  for (Block* block : AllBlocks(graph)) {
    const auto readers = ReadersOf(*block);
    for (const Operator& op : block->operators) {
      if (op.op != Op::kCondIf || op.outputs.size() < 2) continue;
      const std::vector<Block*> callees = Callees(named, op);
      for (size_t i = op.outputs.size(); i-- > 0 && !callees.empty();) {
        if (!readers[static_cast<size_t>(op.outputs[i])].empty()) continue;
        Removal removal(graph);
        removal.DropResult(callees[0], i);
        if (removal.Apply()) return true;
      }
    }
  }
  return false;
}

}  // namespace

std::vector<Block*> AllBlocks(Graph& graph) {
  std::vector<Block*> blocks = NestedBlocks(graph);
  blocks.insert(blocks.begin(), graph.Main());
  return blocks;
}

Candidate InlineBlock(const TestVector& vector, int32_t graph, size_t block, size_t op,
                      bool first) {
  Copy copy(vector, graph, block);
  Block& into = copy.block;
  const Operator call = into.operators[op];
  const std::vector<Block*> callees = Callees(NamedBlocks(copy.graph), call);
  if (callees.empty()) return std::nullopt;
  const bool loop = call.op == Op::kWhileLoop;
  const Block callee = *callees[first && !loop ? 0 : 1];
  std::vector<std::optional<TensorIndex>> here(callee.tensors.size());
  for (size_t i = 0; i < callee.inputs.size(); ++i) {
    here[static_cast<size_t>(callee.inputs[i])] = call.inputs[i + (loop ? 0 : 1)];
  }
  for (size_t i = 0; i < here.size(); ++i) {
    if (callee.tensors[i].variable) return std::nullopt;
    if (here[i]) continue;
    std::string name = callee.tensors[i].name;
    while (into.FindTensor(name)) name += "_";
    here[i] = into.AddTensor(std::move(name), callee.tensors[i].type);
  }
  std::vector<Operator> inlined = callee.operators;
  for (Operator& inner : inlined) {
    for (TensorIndex& t : inner.inputs) t = *here[static_cast<size_t>(t)];
    for (TensorIndex& t : inner.outputs) t = *here[static_cast<size_t>(t)];
  }
  for (size_t i = 0; i < callee.outputs.size(); ++i) {
    ReplaceUses(into, call.outputs[i], *here[static_cast<size_t>(callee.outputs[i])]);
  }
  const auto at = into.operators.erase(into.operators.begin() + static_cast<std::ptrdiff_t>(op));
  into.operators.insert(at, inlined.begin(), inlined.end());
  return copy.Swept();
}

Candidate DropHandedIn(const TestVector& vector, int32_t graph, size_t block, size_t op,
                       size_t operand) {
  Copy copy(vector, graph, block);
  const Operator& call = copy.block.operators[op];
  const std::vector<Block*> callees = Callees(NamedBlocks(copy.graph), call);
  const bool loop = call.op == Op::kWhileLoop;
  if (callees.empty() || (!loop && operand == 0)) return std::nullopt;
  Removal removal(copy.graph);
  removal.DropInput(callees[0], loop ? operand : operand - 1);
  if (!removal.Apply()) return std::nullopt;
  do {
    for (Block* nested : NestedBlocks(copy.graph)) SweepNested(*nested);
  } while (DropOneUnread(copy.graph));
  return copy.Swept();
}

Candidate DropUnread(const TestVector& vector, int32_t graph, size_t block, size_t op,
                     size_t result) {
  Copy copy(vector, graph, block);
  const Operator& call = copy.block.operators[op];
  const std::vector<Block*> callees = Callees(NamedBlocks(copy.graph), call);
  if (callees.empty() || call.op != Op::kCondIf) return std::nullopt;
  Removal removal(copy.graph);
  removal.DropResult(callees[0], result);
  if (!removal.Apply()) return std::nullopt;
  return copy.Swept();
}

Candidate DropNested(const TestVector& vector, int32_t graph, size_t block, size_t op,
                     size_t number) {
  Copy copy(vector, graph, block);
  Block& nested = copy.block;
  const Operator dropped = nested.operators[op];
  std::vector<TensorIndex> substitutes = nested.inputs;
  if (number < dropped.inputs.size()) substitutes = {dropped.inputs[number]};
  if (number > dropped.inputs.size()) substitutes.clear();
  const bool zeroes = number == dropped.inputs.size() + 1 && !IsConstant(dropped.op);
  std::vector<Operator> zeros;
  for (const TensorIndex output : dropped.outputs) {
    const auto substitute = std::ranges::find_if(substitutes, [&](TensorIndex candidate) {
      return nested.TypeOf(candidate) == nested.TypeOf(output);
    });
    if (substitute != substitutes.end()) {
      ReplaceUses(nested, output, *substitute);
    } else if (zeroes) {
      zeros.push_back(ZerosLike(nested, output));
    } else {
      return std::nullopt;
    }
  }
  const auto at =
      nested.operators.erase(nested.operators.begin() + static_cast<std::ptrdiff_t>(op));
  nested.operators.insert(at, zeros.begin(), zeros.end());
  return copy.Swept();
}

}  // namespace assay
