#include "plan_trace.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "executor.h"
#include "operator_table.h"
#include "trace.h"

namespace assay {
namespace {

// The operators of the main block, in the order in which they ran.
class MainOrder : public Trace {
 public:
  explicit MainOrder(const Block& main) : main_(main) {}

  void Ran(const ExecutedOperator& executed) override {
    const std::less<const Operator*> before;
    const Operator* const first = main_.operators.data();
    if (before(&executed.op, first) || !before(&executed.op, first + main_.operators.size())) {
      left_main_ = true;
    } else {
      order_.push_back(static_cast<size_t>(&executed.op - first));
    }
  }

  const std::vector<size_t>& order() const { return order_; }
  bool left_main() const { return left_main_; }

 private:
  const Block& main_;
  std::vector<size_t> order_;
  bool left_main_ = false;
};

Result<std::vector<size_t>> OrderOf(const Graph& graph, std::span<const Tensor> inputs) {
  MainOrder trace(*graph.Main());
  ExecutionOptions options;
  options.trace = &trace;
  Context context;
  const Outcome outcome = Execute(context, graph, inputs, options);
  if (outcome.kind != OutcomeKind::kValid) {
    return Error{Error::Kind::kUnsupported,
                 "the graph does not run on these inputs, so that nothing is known of its "
                 "lifetimes: " +
                     outcome.rule + " " + outcome.message};
  }
  const auto is_control_flow = [](const Operator& op) { return IsControlFlow(op.op); };
  const auto& operators = graph.Main()->operators;
  if (trace.left_main() || std::any_of(operators.begin(), operators.end(), is_control_flow)) {
    return Error{Error::Kind::kUnsupported,
                 "the graph has control flow, whose lifetimes are not "
                 "derived from a trace"};
  }
  return trace.order();
}

class Deriver {
 public:
  Deriver(const Block& main, std::span<const size_t> order, const PlannedProblem& planned)
      : main_(main), order_(order), planned_(planned), home_(main.tensors.size()) {
    result_.problem.pools = planned.problem.pools;
    result_.plan.emplace();
    end_ = static_cast<int64_t>(order.size()) + 1;
    for (size_t i = 0; i < planned.problem.buffers.size(); ++i) {
      rows_.emplace(planned.problem.buffers[i].name_hint, i);
    }
  }

  PlannedProblem Run() {
    for (const TensorIndex input : main_.inputs) Write(input, 0, BufferKind::kInput);
    for (size_t k = 0; k < order_.size(); ++k) {
      RunOperator(main_.operators[order_[k]], order_[k], static_cast<int64_t>(k) + 1);
    }
    for (const TensorIndex output : main_.outputs) Read(output, end_);
    for (size_t i = 0; i < lives_.size(); ++i) {
      result_.problem.buffers[i].live = {{lives_[i].lower, lives_[i].upper}};
    }
    AddStrays();
    return std::move(result_);
  }

 private:
  struct Life {
    int64_t lower, upper;
  };

  // The buffer of a name, as the plan has it; without a place if it has none.
  size_t Expect(const std::string& name, int64_t size_bytes, BufferKind kind, Life life) {
    const auto row = RowOf(name);
    const auto [at, is_new] = expected_.emplace(row ? RowName(*row) : name, lives_.size());
    if (!is_new) return at->second;
    BufferInfo buffer = row ? planned_.problem.buffers[*row] : BufferInfo{.name_hint = name};
    buffer.size_bytes = size_bytes;
    buffer.kind = kind;
    buffer.conflicts.clear();
    result_.problem.buffers.push_back(std::move(buffer));
    result_.plan->allocations.push_back(row ? AllocationOf(*row) : std::nullopt);
    lives_.push_back(life);
    return lives_.size() - 1;
  }

  // By the full name, or without the block.
  std::optional<size_t> RowOf(const std::string& name) const {
    const auto full = rows_.find(name);
    if (full != rows_.end()) return full->second;
    const auto tail = rows_.find(name.substr(name.find('/') + 1));
    return tail == rows_.end() ? std::nullopt : std::optional(tail->second);
  }
  const std::string& RowName(size_t row) const { return planned_.problem.buffers[row].name_hint; }
  std::optional<PoolAllocation> AllocationOf(size_t row) const {
    const auto& allocations = planned_.plan->allocations;
    return row < allocations.size() ? allocations[row] : std::nullopt;
  }

  int64_t SizeOf(TensorIndex tensor) const {
    const TensorType& type = main_.TypeOf(tensor);
    return type.shape.Elements() * ElementBytes(type.type);
  }
  std::string NameOf(TensorIndex tensor) const {
    return main_.name + "/" + main_.tensors[static_cast<size_t>(tensor)].name;
  }
  bool IsCallers(TensorIndex tensor) const {
    const auto has = [tensor](const std::vector<TensorIndex>& list) {
      return std::find(list.begin(), list.end(), tensor) != list.end();
    };
    return has(main_.inputs) || has(main_.outputs);
  }

  void Write(TensorIndex tensor, int64_t tick, BufferKind kind) {
    const TensorInfo& info = main_.tensors[static_cast<size_t>(tensor)];
    if (info.type.type == DType::kShape) return;
    auto& home = home_[static_cast<size_t>(tensor)];
    if (info.variable) {
      home = Expect(info.name, SizeOf(tensor), BufferKind::kVariable, {0, end_ + 1});
      return;
    }
    const bool planned = RowOf(NameOf(tensor)).has_value();
    if (!planned && IsCallers(tensor)) return;
    const bool always = kind == BufferKind::kConstant;
    home = Expect(NameOf(tensor), SizeOf(tensor), kind,
                  always ? Life{0, end_ + 1} : Life{tick, tick + 1});
  }

  void Read(TensorIndex tensor, int64_t tick) {
    if (main_.tensors[static_cast<size_t>(tensor)].variable) {
      Write(tensor, tick, BufferKind::kVariable);
    }
    const auto& home = home_[static_cast<size_t>(tensor)];
    if (home) lives_[*home].upper = std::max(lives_[*home].upper, tick + 1);
  }

  void RunOperator(const Operator& op, size_t index, int64_t tick) {
    for (const TensorIndex input : op.inputs) Read(input, tick);
    if (IsVariableOperator(op.op)) ExpectVariable(op);
    for (const TensorIndex output : op.outputs) {
      if (SharesOperand(op, output, tick)) continue;
      const auto& outputs = main_.outputs;
      const bool of_graph = std::find(outputs.begin(), outputs.end(), output) != outputs.end();
      Write(output, tick,
            op.op == Op::kConst ? BufferKind::kConstant
            : of_graph          ? BufferKind::kOutput
                                : BufferKind::kIntermediate);
    }
    ExpectScratch(op, index, tick);
  }

  void ExpectVariable(const Operator& op) {
    const std::string name = op.attributes.Text(AttributeId::kName);
    const auto row = RowOf(name);
    if (!row) return;  // the caller's, or declared elsewhere
    Expect(name, planned_.problem.buffers[*row].size_bytes, BufferKind::kVariable, {0, end_ + 1});
  }

  // A result without a row of its own lies where an operand does.
  bool SharesOperand(const Operator& op, TensorIndex output, int64_t tick) {
    if (RowOf(NameOf(output)) || IsCallers(output)) return false;
    const bool view = op.op == Op::kReshape || op.op == Op::kIdentity;
    for (const TensorIndex input : op.inputs) {
      const auto& home = home_[static_cast<size_t>(input)];
      if (!home || SizeOf(input) != SizeOf(output)) continue;
      if (!view && LastRead(input) > tick) continue;
      home_[static_cast<size_t>(output)] = home;
      lives_[*home].upper = std::max(lives_[*home].upper, tick + 1);
      return true;
    }
    return false;
  }

  int64_t LastRead(TensorIndex tensor) const {
    int64_t last = 0;
    for (size_t k = 0; k < order_.size(); ++k) {
      const auto& inputs = main_.operators[order_[k]].inputs;
      if (std::find(inputs.begin(), inputs.end(), tensor) != inputs.end()) {
        last = static_cast<int64_t>(k) + 1;
      }
    }
    return last;
  }

  // Whatever the plan has of it; how much an operator needs is for its kernel to say.
  void ExpectScratch(const Operator& op, size_t index, int64_t tick) {
    const std::string prefix =
        main_.name + "/" + std::to_string(index) + "." + std::string(OperatorName(op.op)) + "/";
    for (auto row = rows_.lower_bound(prefix); row != rows_.end() && row->first.starts_with(prefix);
         ++row) {
      Expect(row->first, planned_.problem.buffers[row->second].size_bytes, BufferKind::kScratch,
             {tick, tick + 1});
    }
  }

  void AddStrays() {
    result_.plan->strays = planned_.plan->strays;
    for (const auto& [name, row] : rows_) {
      const auto at = AllocationOf(row);
      if (!at || expected_.contains(name)) continue;
      const auto& pools = planned_.problem.pools;
      result_.plan->strays.push_back({name, pools[static_cast<size_t>(at->pool)].name, at->offset});
    }
  }

  const Block& main_;
  const std::span<const size_t> order_;
  const PlannedProblem& planned_;
  int64_t end_ = 0;                          // the tick behind all operators
  std::map<std::string, size_t> rows_;       // of the plan
  std::map<std::string, size_t> expected_;   // of the result
  std::vector<std::optional<size_t>> home_;  // of each tensor, the buffer of the result
  std::vector<Life> lives_;                  // of each of these
  PlannedProblem result_;
};

}  // namespace

Result<PlannedProblem> PlanByTrace(const Graph& graph, std::span<const Tensor> inputs,
                                   const PlannedProblem& planned) {
  if (graph.Main() == nullptr) return BadInput("the graph has no main block");
  const Result<std::vector<size_t>> order = OrderOf(graph, inputs);
  if (!order) return order.error();
  PlannedProblem result = Deriver(*graph.Main(), *order, planned).Run();
  const Result<Done> valid = ValidateProblem(result.problem);
  if (!valid) return valid.error();
  return result;
}

}  // namespace assay
