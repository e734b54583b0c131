// SPDX-License-Identifier: Apache-2.0
#include "captures.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "block_index.h"
#include "levels.h"

namespace assay {
namespace {

bool Contains(const std::vector<TensorIndex>& list, TensorIndex index) {
  return std::find(list.begin(), list.end(), index) != list.end();
}

// Returns the tensors that are read in the block but are not produced in it.
std::vector<TensorIndex> CapturesOf(const Block& block) {
  const std::vector<int32_t> producers = block.Producers();
  std::vector<bool> read(block.tensors.size(), false);
  for (const Operator& op : block.operators) {
    for (TensorIndex index : op.inputs) read[static_cast<size_t>(index)] = true;
  }
  for (TensorIndex index : block.outputs) read[static_cast<size_t>(index)] = true;
  std::vector<TensorIndex> captures;
  for (size_t i = 0; i < block.tensors.size(); ++i) {
    const auto index = static_cast<TensorIndex>(i);
    if (read[i] && producers[i] < 0 && !block.tensors[i].variable &&
        !Contains(block.inputs, index)) {
      captures.push_back(index);
    }
  }
  return captures;
}

TensorIndex AddTensor(Block& block, std::string name, const TensorType& type) {
  while (block.FindTensor(name)) name += '_';
  return block.AddTensor(std::move(name), type);
}

class Resolver {
 public:
  explicit Resolver(Graph& graph) : graph_(graph), blocks_(graph) {}

  int Resolve() {
    if (graph_.Main() != nullptr) Visit(*graph_.Main());
    return provided_;
  }

 private:
  // Visits inner blocks first, because the block around them may need their captures in turn.
  void Visit(Block& runner, int nesting = 0) {
    if (nesting > kLevelNone.max_nesting || !visited_.insert(&runner).second) return;
    for (size_t i = 0; i < runner.operators.size(); ++i) {
      const bool is_loop = runner.operators[i].op == Op::kWhileLoop;
      if (!is_loop && runner.operators[i].op != Op::kCondIf) continue;
      Block* first =
          Target(runner.operators[i], is_loop ? AttributeId::kCondGraph : AttributeId::kThenGraph);
      Block* second =
          Target(runner.operators[i], is_loop ? AttributeId::kBodyGraph : AttributeId::kElseGraph);
      if (first == nullptr || second == nullptr || first == second) continue;
      if (visited_.contains(first) || visited_.contains(second)) continue;
      Visit(*first, nesting + 1);
      Visit(*second, nesting + 1);
      CopyConstants(runner, *first);
      CopyConstants(runner, *second);
      Pass(runner, runner.operators[i], *first, *second);
      Pass(runner, runner.operators[i], *second, *first);
    }
  }

  Block* Target(const Operator& op, AttributeId id) {
    return const_cast<Block*>(blocks_.Callee(op, id));
  }

  void CopyConstants(const Block& runner, Block& block) {
    const std::vector<int32_t> producers = runner.Producers();
    std::vector<Operator> constants;
    for (TensorIndex capture : CapturesOf(block)) {
      const auto source = runner.FindTensor(block.tensors[static_cast<size_t>(capture)].name);
      if (!source || runner.TypeOf(*source) != block.TypeOf(capture)) continue;
      const int32_t producer = producers[static_cast<size_t>(*source)];
      if (producer < 0) continue;
      const Operator& op = runner.operators[static_cast<size_t>(producer)];
      if (!IsConstant(op.op)) continue;
      constants.push_back({op.op, op.attributes, {}, {capture}});
      ++provided_;
    }
    block.operators.insert(block.operators.begin(), constants.begin(), constants.end());
  }

  // Makes the tensors of `runner` that `block` names inputs of `block` and of `other`, the
  // operator's other block.
  void Pass(Block& runner, Operator& op, Block& block, Block& other) {
    for (TensorIndex capture : CapturesOf(block)) {
      const TensorInfo wanted = block.tensors[static_cast<size_t>(capture)];
      std::optional<TensorIndex> source = runner.FindTensor(wanted.name);
      if (!source && &runner != graph_.Main()) source = AddTensor(runner, wanted.name, wanted.type);
      if (!source || runner.TypeOf(*source) != wanted.type) continue;
      const TensorIndex same = Counterpart(other, wanted);
      op.inputs.push_back(*source);
      block.inputs.push_back(capture);
      other.inputs.push_back(same);
      if (op.op == Op::kWhileLoop) {
        // The loop passes it on unchanged.
        op.outputs.push_back(AddTensor(runner, wanted.name + "_after", wanted.type));
        const bool is_body = Target(op, AttributeId::kBodyGraph) == &block;
        (is_body ? block : other).outputs.push_back(is_body ? capture : same);
      }
      ++provided_;
    }
  }

  // Returns the tensor of the other block with the same meaning: the one that it also names, or a
  // new one.
  static TensorIndex Counterpart(Block& other, const TensorInfo& wanted) {
    for (TensorIndex capture : CapturesOf(other)) {
      const TensorInfo& info = other.tensors[static_cast<size_t>(capture)];
      if (info.name == wanted.name && info.type == wanted.type) return capture;
    }
    return AddTensor(other, wanted.name, wanted.type);
  }

  Graph& graph_;
  const BlockIndex blocks_;
  std::set<const Block*> visited_;
  int provided_ = 0;
};

}  // namespace

int ResolveCaptures(Graph& graph) { return Resolver(graph).Resolve(); }

}  // namespace assay
