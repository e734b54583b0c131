// SPDX-License-Identifier: Apache-2.0
#include "graph.h"

#include <algorithm>
#include <utility>

#include "enum_names.h"

namespace assay {
namespace {

const Block* FindIn(const Region& region, std::string_view name) {
  return FindRow(region.blocks, &Block::name, name);
}

template <class BlockType, class Regions>
std::vector<std::reference_wrapper<BlockType>> BlocksOf(Regions& regions) {
  std::vector<std::reference_wrapper<BlockType>> blocks;
  for (auto& region : regions)
    blocks.insert(blocks.end(), region.blocks.begin(), region.blocks.end());
  return blocks;
}

}  // namespace

Block::Block() = default;
Block::Block(const Block& other) = default;
Block& Block::operator=(const Block& other) = default;
Block::Block(Block&& other) noexcept = default;
Block& Block::operator=(Block&& other) noexcept = default;
Block::~Block() = default;

Graph::Graph() = default;
Graph::Graph(const Graph& other) = default;
Graph& Graph::operator=(const Graph& other) = default;
Graph::Graph(Graph&& other) noexcept = default;
Graph& Graph::operator=(Graph&& other) noexcept = default;
Graph::~Graph() = default;

std::optional<TensorIndex> Block::FindTensor(std::string_view tensor_name) const {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].name == tensor_name) return static_cast<TensorIndex>(i);
  }
  return std::nullopt;
}

std::vector<TensorType> Block::TypesOf(const std::vector<TensorIndex>& list) const {
  std::vector<TensorType> types;
  types.reserve(list.size());
  for (const TensorIndex tensor : list) types.push_back(TypeOf(tensor));
  return types;
}

TensorIndex Block::AddTensor(std::string tensor_name, TensorType type) {
  tensors.push_back({std::move(tensor_name), std::move(type), false, {}, {}});
  return static_cast<TensorIndex>(tensors.size() - 1);
}

std::vector<int32_t> Block::Producers() const {
  std::vector<int32_t> producers(tensors.size(), -1);
  for (size_t i = 0; i < operators.size(); ++i) {
    for (TensorIndex output : operators[i].outputs) {
      producers[static_cast<size_t>(output)] = static_cast<int32_t>(i);
    }
  }
  return producers;
}

const Operator* Block::ProducerOf(TensorIndex tensor) const {
  for (auto op = operators.rbegin(); op != operators.rend(); ++op) {
    if (std::find(op->outputs.begin(), op->outputs.end(), tensor) != op->outputs.end()) return &*op;
  }
  return nullptr;
}

bool Block::FollowsControlFlow(const Operator& op) const {
  for (const Operator& earlier : operators) {
    if (&earlier == &op) return false;
    if (IsControlFlow(earlier.op)) return true;
  }
  return false;
}

const Block* Graph::Main() const { return regions.empty() ? nullptr : FindIn(regions[0], "main"); }

Block* Graph::Main() { return const_cast<Block*>(static_cast<const Graph*>(this)->Main()); }

const Block* Graph::FindBlock(std::string_view name) const {
  if (regions.empty()) return nullptr;
  if (const Block* block = FindIn(regions[0], name)) return block;
  for (const Region& region : regions) {
    if (region.name == name && !region.blocks.empty()) return &region.blocks[0];
  }
  return nullptr;
}

std::vector<std::reference_wrapper<const Block>> Graph::Blocks() const {
  return BlocksOf<const Block>(regions);
}

std::vector<std::reference_wrapper<Block>> Graph::Blocks() { return BlocksOf<Block>(regions); }

std::vector<PlacedOperator> Graph::Operators() const {
  std::vector<PlacedOperator> operators;
  for (const Block& block : Blocks()) {
    for (const Operator& op : block.operators) operators.push_back({block, op});
  }
  return operators;
}

int64_t Graph::OperatorCount() const {
  int64_t count = 0;
  for (const Block& block : Blocks()) count += std::ssize(block.operators);
  return count;
}

DType CharacteristicType(const Block& block, const Operator& op) {
  const auto type_of_first = [&block](const std::vector<TensorIndex>& operands) {
    return operands.empty() ? DType::kUnknown : block.TypeOf(operands[0]).type;
  };
  const DType input = type_of_first(op.inputs);
  const DType output = type_of_first(op.outputs);
  if (op.inputs.empty() && op.outputs.empty()) {
    const AttributeValue* type = op.attributes.Find(AttributeId::kType);
    const auto* code = type == nullptr ? nullptr : std::get_if<int32_t>(type);
    return code == nullptr ? DType::kUnknown : static_cast<DType>(*code);
  }
  if (output == DType::kUnknown) return input;
  const bool says_little =
      input == DType::kUnknown || input == DType::kBool || input == DType::kShape;
  return says_little ? output : input;
}

std::vector<std::string> CalleesOf(const Operator& op) {
  std::vector<std::string> callees;
  if (!IsControlFlow(op.op)) return callees;
  for (const AttributeId id : kBlockAttributes) {
    if (op.attributes.Has(id)) callees.push_back(op.attributes.Text(id));
  }
  return callees;
}

bool HasVariableTensors(const Graph& graph) {
  return std::ranges::any_of(graph.Blocks(), [](const Block& block) {
    return std::ranges::any_of(block.tensors, &TensorInfo::variable);
  });
}

bool HasVariables(const Graph& graph) {
  return HasVariableTensors(graph) || std::ranges::any_of(graph.Blocks(), [](const Block& block) {
           return std::ranges::any_of(block.operators, IsVariableOperator, &Operator::op);
         });
}

Graph EmptyGraph() {
  Block block;
  block.name = "main";
  Graph graph;
  graph.regions = {{"main", {block}}};
  return graph;
}

}  // namespace assay
