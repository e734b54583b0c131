// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attributes.h"

namespace assay {

// The position of a tensor in Block::tensors.
using TensorIndex = int32_t;

// A tensor as a block declares it. shape_t values are tensors of type kShape and shape [length].
// (On the wire they are in a list of their own, with the same name space.)
struct TensorInfo {
  std::string name;
  TensorType type;
  // The older form of state: a tensor with `variable=true`, read and written by IDENTITY, shared
  // between blocks by name. VARIABLE operators do not use these fields.
  bool variable = false;
  std::string variable_name;
  Tensor initial_value;  // of a variable tensor; no value if none
  friend bool operator==(const TensorInfo&, const TensorInfo&) = default;
};

struct Operator {
  Op op = Op::kUnknown;
  Attributes attributes;
  std::vector<TensorIndex> inputs;  // in the order of the Arguments table
  std::vector<TensorIndex> outputs;
  // The place in the model that the operator came from, as its file states it: "block1/conv2",
  // "net.py:12:3". Empty: unknown. It is for people, and makes no operators different.
  std::string location = {};
  friend bool operator==(const Operator& a, const Operator& b) {
    return a.op == b.op && a.attributes == b.attributes && a.inputs == b.inputs &&
           a.outputs == b.outputs;
  }
};

// Straight-line operators in an order of execution.
struct Block {
  // Not inline: copies are made all over the code.
  Block();
  Block(const Block& other);
  Block& operator=(const Block& other);
  Block(Block&& other) noexcept;
  Block& operator=(Block&& other) noexcept;
  ~Block();

  std::string name;
  std::vector<TensorInfo> tensors;
  std::vector<Operator> operators;
  std::vector<TensorIndex> inputs;
  std::vector<TensorIndex> outputs;

  std::optional<TensorIndex> FindTensor(std::string_view tensor_name) const;
  const TensorType& TypeOf(TensorIndex index) const {
    return tensors[static_cast<size_t>(index)].type;
  }
  std::vector<TensorType> TypesOf(const std::vector<TensorIndex>& list) const;
  TensorIndex AddTensor(std::string tensor_name, TensorType type);
  // Returns the operator that produces a tensor; null if there is none.
  const Operator* ProducerOf(TensorIndex tensor) const;
  // Returns true if control flow comes before this operator in the block's list.
  bool FollowsControlFlow(const Operator& op) const;
  // Returns the index of the operator that produces each tensor; -1 if there is none.
  std::vector<int32_t> Producers() const;
  friend bool operator==(const Block&, const Block&) = default;
};

// Calls `visit` with each operand of the operators, and with the inputs and outputs of the block.
template <class Visit>
void ForEachOperand(Block& block, Visit visit) {
  const auto visit_all = [&visit](std::vector<TensorIndex>& list) {
    for (TensorIndex& tensor : list) visit(tensor);
  };
  for (Operator& op : block.operators) {
    visit_all(op.inputs);
    visit_all(op.outputs);
  }
  visit_all(block.inputs);
  visit_all(block.outputs);
}

// An operator and the block that it stands in.
struct PlacedOperator {
  const Block& block;
  const Operator& op;
};

struct Region {
  std::string name;
  std::vector<Block> blocks;
  friend bool operator==(const Region&, const Region&) = default;
};

// A TOSA graph: the content of one `.tosa` file. The main region is regions[0]; its block `main` is
// executed. COND_IF and WHILE_LOOP name a block of the main region, or a region.
struct Graph {
  // Not inline: copies are made all over the code.
  Graph();
  Graph(const Graph& other);
  Graph& operator=(const Graph& other);
  Graph(Graph&& other) noexcept;
  Graph& operator=(Graph&& other) noexcept;
  ~Graph();

  SpecVersion version;
  std::vector<Region> regions;

  // Returns the block that execution starts with; null if there is none.
  const Block* Main() const;
  Block* Main();
  // Returns the block that a COND_IF or WHILE_LOOP attribute names. This is a block of the main
  // region of that name, otherwise the first block of a region of that name, otherwise null.
  const Block* FindBlock(std::string_view name) const;
  // Returns the blocks of all regions, in order. They refer into the graph.
  std::vector<std::reference_wrapper<const Block>> Blocks() const;
  std::vector<std::reference_wrapper<Block>> Blocks();
  // Returns the operators of all blocks, in order. They refer into the graph.
  std::vector<PlacedOperator> Operators() const;
  int64_t OperatorCount() const;
  friend bool operator==(const Graph&, const Graph&) = default;
};

// Returns the element type by which tables and findings sort an operator. This is the type of its
// first input. It is the type of its first output if there is no input, or if the input is bool or
// shape_t and says little (SELECT, COND_IF). It is its `type` if it has neither (VARIABLE).
DType CharacteristicType(const Block& block, const Operator& op);

// The attributes in which operators name blocks.
inline constexpr AttributeId kBlockAttributes[] = {AttributeId::kThenGraph, AttributeId::kElseGraph,
                                                   AttributeId::kCondGraph,
                                                   AttributeId::kBodyGraph};

// Returns the names of the blocks that a COND_IF or WHILE_LOOP runs; none for another operator.
std::vector<std::string> CalleesOf(const Operator& op);

// Return true if some block of the graph has a tensor with `variable=true`, or any form of
// variable.
bool HasVariableTensors(const Graph& graph);
bool HasVariables(const Graph& graph);

// Returns a graph with one region and one empty block, both called "main".
Graph EmptyGraph();

}  // namespace assay
