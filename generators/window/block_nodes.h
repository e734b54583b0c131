// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "first_operands.h"
#include "graph.h"
#include "graph_edit.h"

namespace assay {

// Returns true if a window may contain the operator: no control flow, no operator on variables, and
// none that computes a shape.
bool MayStandInWindow(const Block& block, const Operator& op);

// The operators of a block that have run, without constants, as a directed graph. Nodes are
// numbered in the order of execution, so that each comes before those that read its results.
class BlockNodes {
 public:
  using Node = int32_t;
  using Nodes = std::vector<Node>;  // ascending, unless stated otherwise

  // `block` and `operands` must outlive the object.
  BlockNodes(const Block& block, const FirstOperands& operands);

  Node size() const { return static_cast<Node>(nodes_.size()); }
  // Returns the position of the operator in Block::operators.
  int32_t PositionOf(Node node) const { return At(node).position; }
  const Operator& OperatorOf(Node node) const {
    return block_.operators[static_cast<size_t>(At(node).position)];
  }
  const std::vector<Tensor>& OperandsOf(Node node) const { return *At(node).operands; }
  const TensorInfo& Info(TensorIndex tensor) const {
    return block_.tensors[static_cast<size_t>(tensor)];
  }

  bool MayJoin(Node node) const { return MayStandInWindow(block_, OperatorOf(node)); }

  // The convex sets among the connected sets that begin with one node.
  struct ConvexSets {
    std::vector<Nodes> sets;
    bool complete = true;  // false: sets_max ended the search
  };
  // Looks at up to `sets_max` connected sets of up to `size_max` nodes whose first node is `root`,
  // small sets first. All nodes are such that MayJoin(). Each set is looked at once.
  ConvexSets ConvexSetsFrom(Node root, int size_max, int64_t sets_max) const;

  // Returns true if a result of the set is needed outside: it is an output of the block, or an
  // operator outside reads it, or nothing reads it.
  bool IsNeededOutside(TensorIndex tensor, const Nodes& set) const;

  // Returns the constant that produces a tensor; null if something else does.
  const Operator* ConstantOf(TensorIndex tensor) const;

 private:
  struct Entry {
    int32_t position;
    const std::vector<Tensor>* operands;
    Nodes successors = {}, neighbours = {};
  };
  const Entry& At(Node node) const { return nodes_[static_cast<size_t>(node)]; }
  void Connect(Node node, const std::vector<std::optional<Node>>& node_at);
  bool IsConvex(const Nodes& set) const;

  const Block& block_;
  std::vector<std::vector<Reader>> readers_;  // by tensor
  std::vector<int32_t> producers_;
  std::vector<Entry> nodes_;
};

}  // namespace assay
