// SPDX-License-Identifier: Apache-2.0
#include "stage_graph.h"

#include <optional>
#include <set>
#include <string>

#include "block_index.h"
#include "dataflow.h"

namespace assay {
namespace {

// Copies tensors from one block to another, each once.
class TensorCopies {
 public:
  TensorCopies(const Block& from, Block& to) : from_(from), to_(to), copies_(from.tensors.size()) {}

  TensorIndex Of(TensorIndex tensor) {
    std::optional<TensorIndex>& copy = copies_[static_cast<size_t>(tensor)];
    if (!copy) {
      copy = static_cast<TensorIndex>(to_.tensors.size());
      to_.tensors.push_back(from_.tensors[static_cast<size_t>(tensor)]);
    }
    return *copy;
  }

  std::vector<TensorIndex> Of(const std::vector<TensorIndex>& tensors) {
    std::vector<TensorIndex> copies;
    for (const TensorIndex tensor : tensors) copies.push_back(Of(tensor));
    return copies;
  }

 private:
  const Block& from_;
  Block& to_;
  std::vector<std::optional<TensorIndex>> copies_;
};

}  // namespace

Operator Literal(const Tensor& value, TensorIndex output) {
  Operator op;
  op.op = value.type() == DType::kShape ? Op::kConstShape : Op::kConst;
  op.attributes.Set(AttributeId::kValues, value);
  op.outputs = {output};
  return op;
}

void CopyCallees(const Graph& from, const std::vector<Operator>& operators, Graph& to) {
  std::set<std::string> needed;
  std::vector<std::string> found;
  const auto add = [&](const Operator& op) {
    for (std::string& callee : CalleesOf(op)) {
      if (needed.insert(callee).second) found.push_back(std::move(callee));
    }
  };
  for (const Operator& op : operators) add(op);
  const BlockIndex blocks(from);
  for (size_t i = 0; i < found.size(); ++i) {
    const Block* block = blocks.Find(found[i]);
    if (block == nullptr) continue;
    for (const Operator& op : block->operators) add(op);
  }
  for (size_t i = 0; i < from.regions.size(); ++i) {
    const Region& region = from.regions[i];
    Region copy{region.name, {}};
    for (const Block& block : region.blocks) {
      const bool is_called = (i == 0 && block.name != "main") ? needed.contains(block.name)
                                                              : needed.contains(region.name);
      if (is_called && &block != from.Main()) copy.blocks.push_back(block);
    }
    std::vector<Block>& main_blocks = to.regions[0].blocks;
    if (i == 0) {
      main_blocks.insert(main_blocks.end(), copy.blocks.begin(), copy.blocks.end());
    } else if (!copy.blocks.empty()) {
      to.regions.push_back(std::move(copy));
    }
  }
}

Graph BuildStage(const Graph& graph, const StagePart& part) {
  const Block& from = *graph.Main();
  Graph stage = EmptyGraph();
  stage.version = graph.version;
  stage.regions[0].name = graph.regions[0].name;
  Block& main = *stage.Main();
  TensorCopies copies(from, main);
  main.inputs = copies.Of(part.inputs);
  std::vector<Operator> taken;
  for (size_t i = 0; i < from.operators.size(); ++i) {
    if (!part.operators[i]) continue;
    const Operator& op = from.operators[i];
    if (!op.outputs.empty() && part.baked.contains(op.outputs[0])) {
      for (const TensorIndex output : op.outputs) {
        main.operators.push_back(Literal(part.baked.at(output), copies.Of(output)));
      }
    } else {
      main.operators.push_back({op.op, op.attributes, copies.Of(op.inputs), copies.Of(op.outputs)});
      taken.push_back(op);
    }
  }
  main.outputs = copies.Of(part.outputs);
  CopyCallees(graph, taken, stage);
  return stage;
}

}  // namespace assay
