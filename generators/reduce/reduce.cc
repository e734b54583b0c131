// SPDX-License-Identifier: Apache-2.0
#include "reduce.h"

#include <algorithm>
#include <span>
#include <unordered_set>
#include <utility>

#include "dimension_classes.h"
#include "executor.h"
#include "graph_edit.h"
#include "nasty_values.h"
#include "normal_form.h"
#include "same_ends.h"
#include "shrink_layout.h"
#include "shrink_moves.h"
#include "shrink_nested.h"
#include "shrink_ranks.h"
#include "shrink_values.h"
#include "value_ladder.h"
#include "vector_facts.h"
#include "vector_size.h"

namespace assay {
namespace {

// Drops the records of a vector about its graphs, because they are wrong for smaller graphs.
void ForgetRecords(TestVector& vector) {
  vector.constness.clear();
  vector.folds.clear();
  vector.fold_pairs.clear();
  vector.plans.clear();
}

// The number of passes. Those from kFirstTouch on take a run for each value, so they come when
// nothing can be cut.
constexpr size_t kFirstTouch = 17, kPassesEnd = 21;

class Reducer {
 public:
  // `tried` has the hashes of vectors that are not to be tried again.
  Reducer(const TestVector& vector, const SameEnds& same_ends,
          std::function<bool(const TestVector&)> same_finding, const ReduceOptions& options,
          std::span<const uint64_t> tried = {})
      : same_ends_(same_ends),
        same_finding_(std::move(same_finding)),
        options_(options),
        measure_(MeasureOf(vector)),
        log_(tried.begin(), tried.end()),
        tried_(tried.begin(), tried.end()) {
    result_.vector = vector;
    if (!vector.steps.empty()) ForgetRecords(result_.vector);
    IsNew(CanonicalHash(result_.vector));
  }

  // As long as any pass helps, the earlier ones may help again.
  Reduction Run() {
    std::optional<int64_t> before;
    while (before != result_.accepted && !Exhausted()) {
      while (before != result_.accepted && !Exhausted()) {
        before = result_.accepted;
        RunPasses(0, kFirstTouch);
      }
      RunPasses(kFirstTouch, kPassesEnd);
    }
    result_.complete = !Exhausted();
    StateFacts(result_.vector);
    return std::move(result_);
  }

  // Runs every pass once, in the order in which Run() would after a success in pass `first`.
  void RunOnceFrom(size_t first) {
    const bool cuts = first < kFirstTouch;
    RunPasses(first, cuts ? kFirstTouch : kPassesEnd);
    RunPasses(0, cuts ? first : kFirstTouch);
    RunPasses(kFirstTouch, cuts ? kPassesEnd : first);
  }

  // Return the present pass, and the hashes of all vectors that were tried, in order.
  size_t pass() const { return pass_; }
  const std::vector<uint64_t>& log() const { return log_; }

 private:
  // Runs passes [begin, end). The cheap, large cuts come first.
  void RunPasses(size_t begin, size_t end) {
    using Pass = void (Reducer::*)();
    static constexpr Pass kPasses[] = {
        &Reducer::DropSomeSteps,       &Reducer::DropSomeOperators,  &Reducer::DropSomeOutputs,
        &Reducer::RewireOperands,      &Reducer::BypassOperators,    &Reducer::InlineBlocks,
        &Reducer::DropNestedOperators, &Reducer::DropHandedOn,       &Reducer::NarrowTypes,
        &Reducer::MergeSomeInputs,     &Reducer::MergeSomeConstants, &Reducer::FreeConstants,
        &Reducer::ShrinkDimensions,    &Reducer::ShrinkWindows,      &Reducer::DropRanks,
        &Reducer::SimplifyAttributes,  &Reducer::SimplifyData,       &Reducer::Normalize,
        &Reducer::ChooseLayouts,       &Reducer::SimplifyElements,   &Reducer::TryAllSmallData};
    static_assert(std::size(kPasses) == kPassesEnd);
    for (pass_ = begin; pass_ < end; ++pass_) (this->*kPasses[pass_])();
  }

  // Notes the hash of a vector; returns false if it was noted before.
  bool IsNew(uint64_t hash) {
    if (!tried_.insert(hash).second) return false;
    log_.push_back(hash);
    return true;
  }

  const TestVector& now() const { return result_.vector; }
  const Block& Main(int32_t graph) const {
    return *now().graphs[static_cast<size_t>(graph)].Main();
  }
  int32_t graphs() const { return static_cast<int32_t>(now().graphs.size()); }
  bool Exhausted() const {
    return (options_.calls_max > 0 && result_.calls >= options_.calls_max) ||
           (options_.stop && options_.stop());
  }

  const Values& values() {
    if (values_.empty()) values_ = EvaluateAll(now());
    return values_;
  }

  // Makes a candidate the present vector if it is smaller, new, as valid as the original, and has
  // the same finding. Returns true if so.
  bool Try(Candidate candidate) {
    if (!candidate || Exhausted()) return false;
    ++result_.candidates;
    const Measure measure = MeasureOf(*candidate);
    if (measure >= measure_ || !IsNew(CanonicalHash(*candidate))) return false;
    if (!same_ends_.Expect(*candidate)) return false;
    ++result_.calls;
    if (!same_finding_(*candidate)) return false;
    ++result_.accepted;
    result_.vector = std::move(*candidate);
    measure_ = measure;
    values_.clear();
    return true;
  }

  // Makes the normal form of the present vector the present one, if it has the same finding. It may
  // have its inputs in another order, and so another last number of the measure. No other move
  // brings the old order back.
  void Normalize() {
    NormalizeTo(NormalForm(now(), true));
    NormalizeTo(NormalForm(now()));
  }

  void NormalizeTo(TestVector normal) {
    if (Exhausted() || normal.graphs == now().graphs) return;
    // The form of a vector is tried even if a vector of the same hash was.
    if (!IsNew(~CanonicalHash(normal))) return;
    ++result_.candidates;
    if (!same_ends_.Expect(normal)) return;
    ++result_.calls;
    if (!same_finding_(normal)) return;
    // The other moves may go further from here.
    if (CanonicalHash(normal) != CanonicalHash(now())) ++result_.accepted;
    IsNew(CanonicalHash(normal));
    result_.vector = std::move(normal);
    measure_ = MeasureOf(now());
    values_.clear();
  }

  // Drops chunks of n things from the back to the front, and halves the chunks. `drop(first,
  // count)` tries to drop a chunk; `size()` returns the number of things.
  template <class Size, class Drop>
  static void DropChunks(Size size, Drop drop) {
    for (size_t length = std::max<size_t>(size() / 2, 1); length > 0; length /= 2) {
      size_t end = size();
      while (end > 0) {
        const size_t first = end > length ? end - length : 0;
        drop(first, end - first);
        end = std::min(first, size());
      }
    }
  }

  void DropSomeSteps() {
    Try(DropSteps(now(), 0, 0));
    DropChunks([&] { return now().steps.size(); },
               [&](size_t first, size_t count) { Try(DropSteps(now(), first, count)); });
  }

  // Returns the positions of the operators of a main block that are no constants.
  std::vector<int32_t> Working(int32_t graph) const {
    std::vector<int32_t> working;
    const auto& operators = Main(graph).operators;
    for (size_t i = 0; i < operators.size(); ++i) {
      if (!IsConstant(operators[i].op)) working.push_back(static_cast<int32_t>(i));
    }
    return working;
  }

  void DropSomeOperators() {
    for (int32_t g = 0; g < graphs(); ++g) {
      DropChunks([&] { return Working(g).size(); },
                 [&](size_t first, size_t count) {
                   const std::vector<int32_t> working = Working(g);
                   if (count >= working.size()) return;
                   Try(DropOperators(now(), g, std::span(working).subspan(first, count), values()));
                 });
    }
  }

  void DropSomeOutputs() {
    for (int32_t g = 0; g < graphs(); ++g) {
      if (Main(g).outputs.size() < 2) continue;
      DropChunks([&] { return Main(g).outputs.size(); },
                 [&](size_t first, size_t count) { Try(DropOutputs(now(), g, first, count)); });
    }
  }

  void RewireOperands() {
    for (int32_t g = 0; g < graphs(); ++g) {
      for (int32_t op = static_cast<int32_t>(Main(g).operators.size()); op-- > 0;) {
        if (op >= std::ssize(Main(g).operators)) continue;
        for (size_t k = 0; k < Main(g).operators[static_cast<size_t>(op)].inputs.size(); ++k) {
          const TensorIndex operand = Main(g).operators[static_cast<size_t>(op)].inputs[k];
          for (const TensorIndex ancestor : AncestorsOf(Main(g), operand)) {
            if (!Try(Rewire(now(), g, op, k, ancestor))) continue;
            op = static_cast<int32_t>(Main(g).operators.size());
            break;
          }
          if (op >= std::ssize(Main(g).operators)) break;
        }
      }
    }
  }

  void BypassOperators() {
    for (int32_t g = 0; g < graphs(); ++g) {
      for (size_t i = Working(g).size(); i-- > 0;) {
        const std::vector<int32_t> working = Working(g);
        if (i >= working.size()) continue;
        const int32_t op = working[i];
        const size_t operands = Main(g).operators[static_cast<size_t>(op)].inputs.size();
        for (size_t k = 0; k < operands; ++k) {
          if (Try(Bypass(now(), g, op, k))) break;
        }
      }
    }
  }

  bool HasBlock(int32_t graph, size_t block) {
    return block < AllBlocks(result_.vector.graphs[static_cast<size_t>(graph)]).size();
  }
  // Returns an operator of any block (by its number in AllBlocks()); null if it no longer exists.
  const Operator* OperatorAt(int32_t graph, size_t block, size_t op) {
    const auto blocks = AllBlocks(result_.vector.graphs[static_cast<size_t>(graph)]);
    if (block >= blocks.size() || op >= blocks[block]->operators.size()) return nullptr;
    return &blocks[block]->operators[op];
  }

  // Calls `shrink(graph, block, op)` for the operators of all blocks from the first one on, the
  // last operator of a block first.
  template <class Shrink>
  void ForEachOperator(size_t first, Shrink shrink) {
    for (int32_t g = 0; g < graphs(); ++g) {
      for (size_t block = first; HasBlock(g, block); ++block) {
        size_t op = 0;
        while (OperatorAt(g, block, op) != nullptr) ++op;
        while (op-- > 0) {
          if (OperatorAt(g, block, op) != nullptr) shrink(g, block, op);
        }
      }
    }
  }

  void InlineBlocks() {
    ForEachOperator(0, [&](int32_t g, size_t block, size_t op) {
      if (!Try(InlineBlock(now(), g, block, op, true))) {
        Try(InlineBlock(now(), g, block, op, false));
      }
    });
  }

  void DropNestedOperators() {
    ForEachOperator(1, [&](int32_t g, size_t block, size_t op) {
      const size_t ways = OperatorAt(g, block, op)->inputs.size() + 2;
      for (size_t i = 0; i < ways; ++i) {
        if (Try(DropNested(now(), g, block, op, i))) return;
      }
    });
  }

  // Drops operands that control flow hands to its blocks, and results that it gets back from them.
  void DropHandedOn() {
    ForEachOperator(0, [&](int32_t g, size_t block, size_t op) {
      const auto call = [&] { return OperatorAt(g, block, op); };
      for (size_t i = call()->outputs.size(); i-- > 0;) {
        if (call() == nullptr || i >= call()->outputs.size()) continue;
        Try(DropUnread(now(), g, block, op, i));
      }
      for (size_t i = call() == nullptr ? 0 : call()->inputs.size(); i-- > 0;) {
        if (call() == nullptr || i >= call()->inputs.size()) continue;
        Try(DropHandedIn(now(), g, block, op, i));
      }
    });
  }

  void NarrowTypes() {
    for (int32_t g = 0; g < graphs(); ++g) {
      for (int32_t op = 0; op < std::ssize(Main(g).operators); ++op) {
        for (const DType from : {DType::kInt16, DType::kInt4}) Try(ToInt8(now(), g, op, from));
        for (const DType type : {DType::kInt8, DType::kInt16, DType::kInt32, DType::kFp16}) {
          if (Try(NarrowResult(now(), g, op, type))) break;
        }
      }
    }
  }

  void MergeSomeInputs() {
    for (int32_t g = 0; g < graphs(); ++g) {
      for (size_t i = Main(g).inputs.size(); i-- > 1;) {
        for (size_t k = 0; k < i && i < Main(g).inputs.size(); ++k) {
          const TensorIndex from = Main(g).inputs[i];
          const TensorIndex to = Main(g).inputs[k];
          if (Main(g).TypeOf(from) != Main(g).TypeOf(to)) continue;
          // The value of either may do.
          if (Try(MergeInputs(now(), g, from, to))) break;
          if (Try(MergeInputs(now(), g, to, from))) break;
        }
      }
    }
  }

  void MergeSomeConstants() {
    for (int32_t g = 0; g < graphs(); ++g) {
      for (size_t i = 0; i < Main(g).operators.size(); ++i) {
        for (size_t k = i + 1; k < Main(g).operators.size(); ++k) {
          // The value of either may do.
          if (!Try(MergeConstants(now(), g, i, k))) Try(MergeConstants(now(), g, k, i));
        }
      }
    }
  }

  // Chooses among shapes and orders of inputs that are about as small.
  void ChooseLayouts() {
    constexpr int64_t kValuesMax = 10;  // that are tried for each candidate
    for (int32_t g = 0; g < graphs(); ++g) {
      for (size_t i = 0; i < Main(g).inputs.size(); ++i) {
        for (size_t k = i + 1; k < Main(g).inputs.size(); ++k) {
          const Candidate exchanged = ExchangeInputs(now(), g, i, k);
          if (!exchanged || Try(exchanged)) continue;
          if (Main(g).TypeOf(Main(g).inputs[i]) == Main(g).TypeOf(Main(g).inputs[k])) continue;
          TryValuesOf(*exchanged, WeightOfData(now()), kValuesMax);
        }
      }
      // A graph without inputs may fail for another reason, so one input stays.
      for (size_t i = Main(g).inputs.size(); i-- > 0 && Main(g).inputs.size() > 1;) {
        for (size_t k = 0; k < Main(g).operators.size() && i < Main(g).inputs.size(); ++k) {
          const Candidate merged = MergeWithConstant(now(), g, i, k);
          if (merged && !Try(merged)) TryValuesOf(*merged, WeightOfData(now()), kValuesMax);
        }
      }
      for (size_t i = 0; i < Main(g).operators.size(); ++i) Try(SortShape(now(), g, i));
      std::vector<std::pair<Measure, TestVector>> layouts;
      for (TestVector& layout : OtherLayouts(now(), g)) {
        const Measure measure = MeasureOf(layout);
        if (measure < measure_) layouts.emplace_back(measure, std::move(layout));
      }
      std::ranges::stable_sort(layouts, {}, [](const auto& pair) { return pair.first; });
      for (auto& [measure, layout] : layouts) {
        if (Try(std::move(layout))) break;
      }
    }
  }

  void FreeConstants() {
    for (int32_t g = 0; g < graphs(); ++g) {
      for (int32_t op = static_cast<int32_t>(Main(g).operators.size()); op-- > 0;) {
        if (op < std::ssize(Main(g).operators)) Try(ConstantToInput(now(), g, op));
      }
    }
  }

  void ShrinkDimensions() {
    for (int32_t g = 0; g < graphs(); ++g) {
      // Classes are numbered anew after every success; the position in the list stays.
      for (size_t i = 0;; ++i) {
        const auto classes = DimensionClasses(Main(g)).Shrinkable();
        if (i >= classes.size()) break;
        const auto [id, size] = classes[i];
        std::vector<int32_t> sizes = {1, 2, size / 2, size - 1};
        std::erase_if(sizes, [s = size](int32_t n) { return n >= s || n < 1; });
        sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
        for (const int32_t smaller : sizes) {
          if (!TryResize(g, id, smaller)) continue;
          // The class may shrink further. Its position in the list belongs to another class now.
          i = smaller == 1 ? i - 1 : i;
          break;
        }
      }
    }
  }

  // Makes a class of axes shorter, and windows plain if they do not fit then.
  bool TryResize(int32_t graph, int32_t id, int32_t size) {
    for (const Kept kept : {Kept::kFirst, Kept::kLast}) {
      const Candidate resized = ResizeClass(now(), graph, id, size, kept);
      if (!resized) continue;
      if (Try(resized) || Try(PlainWindows(*resized, graph, PoolKernels::kOne))) return true;
    }
    return false;
  }

  // Makes two classes of axes short at once, with plain windows: a window of two axes fits a small
  // image only then.
  void ShrinkWindows() {
    constexpr size_t kClassesMax = 8;
    for (int32_t g = 0; g < graphs(); ++g) {
      if (!HasWindows(Main(g))) continue;
      const Candidate small = SmallKernels(now(), g);
      if (small) Try(PlainWindows(*small, g, PoolKernels::kKept));
      for (bool again = true; again;) {
        const auto classes = DimensionClasses(Main(g)).Shrinkable();
        again = false;
        for (size_t i = 0; i < std::min(classes.size(), kClassesMax) && !again; ++i) {
          for (size_t k = 0; k < std::min(classes.size(), kClassesMax) && !again; ++k) {
            if (i != k) again = ShrinkPair(g, classes[i], classes[k]);
          }
        }
      }
    }
  }

  bool ShrinkPair(int32_t graph, const DimensionClasses::Class& a,
                  const DimensionClasses::Class& b) {
    for (const auto& [first, second] : {std::pair(1, 1), std::pair(1, 2), std::pair(2, 2)}) {
      if (first >= a.size || second > b.size) continue;
      const Candidate one = ResizeClass(now(), graph, a.id, first, Kept::kLast);
      if (!one) continue;
      const Candidate both =
          second == b.size ? one : ResizeClass(*one, graph, b.id, second, Kept::kLast);
      if (!both) continue;
      if (Try(PlainWindows(*both, graph, PoolKernels::kKept))) return true;
      if (first == 2 && Try(PlainWindows(*both, graph, PoolKernels::kOneAndTwo))) return true;
    }
    return false;
  }

  void SimplifyAttributes() {
    for (int32_t g = 0; g < graphs(); ++g) {
      if (!Try(PlainWindows(now(), g, PoolKernels::kOne)))
        Try(PlainWindows(now(), g, PoolKernels::kKept));
    }
    for (int32_t g = 0; g < graphs(); ++g) {
      for (int32_t op = 0; op < std::ssize(Main(g).operators); ++op) {
        bool again = true;
        while (again && op < std::ssize(Main(g).operators)) {
          again = false;
          for (TestVector& simpler : SimplerAttributes(now(), g, op)) {
            if (!Try(std::move(simpler))) continue;
            again = true;
            break;
          }
        }
      }
    }
  }

  void SimplifyData() {
    constexpr int kTries = 12;  // of chunks of one tensor
    // Fills all tensors at once, which succeeds if values do not matter.
    for (const double value : {0.0, 1.0}) {
      Candidate all = now();
      for (size_t i = 0; i < DataOf(*all).size(); ++i) {
        all = SetData(*all, i, Filled(DataOf(*all)[i]->tensor_type(), value));
      }
      if (Try(std::move(all))) break;
    }
    for (size_t i = 0; i < DataOf(now()).size(); ++i) {
      if (Try(SetData(now(), i, Filled(DataOf(now())[i]->tensor_type(), 0)))) continue;
      if (Try(SetData(now(), i, Filled(DataOf(now())[i]->tensor_type(), 1)))) continue;
      int tries = 0;
      const auto size = static_cast<size_t>(DataOf(now())[i]->elements());
      DropChunks([&] { return size; },
                 [&](size_t first, size_t count) {
                   if (tries++ >= kTries) return;
                   Try(SetData(now(), i, PartlyZero(*DataOf(now())[i], first, count)));
                 });
    }
  }

  // Drops axes of length 1 from all tensors that have them.
  void DropRanks() {
    for (int32_t g = 0; g < graphs(); ++g) {
      for (size_t i = 0;; ++i) {
        const std::vector<int32_t> classes = ClassesOfOne(Main(g));
        if (i >= classes.size()) break;
        if (Try(DropAxes(now(), g, classes[i]))) i = static_cast<size_t>(-1);
      }
    }
  }

  // Replaces elements of small tensors one by one, and moves those that are not zero to the end.
  void SimplifyElements() {
    constexpr int64_t kElementsMax = 16;  // of a tensor
    for (size_t t = 0; t < DataOf(now()).size(); ++t) {
      const int64_t elements = DataOf(now())[t]->elements();
      if (elements > kElementsMax) continue;
      for (int64_t i = 0; i < elements; ++i) SimplifyElement(t, i);
      for (int64_t i = 0; i + 1 < elements; ++i) {
        const Tensor& data = *DataOf(now())[t];
        if (WeightOf(data, i) <= WeightOf(data, i + 1)) continue;
        const Tensor moved = WithElement(data, i, data, i + 1);
        Try(SetData(now(), t, WithElement(moved, i + 1, data, i)));
      }
    }
  }

  void SimplifyElement(size_t tensor, int64_t index) {
    for (bool again = true; again;) {
      again = false;
      const Tensor data = *DataOf(now())[tensor];
      const Tensor simpler = SimplerElements(data, index);
      for (int64_t k = 0; k < simpler.elements() && !again; ++k) {
        again = Try(SetData(now(), tensor, WithElement(data, index, simpler, k)));
      }
    }
  }

  // Tries all values of few elements whose weights have a smaller sum, the smallest sum first. So
  // the result does not depend on the values that the search began with.
  void TryAllSmallData() {
    constexpr int64_t kTriesMax = 300;
    TryValuesOf(TestVector(now()), WeightOfData(now()), kTriesMax);
  }

  // Tries values for a vector of few elements, with weights up to that sum.
  void TryValuesOf(const TestVector& vector, int64_t sum, int64_t tries_max) {
    constexpr int64_t kElementsMax = 6;
    int64_t elements = 0;
    for (const Tensor* data : DataOf(vector)) elements += data->elements();
    if (elements > kElementsMax) return;
    int64_t tries = 0;
    for (int64_t total = 0; total <= sum && elements > 0; ++total) {
      std::vector<int64_t> weights(static_cast<size_t>(elements), 0);
      weights.back() = total;
      do {
        if (++tries > tries_max || Try(WithWeights(vector, weights))) return;
      } while (NextOfSameSum(weights));
    }
  }

  const SameEnds& same_ends_;
  const std::function<bool(const TestVector&)> same_finding_;
  const ReduceOptions& options_;
  Reduction result_;
  Measure measure_;
  size_t pass_ = 0;
  Values values_;
  std::vector<uint64_t> log_;
  std::unordered_set<uint64_t> tried_;  // the content of the log
};

// Tells whether each step has as many inputs as its graph, which the moves rely on. An invalid
// vector may lack one.
bool HasItsInputs(const TestVector& vector) {
  return std::ranges::all_of(vector.steps, [&](const Step& step) {
    const Block& main = *vector.graphs[static_cast<size_t>(step.graph)].Main();
    return step.inputs.size() == main.inputs.size();
  });
}

}  // namespace

void StateFacts(TestVector& vector) {
  vector.requirements = NamesOf(RequirementsOf(vector, {}));
  vector.tags = TagsOf(vector);
}

Reduction Reduce(const TestVector& vector,
                 const std::function<bool(const TestVector&)>& same_finding,
                 const ReduceOptions& options) {
  if (!HasItsInputs(vector)) return {vector};
  const SameEnds same_ends(vector);
  return Reducer(vector, same_ends, same_finding, options).Run();
}

SmallerVectors::SmallerVectors(TestVector vector)
    : vector_(std::move(vector)), same_ends_(std::make_shared<const SameEnds>(vector_)) {}

std::optional<SmallerVectors> SmallerVectors::At(size_t number) {
  while (number >= found_.size() && !complete_) FindMore();
  if (number >= found_.size()) return std::nullopt;
  const Found& found = found_[number];
  return SmallerVectors(found.vector, same_ends_, found.pass,
                        {tried_.begin(), tried_.begin() + found.tried});
}

// Runs the passes again up to twice as many vectors. Those that were tried before cost little.
void SmallerVectors::FindMore() {
  complete_ = !HasItsInputs(vector_);
  if (complete_) return;
  constexpr int64_t kFirst = 8;
  const ReduceOptions options{.calls_max = std::max(kFirst, std::ssize(found_))};
  int64_t calls = 0;
  const Reducer* running = nullptr;
  const auto collect = [&](const TestVector& candidate) {
    ++calls;
    found_.push_back({candidate, running->pass(), std::ssize(running->log())});
    TestVector& vector = found_.back().vector;
    StateFacts(vector);
    return false;
  };
  Reducer reducer(vector_, *same_ends_, collect, options, tried_);
  running = &reducer;
  reducer.RunOnceFrom(pass_);
  tried_ = reducer.log();
  complete_ = calls < options.calls_max;
}

}  // namespace assay
