// SPDX-License-Identifier: Apache-2.0
#include "called_blocks.h"

#include <algorithm>
#include <map>
#include <utility>

#include "convert_tensor.h"
#include "executor.h"
#include "graph_edit.h"
#include "trace.h"

namespace assay {
namespace {

constexpr size_t kRunsKept = 4;

// One execution of a block.
struct BlockRun {
  std::vector<Tensor> inputs;
  std::map<TensorIndex, Tensor> values;  // of the results of its operators, constants left out
};

// The executions of a block at a place.
struct PlaceRuns {
  std::vector<BlockRun> runs;
  int64_t count = 0;
};

// The executions of a COND_IF or WHILE_LOOP at a place.
struct CallerRuns {
  std::vector<Tensor> operands;  // of the first time
  std::array<bool, 3> turns = {};
};

// The control flow that leads to a block or operator, with the blocks that it runs.
using Path = std::vector<std::pair<const Operator*, const Block*>>;

std::vector<Tensor> ToTensors(std::span<const DomainTensor<Scalar>* const> values) {
  std::vector<Tensor> tensors;
  for (const DomainTensor<Scalar>* value : values) tensors.push_back(ToTensor(*value));
  return tensors;
}

// Keeps the values of the blocks that control flow runs.
class BlockTrace : public Trace {
 public:
  void Enters(const Operator* caller, const Block& block,
              std::span<const DomainTensor<Scalar>* const> inputs) override {
    if (caller == nullptr) {
      path_.clear();
      open_.clear();
    } else {
      path_.emplace_back(caller, &block);
      ++open_.back().entries[path_.back()];
    }
    open_.push_back({{caller == nullptr ? std::vector<Tensor>() : ToTensors(inputs), {}}, {}});
  }

  void Leaves() override {
    Frame done = std::move(open_.back());
    open_.pop_back();
    if (path_.empty()) return;
    PlaceRuns& place = places_[path_];
    if (place.runs.size() == kRunsKept) place.runs.pop_back();
    place.runs.push_back(std::move(done.run));
    ++place.count;
    path_.pop_back();
  }

  void Ran(const ExecutedOperator& executed) override {
    const Operator& op = executed.op;
    Frame& frame = open_.back();
    if (IsControlFlow(op.op)) {
      CallerRuns& caller = callers_[{path_, &op}];
      if (caller.operands.empty()) caller.operands = ToTensors(executed.inputs);
      // The condition of a loop runs once more than its body.
      int64_t entries = 0;
      for (const auto& [call, count] : frame.entries) {
        if (call.first == &op) entries += count;
      }
      const auto turns = static_cast<size_t>(std::min<int64_t>(entries / 2, 2));
      if (op.op == Op::kWhileLoop) caller.turns[turns] = true;
      std::erase_if(frame.entries, [&](const auto& each) { return each.first.first == &op; });
    }
    if (path_.empty() || IsConstant(op.op)) return;
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      frame.run.values.insert_or_assign(op.outputs[i], ToTensor(*executed.results[i]));
    }
  }

  // Return what was seen at a place; null if it did not run.
  const PlaceRuns* RunsOf(const Path& path) const {
    const auto found = places_.find(path);
    return found == places_.end() ? nullptr : &found->second;
  }
  const CallerRuns* CallsOf(const Path& path, const Operator& op) const {
    const auto found = callers_.find({path, &op});
    return found == callers_.end() ? nullptr : &found->second;
  }

 private:
  struct Frame {
    BlockRun run;
    std::map<Path::value_type, int64_t> entries;  // of the blocks that its control flow runs
  };
  Path path_;
  std::vector<Frame> open_;  // the blocks in execution, the main one first
  std::map<Path, PlaceRuns> places_;
  std::map<std::pair<Path, const Operator*>, CallerRuns> callers_;
};

// Returns the model that consists of a block, without steps.
TestVector ModelOf(const TestVector& model, const Block& block) {
  TestVector alone = model;
  alone.constness.clear();
  alone.steps.clear();
  Block main = block;
  main.name = model.graphs[0].Main()->name;
  *alone.graphs[0].Main() = std::move(main);
  SweepRegions(alone.graphs[0]);
  return alone;
}

// Returns the part that the results of a block and the variables that it writes depend on.
NeededPart PartOfBlock(const Block& block) {
  std::vector<TensorIndex> needed = block.outputs;
  for (const Operator& op : block.operators) {
    if (op.op == Op::kVariableWrite) needed.push_back(op.inputs[0]);
  }
  return PartNeededBy(block, needed);
}

// Lists the blocks that a model runs, with what a trace of it has kept.
class BlockList {
 public:
  BlockList(const TestVector& model, const BlockTrace& trace, size_t layers)
      : model_(model), trace_(trace), layers_(layers) {}

  // Adds those of a block whose layers have numbers behind `before`.
  void AddCalls(const Block& block, const NeededPart& part, size_t before) {
    for (size_t i = 0; i < part.operators.size(); ++i) {
      const int32_t position = part.operators[i];
      const Operator& op = block.operators[static_cast<size_t>(position)];
      callers_.push_back({0, PositionOf(block), position});
      for (const AttributeId role : kBlockAttributes) {
        if (op.attributes.Has(role)) AddCall(op, role, before + i + 1);
      }
      callers_.pop_back();
    }
  }

  std::vector<CalledBlock> Take() { return std::move(blocks_); }

 private:
  int32_t PositionOf(const Block& block) const {
    const auto blocks = model_.graphs[0].Blocks();
    const auto at = std::ranges::find_if(blocks, [&](const Block& b) { return &b == &block; });
    return static_cast<int32_t>(at - blocks.begin());
  }

  void AddCall(const Operator& op, AttributeId role, size_t number) {
    const Block* callee = model_.graphs[0].FindBlock(op.attributes.Text(role));
    const auto is_callee = [callee](const auto& call) { return call.second == callee; };
    if (callee == nullptr || std::ranges::any_of(path_, is_callee)) return;
    const CallerRuns* caller = trace_.CallsOf(path_, op);
    path_.emplace_back(&op, callee);
    CalledBlock called;
    called.callers = callers_;
    called.role = role;
    called.caller_layer = number;
    called.block = PositionOf(*callee);
    called.layers_before = layers_;
    called.model = ModelOf(model_, *callee);
    called.part = PartOfBlock(*callee);
    if (role == AttributeId::kBodyGraph && caller != nullptr) called.turns = caller->turns;
    if (const PlaceRuns* place = trace_.RunsOf(path_)) {
      called.is_run = true;
      for (const BlockRun& run : place->runs) {
        called.model.steps.emplace_back().inputs = run.inputs;
        ModelValues& values = called.values.emplace_back();
        values.outcome.kind = OutcomeKind::kValid;
        values.values = run.values;
      }
    } else {
      RunOnOperands(caller, op, called);
    }
    layers_ += called.part.operators.size();
    const NeededPart part = called.part;
    const size_t before = called.layers_before;
    blocks_.push_back(std::move(called));
    AddCalls(*callee, part, before);
    path_.pop_back();
  }

  // Executes a block that the model does not run on the operands of its caller.
  static void RunOnOperands(const CallerRuns* caller, const Operator& op, CalledBlock& called) {
    if (caller == nullptr) return;
    const auto first = caller->operands.begin() + (op.op == Op::kCondIf ? 1 : 0);
    called.model.steps.emplace_back().inputs.assign(first, caller->operands.end());
    called.values = ValuesOfSteps(called.model, called.part);
    if (called.values[0].outcome.kind == OutcomeKind::kValid) return;
    called.values.clear();
    called.model.steps.clear();
  }

  const TestVector& model_;
  const BlockTrace& trace_;
  size_t layers_;
  std::vector<OperatorPlace> callers_;
  Path path_;
  std::vector<CalledBlock> blocks_;
};

}  // namespace

std::vector<CalledBlock> CalledBlocksOf(const TestVector& model, const NeededPart& part) {
  const Block& main = MainOf(model);
  const bool has_calls = std::ranges::any_of(part.operators, [&](int32_t position) {
    return IsControlFlow(main.operators[static_cast<size_t>(position)].op);
  });
  if (!has_calls) return {};
  BlockTrace trace;
  (void)ExecuteVector(model, {.trace = &trace});
  BlockList list(model, trace, part.operators.size());
  list.AddCalls(main, part, 0);
  return list.Take();
}

const CalledBlock* BlockOfLayer(const std::vector<CalledBlock>& blocks, size_t number) {
  const auto last = std::ranges::find_if(
      blocks.rbegin(), blocks.rend(),
      [number](const CalledBlock& block) { return block.layers_before < number; });
  return last == blocks.rend() ? nullptr : &*last;
}

}  // namespace assay
