#include "block_plan.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <string_view>

namespace assay {
namespace {

enum class Origin : uint8_t { kNone, kInput, kOperator };

// Such a tensor has a value from the start.
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
      if (origin(output) != Origin::kNone && IsVariable(block, output)) continue;  // once more
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

// The blocks that each block's control flow names, by Graph::FindBlock().
class Calls {
 public:
  explicit Calls(const Graph& graph) {
    for (const Block& block : graph.regions[0].blocks) named_.emplace(block.name, &block);
    for (const Region& region : graph.regions) {
      if (!region.blocks.empty()) named_.emplace(region.name, &region.blocks[0]);
    }
  }

  std::vector<const Block*> Of(const Block& block) const {
    std::vector<const Block*> callees;
    for (const Operator& op : block.operators) {
      if (op.op != Op::kCondIf && op.op != Op::kWhileLoop) continue;
      for (const AttributeId id : {AttributeId::kThenGraph, AttributeId::kElseGraph,
                                   AttributeId::kCondGraph, AttributeId::kBodyGraph}) {
        const AttributeValue* name = op.attributes.Find(id);
        if (name == nullptr || !std::holds_alternative<std::string>(*name)) continue;
        const auto callee = named_.find(std::get<std::string>(*name));
        if (callee != named_.end()) callees.push_back(callee->second);
      }
    }
    return callees;
  }

 private:
  std::map<std::string_view, const Block*> named_;
};

// Whether some block that `main` reaches reaches itself. No recursion here: files may nest deeper
// than our stack.
bool SomeBlockRunsItself(const Graph& graph, const Block& main) {
  struct Visit {
    const Block* block;
    std::vector<const Block*> left;  // of its callees
  };
  const Calls calls(graph);
  std::set<const Block*> open = {&main};
  std::set<const Block*> closed;
  std::vector<Visit> path;
  path.push_back({&main, calls.Of(main)});
  while (!path.empty()) {
    Visit& visit = path.back();
    if (visit.left.empty()) {
      open.erase(visit.block);
      closed.insert(visit.block);
      path.pop_back();
      continue;
    }
    const Block* callee = visit.left.back();
    visit.left.pop_back();
    if (open.count(callee) > 0) return true;
    if (closed.count(callee) > 0) continue;
    open.insert(callee);
    path.push_back({callee, calls.Of(*callee)});
  }
  return false;
}

bool HasControlFlow(const Block& block) {
  return std::any_of(block.operators.begin(), block.operators.end(),
                     [](const Operator& op) { return IsControlFlow(op.op); });
}

// Always the first operator in the list whose operands are there.
std::vector<int32_t> FirstReadyOrder(const Block& block, const std::vector<int32_t>& producers) {
  std::vector<int32_t> waiting(block.operators.size());  // for so many operands
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
  plan.judgement.ErrorIf(plan.order.size() < block.operators.size(), "graph/ERROR_IF/cycle");
  return plan;
}

void CheckStructure(const Graph& graph, Judgement& judgement) {
  const Block* main = graph.Main();
  judgement.ErrorIf(main == nullptr, "graph/ERROR_IF/main-block");
  for (const Region& region : graph.regions) {
    for (const Block& block : region.blocks) {
      judgement.ErrorIf(!NamesOnlyItsTensors(block), "graph/ERROR_IF/undefined-tensor");
    }
  }
  if (!judgement.valid()) return;
  judgement.ErrorIf(HasControlFlow(*main) && SomeBlockRunsItself(graph, *main),
                    "graph/ERROR_IF/recursion");
}

}  // namespace assay
