// SPDX-License-Identifier: Apache-2.0
#include "execution_order.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <unordered_map>

#include "block_index.h"
#include "levels.h"

namespace assay {
namespace {

enum class Origin : uint8_t { kNone, kInput, kOperator };

// Returns true if the tensor is a variable, which has a value from the start.
bool IsVariable(const Block& block, TensorIndex tensor) {
  return block.tensors[static_cast<size_t>(tensor)].variable;
}

void CheckProducers(const Block& block, const Block* runner, Judgement& j) {
  std::vector<Origin> origins(block.tensors.size());
  const auto origin = [&](TensorIndex index) -> Origin& {
    return origins[static_cast<size_t>(index)];
  };
  for (const TensorIndex input : block.inputs) {
    origin(input) = Origin::kInput;
    j.ErrorIf(block.TypeOf(input).type == DType::kShape, "graph/ERROR_IF/shape-operand");
  }
  for (const Operator& op : block.operators) {
    j.ErrorIf(op.op == Op::kUnknown, "graph/ERROR_IF/unknown-operator");
    for (const TensorIndex output : op.outputs) {
      if (origin(output) != Origin::kNone && IsVariable(block, output)) continue;  // a second write
      j.ErrorIf(origin(output) == Origin::kInput, "graph/ERROR_IF/produced-input");
      j.ErrorIf(origin(output) == Origin::kOperator, "graph/ERROR_IF/duplicate-producer");
      origin(output) = Origin::kOperator;
    }
  }
  const auto produced = [&](TensorIndex index) {
    if (origin(index) != Origin::kNone || IsVariable(block, index)) return;
    j.ErrorIf(true, UnmadeRule(block.tensors[static_cast<size_t>(index)], runner));
  };
  for (const Operator& op : block.operators) {
    std::for_each(op.inputs.begin(), op.inputs.end(), produced);
  }
  for (const TensorIndex output : block.outputs) {
    produced(output);
    j.ErrorIf(block.TypeOf(output).type == DType::kShape, "graph/ERROR_IF/shape-operand");
  }
}

bool NamesOnlyItsTensors(const Block& block) {
  const auto known = [&](const std::vector<TensorIndex>& list) {
    return std::all_of(list.begin(), list.end(), [&](TensorIndex index) {
      return index >= 0 && static_cast<size_t>(index) < block.tensors.size();
    });
  };
  return known(block.inputs) && known(block.outputs) &&
         std::all_of(block.operators.begin(), block.operators.end(),
                     [&](const Operator& op) { return known(op.inputs) && known(op.outputs); });
}

// A call of a block, by an operator of the block that runs it.
struct BlockCall {
  const Operator* op;
  const Block* callee;
};

std::vector<BlockCall> CallsOf(const BlockIndex& blocks, const Block& block) {
  std::vector<BlockCall> calls;
  for (const Operator& op : block.operators) {
    if (!IsControlFlow(op.op)) continue;
    for (const AttributeId id : kBlockAttributes) {
      if (const Block* callee = blocks.Callee(op, id)) calls.push_back({&op, callee});
    }
  }
  return calls;
}

// Follows the calls from the main block, without recursion, because files may nest deeper than our
// stack.
class CallTree {
 public:
  explicit CallTree(const Graph& graph) : blocks_(graph) { Follow(*graph.Main()); }

  // Returns true if a block that the main block reaches runs itself.
  bool recursive() const { return recursive_; }
  // Return the greatest number of blocks that run each other, without the main block, and the
  // operator of the main block where that chain begins. The graph must not be recursive.
  int64_t depth() const { return depth_; }
  const Operator* deepest() const { return deepest_; }

 private:
  struct Visit {
    const Block* block;
    std::vector<BlockCall> left;  // still to be followed
    int64_t depth;                // of the calls followed so far, below the block
    const Operator* deepest;
  };

  void Follow(const Block& main) {
    std::unordered_map<const Block*, std::optional<int64_t>> depths = {{&main, std::nullopt}};
    std::vector<Visit> path;
    path.push_back({&main, CallsOf(blocks_, main), 0, nullptr});
    while (!path.empty()) {
      Visit& visit = path.back();
      if (visit.left.empty()) {
        depths[visit.block] = depth_ = visit.depth;
        deepest_ = visit.deepest;
        path.pop_back();
        continue;
      }
      const BlockCall call = visit.left.back();
      const auto known = depths.find(call.callee);
      if (known == depths.end()) {
        depths.emplace(call.callee, std::nullopt);
        path.push_back({call.callee, CallsOf(blocks_, *call.callee), 0, nullptr});
        continue;  // tried again when the callee is known
      }
      visit.left.pop_back();
      if (!known->second) {
        recursive_ = true;
        return;
      }
      if (*known->second + 1 > visit.depth) {
        visit.depth = *known->second + 1;
        visit.deepest = call.op;
      }
    }
  }

  BlockIndex blocks_;
  bool recursive_ = false;
  int64_t depth_ = 0;
  const Operator* deepest_ = nullptr;
};

bool HasControlFlow(const Block& block) {
  return std::any_of(block.operators.begin(), block.operators.end(),
                     [](const Operator& op) { return IsControlFlow(op.op); });
}

// Returns the order that always takes the first operator in the list whose operands exist.
std::vector<int32_t> FirstReadyOrder(const Block& block, const std::vector<int32_t>& producers) {
  std::vector<int32_t> waiting(block.operators.size());  // the number of missing operands
  std::vector<std::vector<int32_t>> readers(block.operators.size());
  std::priority_queue<int32_t, std::vector<int32_t>, std::greater<>> ready;
  for (size_t i = 0; i < block.operators.size(); ++i) {
    for (const TensorIndex input : block.operators[i].inputs) {
      const int32_t producer = producers[static_cast<size_t>(input)];
      if (producer < 0 || IsVariable(block, input)) continue;
      readers[static_cast<size_t>(producer)].push_back(static_cast<int32_t>(i));
      ++waiting[i];
    }
    if (waiting[i] == 0) ready.push(static_cast<int32_t>(i));
  }
  std::vector<int32_t> order;
  while (!ready.empty()) {
    const int32_t index = ready.top();
    ready.pop();
    order.push_back(index);
    for (const int32_t reader : readers[static_cast<size_t>(index)]) {
      if (--waiting[static_cast<size_t>(reader)] == 0) ready.push(reader);
    }
  }
  return order;
}

std::vector<int32_t> LastUsesOf(const Block& block, const std::vector<int32_t>& order) {
  std::vector<int32_t> last(block.tensors.size(), -1);
  const auto behind_all = static_cast<int32_t>(order.size());
  for (int32_t position = 0; position < behind_all; ++position) {
    const int32_t index = order[static_cast<size_t>(position)];
    const Operator& op = block.operators[static_cast<size_t>(index)];
    for (const TensorIndex input : op.inputs) last[static_cast<size_t>(input)] = position;
    for (const TensorIndex output : op.outputs) last[static_cast<size_t>(output)] = position;
  }
  for (const TensorIndex output : block.outputs) last[static_cast<size_t>(output)] = behind_all;
  for (size_t i = 0; i < last.size(); ++i) {
    if (block.tensors[i].variable) last[i] = behind_all;
  }
  return last;
}

}  // namespace

const char* UnmadeRule(const TensorInfo& tensor, const Block* runner) {
  return runner != nullptr && runner->FindTensor(tensor.name) ? "graph/ERROR_IF/captured-tensor"
                                                              : "graph/ERROR_IF/unproduced-tensor";
}

std::vector<int32_t> OrderOf(const Block& block, const std::vector<int32_t>& producers) {
  std::vector<int32_t> order(block.operators.size());
  std::iota(order.begin(), order.end(), 0);
  const bool in_order = std::ranges::all_of(order, [&](int32_t index) {
    return std::ranges::all_of(
        block.operators[static_cast<size_t>(index)].inputs, [&](TensorIndex input) {
          return producers[static_cast<size_t>(input)] < index || IsVariable(block, input);
        });
  });
  return in_order ? order : FirstReadyOrder(block, producers);
}

BlockPlan PlanBlock(const Block& block, const Block* runner) {
  BlockPlan plan;
  CheckProducers(block, runner, plan.judgement);
  if (!plan.judgement.valid()) return plan;
  plan.producers = block.Producers();
  plan.order = OrderOf(block, plan.producers);
  plan.last_uses = LastUsesOf(block, plan.order);
  plan.judgement.ErrorIf(plan.order.size() < block.operators.size(), "graph/ERROR_IF/cycle");
  return plan;
}

void CheckStructure(const Graph& graph, Judgement& judgement) {
  const Block* main = graph.Main();
  judgement.ErrorIf(main == nullptr, "graph/ERROR_IF/main-block");
  for (const Block& block : graph.Blocks()) {
    judgement.ErrorIf(!NamesOnlyItsTensors(block), "graph/ERROR_IF/undefined-tensor");
  }
  if (!judgement.valid()) return;
  judgement.ErrorIf(HasControlFlow(*main) && CallTree(graph).recursive(),
                    "graph/ERROR_IF/recursion");
}

void CheckNesting(const Graph& graph, Judgement& judgement) {
  const Block* main = graph.Main();
  if (main == nullptr || !HasControlFlow(*main)) return;
  const CallTree calls(graph);
  judgement.ErrorIf(calls.recursive(), "graph/ERROR_IF/recursion");
  if (calls.recursive() || calls.depth() <= kLevelNone.max_nesting) return;
  judgement.ErrorIf(
      true, calls.deepest()->op == Op::kCondIf ? "COND_IF/ERROR_IF/1" : "WHILE_LOOP/ERROR_IF/1");
}

}  // namespace assay
