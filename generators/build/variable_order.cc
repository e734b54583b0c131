// SPDX-License-Identifier: Apache-2.0
#include "variable_order.h"

#include <map>
#include <string>
#include <vector>

namespace assay {
namespace {

enum class Touch : uint8_t { kDeclares, kReads, kWrites };

// The accesses of an operator to variables, including those of the graphs that it runs.
using Touches = std::multimap<std::string, Touch>;

void AddTouches(const Graph& graph, const Operator& op, bool nested, int depth, Touches& touches) {
  if (IsVariableOperator(op.op)) {
    const Touch touch = op.op == Op::kVariableRead          ? Touch::kReads
                        : op.op == Op::kVariable && !nested ? Touch::kDeclares
                                                            : Touch::kWrites;
    touches.emplace(op.attributes.Text(AttributeId::kName), touch);
  }
  if (depth == 0) return;
  for (const std::string& callee : CalleesOf(op)) {
    const Block* block = graph.FindBlock(callee);
    if (block == nullptr) continue;
    for (const Operator& inner : block->operators) {
      AddTouches(graph, inner, true, depth - 1, touches);
    }
  }
}

constexpr int kDepthMax = 8;  // deeper than levels of vectors allow

Touches TouchesOf(const Graph& graph, const Operator& op) {
  Touches touches;
  AddTouches(graph, op, false, kDepthMax, touches);
  return touches;
}

// Returns true if data lead from one operator of the block to another.
bool Feeds(const Block& block, const Operator& from, const Operator& to) {
  std::vector<bool> reached(block.tensors.size(), false);
  for (const TensorIndex output : from.outputs) reached[static_cast<size_t>(output)] = true;
  const auto reads = [&reached](const Operator& op) {
    for (const TensorIndex input : op.inputs) {
      if (reached[static_cast<size_t>(input)]) return true;
    }
    return false;
  };
  // The list of operators need not be in the order of the data.
  for (bool grows = true; grows;) {
    grows = false;
    for (const Operator& op : block.operators) {
      if (!reads(op)) continue;
      for (const TensorIndex output : op.outputs) {
        grows |= !reached[static_cast<size_t>(output)];
        reached[static_cast<size_t>(output)] = true;
      }
    }
  }
  return reads(to);
}

bool Collide(const Touches& earlier, const Touches& later) {
  for (const auto& [name, touch] : later) {
    const auto [first, last] = earlier.equal_range(name);
    for (auto other = first; other != last; ++other) {
      const bool declared = other->second == Touch::kDeclares && touch != Touch::kDeclares;
      if (!declared && (touch != Touch::kReads || other->second != Touch::kReads)) return true;
    }
  }
  return false;
}

}  // namespace

bool HangsOnOrder(const TestVector& vector, const Block& block, const Operator& op) {
  const Graph* graph = nullptr;
  for (const Graph& candidate : vector.graphs) {
    for (const Block& other : candidate.Blocks()) {
      if (&other == &block) graph = &candidate;
    }
  }
  if (graph == nullptr) return false;
  const Touches own = TouchesOf(*graph, op);
  if (own.empty()) return false;
  for (const Operator& earlier : block.operators) {
    if (&earlier == &op) return false;
    if (Collide(TouchesOf(*graph, earlier), own) && !Feeds(block, earlier, op)) return true;
  }
  return false;
}

}  // namespace assay
