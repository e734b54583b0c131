// SPDX-License-Identifier: Apache-2.0
#include "partition.h"

#include <algorithm>

namespace assay {
namespace {

class Partitioner {
 public:
  Partitioner(const Dataflow& flow, LiteralValues& literals, SizeRule& size, FoldForm form,
              FoldFault fault)
      : flow_(flow), literals_(literals), size_(size), form_(form), fault_(fault) {
    partition_.went.resize(flow.main().operators.size());
    wanted_.resize(flow.main().tensors.size());
    is_cached_.resize(flow.main().tensors.size());
  }

  Partition Run() && {
    Bake();
    DemandOfEntry();
    Close(FoldStage::kRuntime);
    Close(FoldStage::kCompileTime);
    Misplace();
    PlaceLiterals();
    OrderCached();
    return std::move(partition_);
  }

 private:
  bool Has(FoldFault fault) const { return fault_ == fault; }

  // Returns the stage of an operator that is not a literal, from what it depends on.
  FoldStage HomeOf(int32_t op) const {
    if (Has(FoldFault::kNothingFolded)) return FoldStage::kEntry;
    if (Has(FoldFault::kMixedAtCompileTime) && IsMixed(op)) return FoldStage::kCompileTime;
    switch (flow_.OfOperator(op)) {
      case Constness::kVarying:
        return FoldStage::kEntry;
      case Constness::kRuntime:
        return FoldStage::kRuntime;
      case Constness::kCompileTime:
        return form_ == FoldForm::kSplit ? FoldStage::kCompileTime : FoldStage::kRuntime;
    }
    return FoldStage::kEntry;
  }

  // Returns true if an operator depends on constants of both kinds.
  bool IsMixed(int32_t op) const {
    return form_ == FoldForm::kSplit && flow_.OfOperator(op) == Constness::kRuntime &&
           std::ranges::any_of(flow_.UsesOf(op), [this](TensorIndex use) {
             return flow_.OfTensor(use) == Constness::kCompileTime;
           });
  }

  // Moves operators to the places where faults put them, after all have their place.
  void Misplace() {
    for (int32_t op = 0; op < std::ssize(partition_.went); ++op) {
      StageSet& went = partition_.went[At(op)];
      if (IsConstant(flow_.main().operators[At(op)].op)) continue;
      const bool twice = went.Has(FoldStage::kEntry) && HomeOf(op) != FoldStage::kEntry;
      if (Has(FoldFault::kTooLargeNotFolded) && twice) went = StageSet();
      if (Has(FoldFault::kFoldedStaysInEntry) || (Has(FoldFault::kTooLargeNotFolded) && twice)) {
        went.Add(FoldStage::kEntry);
      }
      const bool is_write = flow_.main().operators[At(op)].op == Op::kVariableWrite;
      if (Has(FoldFault::kWritesFolded) && is_write) went.Add(HomeOf(op));
    }
  }

  // Returns true if every stage has the value itself: a CONST or a baked value.
  bool IsLiteralValue(TensorIndex tensor) const {
    const int32_t producer = flow_.ProducerOf(tensor);
    return producer >= 0 && (IsConstant(flow_.main().operators[At(producer)].op) ||
                             partition_.baked.contains(tensor));
  }

  // Keeps a value that a compile-time-constant operand reads as a CONST, if it depends on CONSTs
  // alone.
  void Bake() {
    for (int32_t op = 0; op < std::ssize(partition_.went); ++op) {
      const std::vector<TensorIndex>& uses = flow_.UsesOf(op);
      for (size_t i = 0; i < uses.size(); ++i) {
        if (!flow_.IsParameter(op, i) || IsLiteralValue(uses[i])) continue;
        if (!literals_.ValueOf(uses[i])) continue;
        for (const TensorIndex output :
             flow_.main().operators[At(flow_.ProducerOf(uses[i]))].outputs) {
          partition_.baked.emplace(output, *literals_.ValueOf(output));
        }
      }
    }
  }

  void DemandOfEntry() {
    for (int32_t op = 0; op < std::ssize(partition_.went); ++op) {
      if (Has(FoldFault::kWritesRemoved) && WritesConstant(op)) continue;
      if (HomeOf(op) == FoldStage::kEntry) Place(op, FoldStage::kEntry);
    }
    for (const TensorIndex output : flow_.main().outputs) {
      Want(output, FoldStage::kEntry, /*as_parameter=*/false);
    }
    Settle(FoldStage::kEntry);
  }

  bool WritesConstant(int32_t op) const {
    return flow_.main().operators[At(op)].op == Op::kVariableWrite &&
           flow_.OfTensor(flow_.UsesOf(op)[0]) != Constness::kVarying;
  }

  // Places everything that the cached values of a stage need.
  void Close(FoldStage stage) {
    for (const TensorIndex tensor : partition_.cached[At(stage)]) {
      Place(flow_.ProducerOf(tensor), stage);
    }
    Settle(stage);
  }

  void Place(int32_t op, FoldStage stage) {
    if (partition_.RunsIn(op, stage)) return;
    partition_.went[At(op)].Add(stage);
    waiting_.push_back(op);
  }

  void Settle(FoldStage stage) {
    while (!waiting_.empty()) {
      const int32_t op = waiting_.back();
      waiting_.pop_back();
      const std::vector<TensorIndex>& uses = flow_.UsesOf(op);
      for (size_t i = 0; i < uses.size(); ++i) Want(uses[i], stage, flow_.IsParameter(op, i));
    }
    for (const TensorIndex tensor : candidates_) {
      const int32_t producer = flow_.ProducerOf(tensor);
      // If the operator runs again for another of its results, nothing has to be cached.
      if (partition_.RunsIn(producer, stage)) continue;
      const bool is_first = flow_.main().operators[At(producer)].outputs[0] == tensor;
      if (Has(FoldFault::kFirstResultOnly) && !is_first) continue;
      if (!is_cached_[At(tensor)]) partition_.cached[At(HomeOf(producer))].push_back(tensor);
      is_cached_[At(tensor)] = true;
    }
    candidates_.clear();
  }

  // Demands a value that a stage reads: it is cached, or made in the stage.
  void Want(TensorIndex tensor, FoldStage stage, bool as_parameter) {
    const int32_t producer = flow_.ProducerOf(tensor);
    const bool is_shape = flow_.main().TypeOf(tensor).type == DType::kShape;
    const bool caches = Has(FoldFault::kOperandsCached) && as_parameter && !is_shape;
    if (producer < 0 || (IsLiteralValue(tensor) && !caches)) return;
    const bool is_sized = !Has(FoldFault::kCrossingUnsized) || stage == FoldStage::kEntry;
    if (HomeOf(producer) >= stage || (as_parameter && !caches) || is_shape ||
        (is_sized && !size_.AdmitsValue(tensor))) {
      Place(producer, stage);
    } else if (!wanted_[At(tensor)].Has(stage)) {
      wanted_[At(tensor)].Add(stage);
      candidates_.push_back(tensor);
    }
  }

  void PlaceLiterals() {
    for (int32_t op = 0; op < std::ssize(partition_.went); ++op) {
      if (IsBaked(op) || IsConstant(flow_.main().operators[At(op)].op)) continue;
      for (const TensorIndex use : flow_.UsesOf(op)) {
        if (IsLiteralValue(use) && !is_cached_[At(use)])
          AddAll(flow_.ProducerOf(use), partition_.went[At(op)]);
      }
    }
    StageSet entry;
    entry.Add(FoldStage::kEntry);
    for (const TensorIndex output : flow_.main().outputs) {
      if (IsLiteralValue(output)) AddAll(flow_.ProducerOf(output), entry);
    }
  }

  bool IsBaked(int32_t op) const {
    const Operator& one = flow_.main().operators[At(op)];
    return !one.outputs.empty() && partition_.baked.contains(one.outputs[0]);
  }

  void AddAll(int32_t op, StageSet stages) {
    StageSet& went = partition_.went[At(op)];
    went = StageSet::FromBits(static_cast<uint8_t>(went.bits() | stages.bits()));
  }

  // Orders the cached tensors by the first visit of a walk to the operands. The walk starts from
  // the outputs, then from operators with effects.
  void OrderCached() {
    std::vector<int32_t> rank(flow_.main().tensors.size(), -1);
    std::vector<bool> is_walked(partition_.went.size());
    int32_t next = 0;
    std::vector<TensorIndex> stack;
    const auto walk = [&](const std::vector<TensorIndex>& from) {
      stack.assign(from.rbegin(), from.rend());
      while (!stack.empty()) {
        const TensorIndex tensor = stack.back();
        stack.pop_back();
        if (rank[At(tensor)] >= 0) continue;
        rank[At(tensor)] = next++;
        const int32_t producer = flow_.ProducerOf(tensor);
        // If another result came first, the walk has visited all operands since.
        if (producer < 0 || is_walked[At(producer)]) continue;
        is_walked[At(producer)] = true;
        const std::vector<TensorIndex>& uses = flow_.UsesOf(producer);
        stack.insert(stack.end(), uses.rbegin(), uses.rend());
      }
    };
    walk(flow_.main().outputs);
    for (int32_t op = 0; op < std::ssize(partition_.went); ++op) {
      if (HomeOf(op) == FoldStage::kEntry) walk(flow_.UsesOf(op));
    }
    for (std::vector<TensorIndex>& cached : partition_.cached) {
      std::sort(cached.begin(), cached.end(),
                [&](TensorIndex a, TensorIndex b) { return rank[At(a)] < rank[At(b)]; });
    }
  }

  const Dataflow& flow_;
  LiteralValues& literals_;
  SizeRule& size_;
  const FoldForm form_;
  const FoldFault fault_;
  Partition partition_;
  std::vector<int32_t> waiting_;  // operators whose operands are still to be looked at
  std::vector<TensorIndex> candidates_;
  std::vector<StageSet> wanted_;  // by tensor: where it is a candidate already
  std::vector<bool> is_cached_;
};

}  // namespace

Partition PartitionByDemand(const Dataflow& flow, LiteralValues& literals, SizeRule& size,
                            FoldForm form, FoldFault fault) {
  return Partitioner(flow, literals, size, form, fault).Run();
}

}  // namespace assay
