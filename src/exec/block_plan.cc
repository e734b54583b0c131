#include "block_plan.h"

#include <algorithm>

namespace assay {
namespace {

enum class Origin : uint8_t { kNone, kInput, kOperator };

void CheckProducers(const Block& block, Judgement& j) {
  std::vector<Origin> origins(block.tensors.size());
  const auto origin = [&](TensorIndex index) -> Origin& {
    return origins[static_cast<size_t>(index)];
  };
  const auto is_variable = [&](TensorIndex index) {
    return block.tensors[static_cast<size_t>(index)].variable;
  };
  for (const TensorIndex input : block.inputs) {
    origin(input) = Origin::kInput;
    j.ErrorIf(block.TypeOf(input).type == DType::kShape, "graph/ERROR_IF/shape-operand");
  }
  for (const Operator& op : block.operators) {
    j.ErrorIf(op.op == Op::kUnknown, "graph/ERROR_IF/unknown-operator");
    for (const TensorIndex output : op.outputs) {
      if (is_variable(output)) continue;
      j.ErrorIf(origin(output) == Origin::kInput, "graph/ERROR_IF/produced-input");
      j.ErrorIf(origin(output) == Origin::kOperator, "graph/ERROR_IF/duplicate-producer");
      origin(output) = Origin::kOperator;
    }
  }
  const auto produced = [&](TensorIndex index) {
    j.ErrorIf(origin(index) == Origin::kNone && !is_variable(index),
              "graph/ERROR_IF/unproduced-tensor");
  };
  for (const Operator& op : block.operators) {
    std::for_each(op.inputs.begin(), op.inputs.end(), produced);
  }
  for (const TensorIndex output : block.outputs) {
    produced(output);
    j.ErrorIf(block.TypeOf(output).type == DType::kShape, "graph/ERROR_IF/shape-operand");
  }
}

// List order where it is an order of execution; else the order that leaves the list the least.
// Shorter than the block if operators wait for each other.
std::vector<int32_t> OrderOf(const Block& block) {
  std::vector<uint8_t> ready(block.tensors.size());
  for (size_t i = 0; i < ready.size(); ++i) ready[i] = block.tensors[i].variable;
  for (const TensorIndex input : block.inputs) ready[static_cast<size_t>(input)] = 1;
  std::vector<int32_t> order;
  std::vector<uint8_t> done(block.operators.size());
  bool progress = true;
  while (progress && order.size() < block.operators.size()) {
    progress = false;
    for (size_t i = 0; i < block.operators.size(); ++i) {
      const Operator& op = block.operators[i];
      if (done[i] || !std::all_of(op.inputs.begin(), op.inputs.end(), [&](TensorIndex input) {
            return ready[static_cast<size_t>(input)] != 0;
          })) {
        continue;
      }
      done[i] = 1;
      progress = true;
      order.push_back(static_cast<int32_t>(i));
      for (const TensorIndex output : op.outputs) ready[static_cast<size_t>(output)] = 1;
    }
  }
  return order;
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

// Blocks on the way from the main block to the one in question, and those that are done with.
struct Walk {
  const Graph& graph;
  std::vector<const Block*> open, closed;

  bool Recurs(const Block& block) {
    if (std::find(open.begin(), open.end(), &block) != open.end()) return true;
    if (std::find(closed.begin(), closed.end(), &block) != closed.end()) return false;
    open.push_back(&block);
    for (const Operator& op : block.operators) {
      if (op.op != Op::kCondIf && op.op != Op::kWhileLoop) continue;
      for (const AttributeId id : {AttributeId::kThenGraph, AttributeId::kElseGraph,
                                   AttributeId::kCondGraph, AttributeId::kBodyGraph}) {
        const AttributeValue* name = op.attributes.Find(id);
        if (name == nullptr || !std::holds_alternative<std::string>(*name)) continue;
        const Block* callee = graph.FindBlock(std::get<std::string>(*name));
        if (callee != nullptr && Recurs(*callee)) return true;
      }
    }
    open.pop_back();
    closed.push_back(&block);
    return false;
  }
};

}  // namespace

BlockPlan PlanBlock(const Block& block) {
  BlockPlan plan;
  CheckProducers(block, plan.judgement);
  if (!plan.judgement.valid()) return plan;
  plan.order = OrderOf(block);
  plan.judgement.ErrorIf(plan.order.size() < block.operators.size(), "graph/ERROR_IF/cycle");
  plan.producers = block.Producers();
  return plan;
}

void CheckGraph(const Graph& graph, Judgement& judgement) {
  const Block* main = graph.Main();
  judgement.ErrorIf(main == nullptr, "graph/ERROR_IF/main-block");
  for (const Region& region : graph.regions) {
    for (const Block& block : region.blocks) {
      judgement.ErrorIf(!NamesOnlyItsTensors(block), "graph/ERROR_IF/undefined-tensor");
    }
  }
  if (!judgement.valid()) return;
  judgement.ErrorIf(Walk{graph, {}, {}}.Recurs(*main), "graph/ERROR_IF/recursion");
}

}  // namespace assay
