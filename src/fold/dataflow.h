#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "block_index.h"
#include "folding.h"
#include "folding_fault.h"
#include "graph.h"

namespace assay {

// As a position in a std::vector.
template <class Index>
size_t At(Index index) {
  return static_cast<size_t>(index);
}

// What the main block of a graph uses, and how constant that makes it. Tensors and operators by
// their position in the block.
class Dataflow {
 public:
  // `arguments` are those of the inputs of the main block, which the graph must have; CUSTOM
  // operators of `pure_domains` always give the same for the same operands and do nothing else.
  // Time and memory grow with the size of the graph alone.
  Dataflow(const Graph& graph, std::span<const Constness> arguments,
           const std::set<std::string>& pure_domains, FoldFault fault = FoldFault::kNone);

  const Graph& graph() const { return graph_; }
  const Block& main() const { return *graph_.Main(); }
  // An order of execution: list order, except where that is none.
  const std::vector<int32_t>& order() const { return order_; }
  // The operator that makes a tensor, or -1.
  int32_t ProducerOf(TensorIndex tensor) const { return producers_[At(tensor)]; }
  // The operands of an operator, followed by what blocks that it runs read of the main block. (No
  // valid TOSA graph has the latter; graphs of other origin do.)
  const std::vector<TensorIndex>& UsesOf(int32_t op) const { return uses_[At(op)]; }
  // The operators that read a tensor, each once.
  const std::vector<int32_t>& ReadersOf(TensorIndex tensor) const { return readers_[At(tensor)]; }
  bool IsOutput(TensorIndex tensor) const { return is_output_[At(tensor)]; }
  // Whether a use is a compile-time-constant operand.
  bool IsParameter(int32_t op, size_t use) const;

  // The least of all that it depends on: operands, what its blocks read, and itself, which varies
  // if it has effects, reads a variable, or is a CUSTOM that may do anything.
  Constness OfOperator(int32_t op) const { return operators_[At(op)]; }
  Constness OfTensor(TensorIndex tensor) const { return tensors_[At(tensor)]; }
  // Makes an operator and all that depends on it vary.
  void Pin(const std::vector<int32_t>& pinned);

 private:
  // Of a block that control flow runs, and of those that it runs in turn.
  struct BlockFacts {
    bool varies = false;
    std::set<std::string> captured;  // tensors that are read and that nothing in it makes
  };

  bool Has(FoldFault fault) const { return fault_ == fault; }
  Constness Joined(int32_t op) const;
  bool IsFree(const Operator& op) const;
  BlockFacts FactsOf(const std::string& block, int depth);
  bool Varies(const Block& block, const Operator& op) const;
  void AddCaptures();
  void Spread();

  const Graph& graph_;
  const BlockIndex index_;
  const std::vector<Constness> arguments_;
  const std::set<std::string> pure_domains_;
  const FoldFault fault_;
  std::vector<int32_t> producers_, order_;
  std::vector<std::vector<TensorIndex>> uses_;
  std::vector<std::vector<int32_t>> readers_;
  std::vector<bool> is_output_, varies_;
  std::vector<Constness> operators_, tensors_;
  std::map<std::string, std::optional<BlockFacts>> blocks_;  // nothing: being looked at
};

}  // namespace assay
