// SPDX-License-Identifier: Apache-2.0
#include "tapped_windows.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "block_nodes.h"
#include "execution_order.h"
#include "operator_facts.h"
#include "window_graph.h"

namespace assay {
namespace {

constexpr size_t kOperatorsMax = 16;  // of a window

// Returns the name of the variable that an operator reads or writes; "" in a malformed graph.
std::string VariableOf(const Operator& op) {
  return op.attributes.Has(AttributeId::kName) ? op.attributes.Text(AttributeId::kName) : "";
}

// Makes the windows of one step.
class Cutter {
 public:
  Cutter(const TestVector& vector, int32_t step, const std::map<TensorIndex, Tensor>& shown)
      : vector_(vector),
        step_(step),
        shown_(shown),
        main_(*vector.graphs[static_cast<size_t>(StepOf().graph)].Main()),
        producers_(main_.Producers()) {
    const std::vector<int32_t> order = OrderOf(main_, producers_);
    rank_.resize(main_.operators.size());
    for (size_t i = 0; i < order.size(); ++i) rank_[static_cast<size_t>(order[i])] = i;
    for (size_t i = 0; i < main_.inputs.size(); ++i) given_[main_.inputs[i]] = i;
  }

  // Returns the smallest window that ends with the operator; nothing if there is none.
  std::optional<TappedWindow> WindowAt(int32_t position) const {
    TappedWindow tapped;
    for (const TensorIndex output : OperatorAt(position).outputs) {
      if (shown_.contains(output)) tapped.outputs.push_back(output);
    }
    const std::vector<int32_t> operators = Grown(position);
    if (tapped.outputs.empty() || operators.empty()) return std::nullopt;
    WindowGraph graph(main_);
    for (const int32_t member : operators) {
      if (!Add(OperatorAt(member), graph)) return std::nullopt;
    }
    for (const TensorIndex output : tapped.outputs) graph.AddOutput(output);
    for (const TensorIndex input : graph.inputs()) {
      tapped.inputs_shown.push_back(!given_.contains(input));
    }
    tapped.window = graph.Finish();
    for (const int32_t member : operators) {
      tapped.window.stands_for.push_back({StepOf().graph, BlockPosition(), member});
    }
    tapped.window.step = step_;
    DescribeFrom(vector_, tapped.window);
    return tapped;
  }

 private:
  const Step& StepOf() const { return vector_.steps[static_cast<size_t>(step_)]; }
  const Operator& OperatorAt(int32_t position) const {
    return main_.operators[static_cast<size_t>(position)];
  }
  int32_t BlockPosition() const {
    const auto blocks = vector_.graphs[static_cast<size_t>(StepOf().graph)].Blocks();
    const auto main =
        std::ranges::find_if(blocks, [this](const Block& block) { return &block == &main_; });
    return static_cast<int32_t>(main - blocks.begin());
  }
  const Operator* ConstantOf(TensorIndex tensor) const {
    const int32_t producer = producers_[static_cast<size_t>(tensor)];
    return producer >= 0 && IsConstant(OperatorAt(producer).op) ? &OperatorAt(producer) : nullptr;
  }
  bool IsKnown(TensorIndex tensor) const {
    return given_.contains(tensor) || shown_.contains(tensor) || ConstantOf(tensor) != nullptr;
  }

  // Returns the operator and those that compute its operands from known tensors, in the order of
  // execution. Returns nothing if one of them must not be in a window, or if they are too many.
  std::vector<int32_t> Grown(int32_t position) const {
    std::vector<int32_t> members = {position};
    for (size_t next = 0; next < members.size(); ++next) {
      const Operator& op = OperatorAt(members[next]);
      if (!MayStandInWindow(main_, op)) return {};
      for (const TensorIndex input : op.inputs) {
        if (IsKnown(input)) continue;
        const int32_t producer = producers_[static_cast<size_t>(input)];
        if (producer < 0 || members.size() == kOperatorsMax) return {};
        if (std::ranges::find(members, producer) == members.end()) members.push_back(producer);
      }
    }
    std::ranges::sort(members, {},
                      [this](int32_t member) { return rank_[static_cast<size_t>(member)]; });
    return members;
  }

  // Adds an operator to a window. Returns false if an operand must be known at compile time, but is
  // a float that the backend may have kept in higher precision.
  bool Add(const Operator& op, WindowGraph& graph) const {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const TensorIndex input = op.inputs[i];
      if (graph.Has(input)) continue;
      const auto given = given_.find(input);
      const auto shown = shown_.find(input);
      const Operator* constant = ConstantOf(input);
      const bool must_be_constant = FactsOf(op.op).NeedsConstant(i);
      if (constant != nullptr) {
        graph.AddOperand(op, i, constant, {});
      } else if (given != given_.end()) {
        graph.AddOperand(op, i, nullptr, StepOf().inputs[given->second]);
      } else if (must_be_constant && IsFloat(main_.TypeOf(input).type)) {
        return false;
      } else {
        graph.AddOperand(op, i, nullptr, shown->second);
      }
    }
    graph.AddOperator(op);
    return true;
  }

  const TestVector& vector_;
  const int32_t step_;
  const std::map<TensorIndex, Tensor>& shown_;
  const Block& main_;
  const std::vector<int32_t> producers_;
  std::vector<size_t> rank_;             // of operators, in the order of execution
  std::map<TensorIndex, size_t> given_;  // positions of inputs of the graph
};

}  // namespace

NeededPart PartNeededBy(const Block& main, const std::vector<TensorIndex>& outputs,
                        bool runs_again) {
  const std::vector<int32_t> producers = main.Producers();
  std::map<std::string, std::vector<int32_t>> writes;  // by variable
  for (int32_t i = 0; i < std::ssize(main.operators); ++i) {
    const Operator& op = main.operators[static_cast<size_t>(i)];
    if (op.op == Op::kVariableWrite) writes[VariableOf(op)].push_back(i);
  }
  std::set<int32_t> needed;
  std::vector<int32_t> open;
  const auto open_producers = [&](const std::vector<TensorIndex>& tensors) {
    for (const TensorIndex tensor : tensors) open.push_back(producers[static_cast<size_t>(tensor)]);
  };
  open_producers(outputs);
  while (!open.empty()) {
    const int32_t position = open.back();
    open.pop_back();
    if (position < 0 || !needed.insert(position).second) continue;
    const Operator& op = main.operators[static_cast<size_t>(position)];
    open_producers(op.inputs);
    if (op.op != Op::kVariableRead) continue;
    for (const int32_t write : writes[VariableOf(op)]) {
      if (runs_again || write < position) open.push_back(write);
    }
  }
  NeededPart part;
  for (const int32_t position : OrderOf(main, producers)) {
    const Operator& op = main.operators[static_cast<size_t>(position)];
    if (!needed.contains(position) || IsConstant(op.op)) continue;
    part.operators.push_back(position);
    for (const TensorIndex output : op.outputs) {
      const TensorInfo& info = main.tensors[static_cast<size_t>(output)];
      const bool is_inner = std::ranges::find(main.outputs, output) == main.outputs.end();
      if (!is_inner || info.variable || info.type.type == DType::kShape) continue;
      part.inner.push_back(output);
    }
  }
  std::ranges::sort(part.inner);
  return part;
}

std::vector<TappedWindow> TappedWindows(const TestVector& vector, int32_t step,
                                        const NeededPart& part,
                                        const std::map<TensorIndex, Tensor>& shown) {
  const Cutter cutter(vector, step, shown);
  std::vector<TappedWindow> windows;
  for (const int32_t position : part.operators) {
    if (auto window = cutter.WindowAt(position)) windows.push_back(std::move(*window));
  }
  return windows;
}

std::function<std::optional<TappedWindow>(int32_t position)> TappedWindowAt(
    const TestVector& vector, int32_t step, const std::map<TensorIndex, Tensor>& shown) {
  return [cutter = std::make_shared<const Cutter>(vector, step, shown)](int32_t position) {
    return cutter->WindowAt(position);
  };
}

}  // namespace assay
