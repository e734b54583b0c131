// SPDX-License-Identifier: Apache-2.0
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

// Converts an index to a position in a std::vector.
template <class Index>
size_t At(Index index) {
  return static_cast<size_t>(index);
}

// The uses of tensors and operators in the main block of a graph, and how constant they are.
// Tensors and operators are given by their position in the block.
class Dataflow {
 public:
  // Analyses `graph`, which must have a main block. `arguments` has the constness of each of its
  // inputs. CUSTOM operators of `pure_domains` always give the same results for the same operands
  // and have no effects. Time and memory grow with the size of the graph alone.
  Dataflow(const Graph& graph, std::span<const Constness> arguments,
           const std::set<std::string>& pure_domains, FoldFault fault = FoldFault::kNone);

  const Graph& graph() const { return graph_; }
  const Block& main() const { return *graph_.Main(); }
  // An order of execution. It is the list order if that is an order of execution.
  const std::vector<int32_t>& order() const { return order_; }
  // Returns the operator that makes a tensor, or -1.
  int32_t ProducerOf(TensorIndex tensor) const { return producers_[At(tensor)]; }
  // Returns the operands of an operator, followed by the tensors of the main block that its blocks
  // read. (Only graphs that are not valid TOSA have the latter.)
  const std::vector<TensorIndex>& UsesOf(int32_t op) const { return uses_[At(op)]; }
  // Returns the operators that read a tensor, each once.
  const std::vector<int32_t>& ReadersOf(TensorIndex tensor) const { return readers_[At(tensor)]; }
  bool IsOutput(TensorIndex tensor) const { return is_output_[At(tensor)]; }
  // Returns true if a use is a compile-time-constant operand.
  bool IsParameter(int32_t op, size_t use) const;

  // OfOperator() returns the least constness of everything that an operator depends on: its
  // operands, the tensors that its blocks read, and the operator itself. The operator itself varies
  // if it has effects, reads a variable, or is a CUSTOM that may do anything.
  Constness OfOperator(int32_t op) const { return operators_[At(op)]; }
  Constness OfTensor(TensorIndex tensor) const { return tensors_[At(tensor)]; }
  // Makes operators vary, and everything that depends on them.
  void Pin(const std::vector<int32_t>& pinned);

 private:
  // Facts about a block that control flow runs, and about the blocks that it runs in turn.
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
  std::map<std::string, std::optional<BlockFacts>> blocks_;  // nothing while it is being analysed
};

}  // namespace assay
