// SPDX-License-Identifier: Apache-2.0
#include "block_nodes.h"

#include <algorithm>
#include <set>
#include <utility>

namespace assay {
namespace {

bool Has(const BlockNodes::Nodes& nodes, BlockNodes::Node node) {
  return std::ranges::find(nodes, node) != nodes.end();
}

}  // namespace

bool MayStandInWindow(const Block& block, const Operator& op) {
  if (IsControlFlow(op.op) || IsVariableOperator(op.op) || op.outputs.empty()) return false;
  const auto is_variable = [&block](TensorIndex tensor) {
    return block.tensors[static_cast<size_t>(tensor)].variable;
  };
  const auto is_shape = [&block](TensorIndex tensor) {
    return block.TypeOf(tensor).type == DType::kShape;
  };
  return std::ranges::none_of(op.inputs, is_variable) &&
         std::ranges::none_of(op.outputs, is_variable) &&
         std::ranges::none_of(op.outputs, is_shape);
}

BlockNodes::BlockNodes(const Block& block, const FirstOperands& operands)
    : block_(block), readers_(ReadersOf(block)), producers_(block.Producers()) {
  std::vector<std::pair<int64_t, int32_t>> order;
  for (size_t i = 0; i < block.operators.size(); ++i) {
    const FirstOperands::Run* run = operands.Of(block.operators[i]);
    if (run == nullptr || IsConstant(block.operators[i].op)) continue;
    order.emplace_back(run->number, static_cast<int32_t>(i));
  }
  std::ranges::sort(order);
  std::vector<std::optional<Node>> node_at(block.operators.size());
  for (const auto& [number, position] : order) {
    const auto at = static_cast<size_t>(position);
    node_at[at] = size();
    nodes_.push_back({position, &operands.Of(block.operators[at])->operands});
  }
  for (Node node = 0; node < size(); ++node) Connect(node, node_at);
}

void BlockNodes::Connect(Node node, const std::vector<std::optional<Node>>& node_at) {
  std::set<Node> successors;
  for (const TensorIndex output : OperatorOf(node).outputs) {
    for (const Reader reader : readers_[static_cast<size_t>(output)]) {
      const std::optional<Node> next =
          reader ? node_at[static_cast<size_t>(*reader)] : std::nullopt;
      if (next > node) successors.insert(*next);
    }
  }
  nodes_[static_cast<size_t>(node)].successors.assign(successors.begin(), successors.end());
  for (const Node next : successors) {
    nodes_[static_cast<size_t>(node)].neighbours.push_back(next);
    nodes_[static_cast<size_t>(next)].neighbours.push_back(node);
  }
}

// Returns true if no path leaves the set and comes back.
bool BlockNodes::IsConvex(const Nodes& set) const {
  std::set<Node> outside;
  for (const Node node : set) {
    for (const Node next : At(node).successors) {
      if (!Has(set, next)) outside.insert(next);
    }
  }
  // Nodes come before their successors, so nothing behind the last one leads back.
  while (!outside.empty() && *outside.begin() < set.back()) {
    const Node node = *outside.begin();
    outside.erase(outside.begin());
    for (const Node next : At(node).successors) {
      if (Has(set, next)) return false;
      outside.insert(next);
    }
  }
  return true;
}

BlockNodes::ConvexSets BlockNodes::ConvexSetsFrom(Node root, int size_max, int64_t sets_max) const {
  // Wernicke's ESU: a set grows by nodes behind the root that were no neighbours of it before.
  struct Growing {
    Nodes set, candidates, seen;
  };
  const auto grown = [&](const Growing& from, Node node, Nodes candidates) {
    Growing next = {from.set, std::move(candidates), from.seen};
    next.set.push_back(node);
    for (const Node other : At(node).neighbours) {
      if (other <= root || Has(next.seen, other) || !MayJoin(other)) continue;
      next.candidates.push_back(other);
      next.seen.push_back(other);
    }
    return next;
  };
  ConvexSets found;
  if (!MayJoin(root)) return found;
  std::vector<Growing> queue = {grown({{}, {}, {root}}, root, {})};
  for (size_t head = 0; head < queue.size(); ++head) {
    Growing growing = std::move(queue[head]);
    for (size_t i = 0; i < growing.candidates.size(); ++i) {
      if (std::ssize(growing.set) >= size_max) break;
      found.complete = found.complete && std::ssize(queue) < sets_max;
      if (!found.complete) break;
      const auto rest = growing.candidates.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      queue.push_back(grown(growing, growing.candidates[i], {rest, growing.candidates.end()}));
    }
    std::ranges::sort(growing.set);
    if (IsConvex(growing.set)) found.sets.push_back(std::move(growing.set));
  }
  return found;
}

bool BlockNodes::IsNeededOutside(TensorIndex tensor, const Nodes& set) const {
  const std::vector<Reader>& readers = readers_[static_cast<size_t>(tensor)];
  return readers.empty() || std::ranges::any_of(readers, [&](Reader reader) {
           return std::ranges::none_of(set, [&](Node node) { return PositionOf(node) == reader; });
         });
}

const Operator* BlockNodes::ConstantOf(TensorIndex tensor) const {
  const int32_t producer = producers_[static_cast<size_t>(tensor)];
  if (producer < 0) return nullptr;
  const Operator& op = block_.operators[static_cast<size_t>(producer)];
  return IsConstant(op.op) ? &op : nullptr;
}

}  // namespace assay
