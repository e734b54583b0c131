#include "nested_moves.h"

#include <algorithm>

#include "graph_edit.h"

namespace assay {
namespace {

// A copy of a vector, and one block of it that is edited.
struct Copy {
  Copy(const TestVector& from, int32_t graph_number, size_t block_number)
      : vector(from),
        graph_index(graph_number),
        graph(vector.graphs[static_cast<size_t>(graph_number)]),
        block(*AllBlocks(graph)[block_number]),
        is_main(block_number == 0) {}

  // Drops what is no longer needed; nothing if the main block has lost its point.
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
  bool is_main;
};

void ReplaceUses(Block& block, TensorIndex from, TensorIndex to) {
  for (Operator& op : block.operators) std::replace(op.inputs.begin(), op.inputs.end(), from, to);
  std::replace(block.outputs.begin(), block.outputs.end(), from, to);
}

template <class T>
void EraseAt(std::vector<T>& list, size_t place) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(place));
}

Operator Zeros(const Block& block, TensorIndex tensor) {
  const TensorType& type = block.TypeOf(tensor);
  return {
      Op::kConst, {{AttributeId::kValues, Tensor::Splat(type.type, type.shape, 0)}}, {}, {tensor}};
}

// The blocks that an operator runs: of COND_IF the branches, of WHILE_LOOP the condition and the
// body. None unless the operator fits them.
std::vector<Block*> Callees(Graph& graph, const Operator& op) {
  if (op.op != Op::kCondIf && op.op != Op::kWhileLoop) return {};
  const bool loop = op.op == Op::kWhileLoop;
  const size_t handed_in = op.inputs.size() - (loop ? 0 : 1);
  std::vector<Block*> callees;
  for (const AttributeId id : {loop ? AttributeId::kCondGraph : AttributeId::kThenGraph,
                               loop ? AttributeId::kBodyGraph : AttributeId::kElseGraph}) {
    auto* const callee = const_cast<Block*>(graph.FindBlock(op.attributes.Text(id)));
    if (callee == nullptr || callee->inputs.size() != handed_in) return {};
    const size_t results = id == AttributeId::kCondGraph ? 1 : op.outputs.size();
    if (callee->outputs.size() != results) return {};
    callees.push_back(callee);
  }
  return callees;
}

// The same, each block once.
std::vector<Block*> DifferentCallees(Graph& graph, const Operator& op) {
  std::vector<Block*> callees = Callees(graph, op);
  callees.erase(std::unique(callees.begin(), callees.end()), callees.end());
  return callees;
}

// Drops the results of COND_IFs that nothing in the block reads, and what makes them.
void DropUnreadResults(Graph& graph, Block& block) {
  const auto readers = ReadersOf(block);
  for (Operator& op : block.operators) {
    const std::vector<Block*> callees = DifferentCallees(graph, op);
    if (op.op != Op::kCondIf || callees.empty()) continue;
    const size_t before = op.outputs.size();
    for (size_t k = before; k-- > 0 && op.outputs.size() > 1;) {
      if (!readers[static_cast<size_t>(op.outputs[k])].empty()) continue;
      EraseAt(op.outputs, k);
      for (Block* callee : callees) EraseAt(callee->outputs, k);
    }
    if (op.outputs.size() == before) continue;
    for (Block* callee : callees) DropUnreadResults(graph, *callee);
  }
}

// Drops an input of a block: COND_IFs in it no longer hand it in, whatever else reads it reads
// zeros.
void DropInput(Graph& graph, Block& block, size_t place) {
  const TensorIndex input = block.inputs[place];
  EraseAt(block.inputs, place);
  for (size_t i = 0; i < block.operators.size(); ++i) {
    if (block.operators[i].op != Op::kCondIf) continue;
    for (size_t k = block.operators[i].inputs.size(); k-- > 1;) {
      if (block.operators[i].inputs[k] != input) continue;
      const std::vector<Block*> callees = DifferentCallees(graph, block.operators[i]);
      for (Block* callee : callees) DropInput(graph, *callee, k - 1);
      // A block that runs itself is another one by now.
      std::vector<TensorIndex>& operands = block.operators[i].inputs;
      if (!callees.empty() && k < operands.size()) EraseAt(operands, k);
    }
  }
  if (ReadersOf(block)[static_cast<size_t>(input)].empty()) return;
  block.operators.insert(block.operators.begin(), Zeros(block, input));
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
  const std::vector<Block*> callees = Callees(copy.graph, call);
  if (callees.empty()) return std::nullopt;
  const bool loop = call.op == Op::kWhileLoop;
  const Block callee = *callees[first && !loop ? 0 : 1];
  std::vector<TensorIndex> here(callee.tensors.size(), -1);
  for (size_t i = 0; i < callee.inputs.size(); ++i) {
    here[static_cast<size_t>(callee.inputs[i])] = call.inputs[i + (loop ? 0 : 1)];
  }
  for (size_t i = 0; i < here.size(); ++i) {
    if (callee.tensors[i].variable) return std::nullopt;
    if (here[i] >= 0) continue;
    here[i] = static_cast<TensorIndex>(into.tensors.size());
    TensorInfo info = callee.tensors[i];
    while (into.FindTensor(info.name)) info.name += "_";
    into.tensors.push_back(std::move(info));
  }
  std::vector<Operator> inlined = callee.operators;
  for (Operator& inner : inlined) {
    for (TensorIndex& t : inner.inputs) t = here[static_cast<size_t>(t)];
    for (TensorIndex& t : inner.outputs) t = here[static_cast<size_t>(t)];
  }
  for (size_t i = 0; i < callee.outputs.size(); ++i) {
    ReplaceUses(into, call.outputs[i], here[static_cast<size_t>(callee.outputs[i])]);
  }
  const auto at = into.operators.erase(into.operators.begin() + static_cast<std::ptrdiff_t>(op));
  into.operators.insert(at, inlined.begin(), inlined.end());
  return copy.Swept();
}

Candidate DropHandedIn(const TestVector& vector, int32_t graph, size_t block, size_t op,
                       size_t operand) {
  Copy copy(vector, graph, block);
  Operator& call = copy.block.operators[op];
  const std::vector<Block*> callees = DifferentCallees(copy.graph, call);
  const bool loop = call.op == Op::kWhileLoop;
  if (callees.empty() || (loop ? call.inputs.size() == 1 : operand == 0)) return std::nullopt;
  const size_t place = loop ? operand : operand - 1;
  if (loop) {
    EraseAt(callees.back()->outputs, place);
    DropUnreadResults(copy.graph, *callees.back());
    const TensorIndex result = call.outputs[place];
    // A graph that gives out what it was given asks nothing.
    if (copy.is_main) std::erase(copy.block.outputs, result);
    ReplaceUses(copy.block, result, call.inputs[place]);
    EraseAt(call.outputs, place);
  }
  EraseAt(call.inputs, operand);
  for (Block* callee : callees) DropInput(copy.graph, *callee, place);
  return copy.Swept();
}

Candidate DropUnread(const TestVector& vector, int32_t graph, size_t block, size_t op,
                     size_t result) {
  Copy copy(vector, graph, block);
  Operator& call = copy.block.operators[op];
  if (call.op != Op::kCondIf || call.outputs.size() == 1) return std::nullopt;
  const auto readers = ReadersOf(copy.block);
  if (!readers[static_cast<size_t>(call.outputs[result])].empty()) return std::nullopt;
  const std::vector<Block*> callees = DifferentCallees(copy.graph, call);
  if (callees.empty()) return std::nullopt;
  for (Block* callee : callees) EraseAt(callee->outputs, result);
  EraseAt(call.outputs, result);
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
      zeros.push_back(Zeros(nested, output));
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
