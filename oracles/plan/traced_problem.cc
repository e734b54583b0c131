// SPDX-License-Identifier: Apache-2.0
#include "traced_problem.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "execution_order.h"
#include "executor.h"
#include "operator_table.h"
#include "trace.h"

namespace assay {
namespace {

constexpr int64_t kTicksMax = 50'000'000;

using Order = std::vector<size_t>;  // of execution: positions in the list of a block's operators

// The operators of every block that runs, in the order in which they first ran.
class Orders : public Trace {
 public:
  explicit Orders(const Graph& graph) {
    for (const Block& block : graph.Blocks()) {
      for (size_t i = 0; i < block.operators.size(); ++i) {
        places_[&block.operators[i]] = {&block, i};
      }
    }
  }

  void Ran(const ExecutedOperator& executed) override {
    const auto at = places_.find(&executed.op);
    if (at == places_.end()) return;
    orders_[at->second.first].push_back(at->second.second);
    places_.erase(at);  // does not count again
  }

  // Returns the order of a block. A block that did not run completely has the order in which it
  // would run.
  Order Of(const Block& block) const {
    const auto ran = orders_.find(&block);
    if (ran != orders_.end() && ran->second.size() == block.operators.size()) return ran->second;
    const std::vector<int32_t> order = OrderOf(block, block.Producers());
    return {order.begin(), order.end()};
  }

 private:
  std::map<const Operator*, std::pair<const Block*, size_t>> places_;
  std::map<const Block*, Order> orders_;
};

Result<Orders> OrdersOf(const Graph& graph, std::span<const Tensor> inputs) {
  Orders orders(graph);
  Context context;
  const Outcome outcome = Execute(context, graph, inputs, {.trace = &orders});
  if (outcome.kind != OutcomeKind::kValid) {
    return Unsupported(
        "the graph does not run on these inputs, so that nothing is known of its lifetimes: " +
        outcome.rule + " " + outcome.message);
  }
  return orders;
}

class Deriver {
 public:
  Deriver(const Graph& graph, const Orders& orders, const PlannedProblem& planned)
      : graph_(graph), orders_(orders), planned_(planned) {
    result_.problem.pools = planned.problem.pools;
    result_.plan.emplace();
    for (size_t i = 0; i < planned.problem.buffers.size(); ++i) {
      rows_.emplace(planned.problem.buffers[i].name_hint, i);
    }
  }

  Result<PlannedProblem> Run() {
    const Block& main = *graph_.Main();
    Frame frame = FrameOf(main);
    for (const TensorIndex input : main.inputs) Write(frame, input, BufferKind::kInput);
    RunBlock(frame);
    if (tick_ >= kTicksMax) {
      return Error{Error::Kind::kResource, "blocks run each other more than " +
                                               std::to_string(kTicksMax) + " operators long"};
    }
    for (size_t i = 0; i < lives_.size(); ++i)
      result_.problem.buffers[i].live = RangesOf(lives_[i]);
    AddStrays();
    return std::move(result_);
  }

 private:
  using Home = std::optional<size_t>;  // of a tensor, the buffer of the result

  // A block that runs.
  struct Frame {
    const Block& block;
    std::string name;
    Order order;
    std::vector<Home> homes;         // of each tensor
    std::vector<bool> own;           // whether an operator of the block made it
    std::vector<size_t> last_reads;  // of each tensor: behind so many operators
  };

  // The times at which a buffer is live, in ranges that may overlap. Each range begins at a write.
  struct Life {
    bool always = false;
    int64_t written = 0;
    std::vector<LiveRange> ranges;
  };

  // Returns "BLOCK", or "REGION.BLOCK" for a block of another region than the main one.
  std::string NameOf(const Block& block) const {
    for (const Region& region : graph_.regions) {
      for (const Block& candidate : region.blocks) {
        if (&candidate != &block) continue;
        const bool short_name = &region == &graph_.regions[0] || region.name == block.name;
        return short_name ? block.name : region.name + "." + block.name;
      }
    }
    return block.name;
  }

  Frame FrameOf(const Block& block) const {
    const size_t tensors = block.tensors.size();
    Frame frame{block,
                NameOf(block),
                orders_.Of(block),
                std::vector<Home>(tensors),
                std::vector<bool>(tensors, false),
                std::vector<size_t>(tensors, 0)};
    for (size_t k = 0; k < frame.order.size(); ++k) {
      for (const TensorIndex input : block.operators[frame.order[k]].inputs) {
        frame.last_reads[static_cast<size_t>(input)] = k + 1;
      }
    }
    for (const TensorIndex output : block.outputs) {
      frame.last_reads[static_cast<size_t>(output)] = frame.order.size() + 1;
    }
    return frame;
  }

  // Runs the operators of a block. Returns the homes of its outputs, at the tick behind all
  // operators.
  std::vector<Home> RunBlock(Frame& frame) {
    for (size_t k = 0; k < frame.order.size() && tick_ < kTicksMax; ++k) {
      ++tick_;
      RunOperator(frame, k);
    }
    ++tick_;
    std::vector<Home> outputs;
    for (const TensorIndex output : frame.block.outputs) outputs.push_back(Read(frame, output));
    return outputs;
  }

  // Runs a block that control flow runs. Inputs without a row of their own lie where the operands
  // do.
  std::vector<Home> RunNested(const Operator& op, AttributeId id, std::span<const Home> operands) {
    const Block* const block = graph_.FindBlock(op.attributes.Text(id));
    Frame frame = FrameOf(*block);
    for (size_t i = 0; i < operands.size(); ++i) {
      const TensorIndex input = block->inputs[i];
      frame.homes[static_cast<size_t>(input)] = operands[i];
      if (rows_.contains(FullName(frame, input))) Write(frame, input, BufferKind::kIntermediate);
    }
    return RunBlock(frame);
  }

  // Returns the buffer of a name, as the plan has it; a buffer that the plan lacks has no place.
  size_t Expect(const std::string& name, int64_t size_bytes, BufferKind kind) {
    const auto row = RowOf(name);
    const auto [at, is_new] = expected_.emplace(row ? RowName(*row) : name, lives_.size());
    if (!is_new) return at->second;
    BufferInfo buffer = row ? planned_.problem.buffers[*row] : BufferInfo{.name_hint = name};
    buffer.size_bytes = size_bytes;
    buffer.kind = kind;
    buffer.conflicts.clear();
    result_.problem.buffers.push_back(std::move(buffer));
    result_.plan->allocations.push_back(row ? AllocationOf(*row) : std::nullopt);
    lives_.emplace_back();
    return lives_.size() - 1;
  }

  void Make(size_t buffer) {
    lives_[buffer].written = tick_;
    Use(buffer);
  }
  // Extends the life of a buffer from its write to this tick, without branches that are not on the
  // way.
  void Use(size_t buffer) {
    Life& life = lives_[buffer];
    int64_t from = life.written;
    for (const auto& [begin, end] : passed_by_) {
      if (begin <= from) continue;
      life.ranges.push_back({from, begin});
      from = end;
    }
    life.ranges.push_back({from, tick_ + 1});
  }

  std::vector<LiveRange> RangesOf(Life& life) const {
    if (life.always) return {{0, tick_ + 1}};
    std::ranges::sort(life.ranges, {}, &LiveRange::lower);
    std::vector<LiveRange> merged;
    for (const LiveRange& range : life.ranges) {
      if (merged.empty() || merged.back().upper < range.lower) {
        merged.push_back(range);
      } else {
        merged.back().upper = std::max(merged.back().upper, range.upper);
      }
    }
    return merged;
  }

  // Finds a row by the full name, or without the block.
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

  static int64_t SizeOf(const Frame& frame, TensorIndex tensor) {
    const TensorType& type = frame.block.TypeOf(tensor);
    return type.shape.Elements() * ElementBytes(type.type);
  }
  static std::string FullName(const Frame& frame, TensorIndex tensor) {
    return frame.name + "/" + frame.block.tensors[static_cast<size_t>(tensor)].name;
  }
  static bool Has(const std::vector<TensorIndex>& list, TensorIndex tensor) {
    return std::find(list.begin(), list.end(), tensor) != list.end();
  }
  bool IsOutput(const Frame& frame, TensorIndex tensor) const {
    return &frame.block == graph_.Main() && Has(frame.block.outputs, tensor);
  }
  bool IsCallers(const Frame& frame, TensorIndex tensor) const {
    return IsOutput(frame, tensor) ||
           (&frame.block == graph_.Main() && Has(frame.block.inputs, tensor));
  }

  void Write(Frame& frame, TensorIndex tensor, BufferKind kind) {
    const TensorInfo& info = frame.block.tensors[static_cast<size_t>(tensor)];
    if (info.type.type == DType::kShape) return;
    Home& home = frame.homes[static_cast<size_t>(tensor)];
    if (info.variable) {
      home = Expect(info.name, SizeOf(frame, tensor), BufferKind::kVariable);
      lives_[*home].always = true;
      return;
    }
    home.reset();
    const std::string name = FullName(frame, tensor);
    if (IsCallers(frame, tensor) && !RowOf(name)) return;
    home = Expect(name, SizeOf(frame, tensor), kind);
    frame.own[static_cast<size_t>(tensor)] = true;
    lives_[*home].always |= kind == BufferKind::kConstant;
    Make(*home);
  }

  Home Read(Frame& frame, TensorIndex tensor) {
    if (frame.block.tensors[static_cast<size_t>(tensor)].variable) {
      Write(frame, tensor, BufferKind::kVariable);
    }
    const Home home = frame.homes[static_cast<size_t>(tensor)];
    if (home) Use(*home);
    return home;
  }

  void RunOperator(Frame& frame, size_t k) {
    const Operator& op = frame.block.operators[frame.order[k]];
    std::vector<Home> operands;
    for (const TensorIndex input : op.inputs) operands.push_back(Read(frame, input));
    if (op.op == Op::kCondIf) return RunCondIf(frame, op, operands);
    if (op.op == Op::kWhileLoop) return RunWhileLoop(frame, k);
    if (IsVariableOperator(op.op)) ExpectVariable(op);
    WriteResults(frame, k);
    ExpectScratch(frame, frame.order[k]);
  }

  void WriteResults(Frame& frame, size_t k) {
    const Operator& op = frame.block.operators[frame.order[k]];
    for (const TensorIndex output : op.outputs) {
      if (SharesOperand(frame, k, output)) continue;
      Write(frame, output,
            op.op == Op::kConst       ? BufferKind::kConstant
            : IsOutput(frame, output) ? BufferKind::kOutput
                                      : BufferKind::kIntermediate);
    }
  }

  // Runs both branches. Each ends by copying its outputs to the results. Buffers that only the
  // second branch reads need not outlive the first.
  void RunCondIf(Frame& frame, const Operator& op, std::span<const Home> operands) {
    const auto write = [&] {
      for (const TensorIndex output : op.outputs) {
        Write(frame, output,
              IsOutput(frame, output) ? BufferKind::kOutput : BufferKind::kIntermediate);
      }
    };
    const int64_t begin = tick_ + 1;
    RunNested(op, AttributeId::kThenGraph, operands.subspan(1));
    write();
    passed_by_.emplace_back(begin, tick_ + 1);
    RunNested(op, AttributeId::kElseGraph, operands.subspan(1));
    write();
    passed_by_.pop_back();
  }

  // Runs a loop. The operands are copied to the results, which the loop carries. The results
  // outlive the condition, after which the loop may end. They are written again at the end of the
  // body.
  void RunWhileLoop(Frame& frame, size_t k) {
    const Operator& op = frame.block.operators[frame.order[k]];
    WriteResults(frame, k);
    std::vector<Home> carried;
    for (const TensorIndex output : op.outputs) {
      carried.push_back(frame.homes[static_cast<size_t>(output)]);
    }
    RunNested(op, AttributeId::kCondGraph, carried);
    const auto each = [&](auto act) {
      for (const Home& home : carried) {
        if (home && !lives_[*home].always) act(*home);
      }
    };
    each([&](size_t buffer) { Use(buffer); });
    RunNested(op, AttributeId::kBodyGraph, carried);
    ExpectScratch(frame, frame.order[k]);
    each([&](size_t buffer) { Make(buffer); });
  }

  void ExpectVariable(const Operator& op) {
    const std::string name = op.attributes.Text(AttributeId::kName);
    const auto row = RowOf(name);
    if (!row) return;  // the caller's, or declared elsewhere
    const size_t buffer =
        Expect(name, planned_.problem.buffers[*row].size_bytes, BufferKind::kVariable);
    lives_[buffer].always = true;
  }

  // Returns true if a result without a row of its own lies where an operand does.
  bool SharesOperand(Frame& frame, size_t k, TensorIndex output) {
    if (RowOf(FullName(frame, output)) || IsCallers(frame, output)) return false;
    const Operator& op = frame.block.operators[frame.order[k]];
    const bool view = op.op == Op::kReshape || op.op == Op::kIdentity;
    for (const TensorIndex input : op.inputs) {
      const Home home = frame.homes[static_cast<size_t>(input)];
      if (!home || SizeOf(frame, input) != SizeOf(frame, output)) continue;
      const bool is_free = frame.own[static_cast<size_t>(input)] && !lives_[*home].always &&
                           !IsReadBehind(frame, *home, k + 1);
      if (!view && !is_free) continue;
      frame.homes[static_cast<size_t>(output)] = home;
      frame.own[static_cast<size_t>(output)] = frame.own[static_cast<size_t>(input)];
      Use(*home);
      return true;
    }
    return false;
  }
  // Returns true if a tensor that lies there is read after that many operators of the block have
  // run.
  static bool IsReadBehind(const Frame& frame, size_t home, size_t operators) {
    for (size_t i = 0; i < frame.homes.size(); ++i) {
      if (frame.homes[i] == home && frame.last_reads[i] > operators) return true;
    }
    return false;
  }

  // Adds all scratch that the plan has for an operator. Only its kernel knows how much it needs.
  void ExpectScratch(const Frame& frame, size_t index) {
    const std::string prefix = frame.name + "/" + std::to_string(index) + "." +
                               std::string(OperatorName(frame.block.operators[index].op)) + "/";
    for (auto row = rows_.lower_bound(prefix); row != rows_.end() && row->first.starts_with(prefix);
         ++row) {
      Make(Expect(row->first, planned_.problem.buffers[row->second].size_bytes,
                  BufferKind::kScratch));
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

  const Graph& graph_;
  const Orders& orders_;
  const PlannedProblem& planned_;
  int64_t tick_ = 0;
  std::vector<std::pair<int64_t, int64_t>>
      passed_by_;                           // branches that are not on the way, in order
  std::map<std::string, size_t> rows_;      // of the plan
  std::map<std::string, size_t> expected_;  // of the result
  std::vector<Life> lives_;                 // of each of these
  PlannedProblem result_;
};

}  // namespace

Result<PlannedProblem> PlanByTrace(const Graph& graph, std::span<const Tensor> inputs,
                                   const PlannedProblem& planned) {
  if (graph.Main() == nullptr) return BadInput("the graph has no main block");
  const Result<Orders> orders = OrdersOf(graph, inputs);
  if (!orders) return orders.error();
  Result<PlannedProblem> result = Deriver(graph, *orders, planned).Run();
  if (!result) return result.error();
  const Result<Done> valid = ValidateProblem(result->problem);
  if (!valid) return valid.error();
  return result;
}

}  // namespace assay
