// SPDX-License-Identifier: Apache-2.0
#include "folding_fault.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "folding_mistakes.h"

namespace assay {
namespace {

Operator Zeros(const TensorType& type, TensorIndex output) {
  return {
      Op::kConst, {{AttributeId::kValues, Tensor::Splat(type.type, type.shape, 0)}}, {}, {output}};
}

bool IsZero(const Block& block, TensorIndex tensor) {
  const Operator* producer = block.ProducerOf(tensor);
  if (producer == nullptr || producer->op != Op::kConst) return false;
  const std::span<const uint8_t> bytes = producer->attributes.Value(AttributeId::kValues).bytes();
  return std::ranges::all_of(bytes, [](uint8_t byte) { return byte == 0; });
}

// Moves the part of a block that is computed from CONSTs to the block that runs it. That block
// passes the results as arguments.
void Hoist(Block& runner, size_t position, Block& callee, Block& other) {
  std::set<TensorIndex> constant;
  std::vector<Operator> kept;
  size_t moved = 0;
  for (const Operator& op : callee.operators) {
    const bool is_moved =
        !IsControlFlow(op.op) && !IsVariableOperator(op.op) && op.op != Op::kCustom &&
        op.outputs.size() == 1 &&
        std::ranges::all_of(op.inputs, [&](TensorIndex input) { return constant.contains(input); });
    if (!is_moved) {
      kept.push_back(op);
      continue;
    }
    constant.insert(op.outputs[0]);
    if (IsConstant(op.op)) kept.push_back(op);
  }
  std::vector<TensorIndex> copies(callee.tensors.size(), -1);
  std::vector<Operator> hoisted;
  for (const Operator& op : callee.operators) {
    if (op.outputs.size() != 1 || !constant.contains(op.outputs[0])) continue;
    const TensorInfo info = callee.tensors[static_cast<size_t>(op.outputs[0])];
    const TensorIndex copy = AddTensor(runner, info.name + "/hoisted", info.type);
    copies[static_cast<size_t>(op.outputs[0])] = copy;
    Operator there = op;
    for (TensorIndex& input : there.inputs) input = copies[static_cast<size_t>(input)];
    there.outputs = {copy};
    hoisted.push_back(std::move(there));
    if (IsConstant(op.op)) continue;
    ++moved;
    callee.inputs.push_back(op.outputs[0]);
    other.inputs.push_back(AddTensor(other, info.name + "/unused", info.type));
    runner.operators[position].inputs.push_back(copy);
  }
  if (moved == 0) return;
  callee.operators = std::move(kept);
  runner.operators.insert(runner.operators.begin() + static_cast<ptrdiff_t>(position),
                          hoisted.begin(), hoisted.end());
}

// Replaces the results of the operators for which `is_dropped` is true by zeros.
template <typename IsDropped>
void Drop(Block& block, const IsDropped& is_dropped) {
  for (Operator& op : block.operators) {
    if (is_dropped(op)) op = Zeros(block.TypeOf(op.outputs[0]), op.outputs[0]);
  }
}

Graph& StageOf(Folding& folding, FoldStage stage) {
  return folding.graphs[static_cast<size_t>(folding.record.at(stage).graph)];
}

// The functions of FoldChange. kRows says which fault each of them makes.

void ShiftArguments(UnfoldedGraph& input) {
  if (input.arguments.empty()) return;
  std::rotate(input.arguments.begin(), input.arguments.begin() + 1, input.arguments.end());
}

void TakeRuntimeForCompileTime(UnfoldedGraph& input) {
  std::ranges::replace(input.arguments, Constness::kRuntime, Constness::kCompileTime);
}

void DropSizePolicy(UnfoldedGraph& input) {
  input.policy = {SizePolicyKind::kAbsolute, std::numeric_limits<int64_t>::max()};
}

void TakeCustomForPure(UnfoldedGraph& input) {
  for (const auto& [block, op] : input.graph.Operators()) {
    if (!op.attributes.Has(AttributeId::kDomainName)) continue;
    input.pure_domains.insert(op.attributes.Text(AttributeId::kDomainName));
  }
}

void DropTimesZero(UnfoldedGraph& input) {
  Block& main = *input.graph.Main();
  Drop(main, [&](const Operator& op) {
    return op.op == Op::kMul && (IsZero(main, op.inputs[0]) || IsZero(main, op.inputs[1]));
  });
}

void DropMinusItself(UnfoldedGraph& input) {
  Drop(*input.graph.Main(),
       [](const Operator& op) { return op.op == Op::kSub && op.inputs[0] == op.inputs[1]; });
}

void ReadInitialValues(UnfoldedGraph& input) {
  std::map<std::string, Tensor> initial;
  for (Operator& op : input.graph.Main()->operators) {
    if (op.op == Op::kVariable && op.attributes.Has(AttributeId::kInitialValue)) {
      initial[op.attributes.Text(AttributeId::kName)] =
          op.attributes.Value(AttributeId::kInitialValue);
    }
    if (op.op != Op::kVariableRead) continue;
    const auto known = initial.find(op.attributes.Text(AttributeId::kName));
    if (known == initial.end()) continue;
    op = {Op::kConst, {{AttributeId::kValues, known->second}}, {}, op.outputs};
  }
}

void HoistAll(UnfoldedGraph& input) {
  Graph& graph = input.graph;
  Block& main = *graph.Main();
  for (size_t i = 0; i < main.operators.size(); ++i) {
    if (main.operators[i].op != Op::kCondIf) continue;
    const auto block = [&](AttributeId id) {
      return const_cast<Block*>(graph.FindBlock(main.operators[i].attributes.Text(id)));
    };
    Block* const yes = block(AttributeId::kThenGraph);
    Block* const no = block(AttributeId::kElseGraph);
    if (yes == no) continue;
    const size_t before = main.operators.size();
    Hoist(main, i, *yes, *no);
    i += main.operators.size() - before;
    const size_t between = main.operators.size();
    Hoist(main, i, *no, *yes);
    i += main.operators.size() - between;
  }
}

void DropConstants(Folding& folding) {
  std::vector<FoldSource>& sources = folding.record.at(FoldStage::kEntry).inputs;
  std::vector<TensorIndex>& inputs = StageOf(folding, FoldStage::kEntry).Main()->inputs;
  for (size_t i = sources.size(); i-- > 0;) {
    if (sources[i].kind != FoldSource::Kind::kArgument ||
        folding.arguments[static_cast<size_t>(sources[i].index)] == Constness::kVarying) {
      continue;
    }
    sources.erase(sources.begin() + static_cast<ptrdiff_t>(i));
    inputs.erase(inputs.begin() + static_cast<ptrdiff_t>(i));
  }
}

void ExchangeResults(Folding& folding) {
  for (FoldStageRecord& stage : folding.record.stages) {
    if (stage.outputs.empty()) continue;
    std::rotate(stage.outputs.begin(), stage.outputs.begin() + 1, stage.outputs.end());
  }
}

void ShareByType(Folding& folding) {
  const std::vector<CachedTensor>& cached = folding.record.cached;
  for (FoldStageRecord& stage : folding.record.stages) {
    for (FoldSource& source : stage.inputs) {
      if (source.kind != FoldSource::Kind::kCached) continue;
      const TensorType& type = cached[static_cast<size_t>(source.index)].type;
      const auto first = std::ranges::find(cached, type, &CachedTensor::type);
      source.index = static_cast<int32_t>(first - cached.begin());
    }
  }
}

void ForgetCachedOutputs(Folding& folding) {
  const FoldStageRecord& record = folding.record.at(FoldStage::kEntry);
  const auto arguments =
      std::ranges::count(record.inputs, FoldSource::Kind::kArgument, &FoldSource::kind);
  Block& main = *StageOf(folding, FoldStage::kEntry).Main();
  for (TensorIndex& output : main.outputs) {
    const auto input = std::ranges::find(main.inputs, output);
    if (input - main.inputs.begin() < arguments) continue;
    if (input == main.inputs.end()) continue;
    const TensorInfo info = main.tensors[static_cast<size_t>(output)];
    output = AddTensor(main, info.name + "/unbound", info.type);
    main.operators.push_back(Zeros(info.type, output));
  }
}

void LoseAttributes(Folding& folding) {
  for (const FoldStage stage : {FoldStage::kCompileTime, FoldStage::kRuntime}) {
    for (Operator& op : StageOf(folding, stage).Main()->operators) {
      op.attributes = Carried(op.attributes, true);
    }
  }
}

void ChangeResultTypes(Folding& folding) {
  for (CachedTensor& cached : folding.record.cached) {
    cached.type = {cached.type.type, {static_cast<int32_t>(cached.type.shape.Elements())}};
  }
}

void VaryOrder(Folding& folding) {
  // Two in four are backwards: a graph that is folded in two forms in turns is noticed as well.
  static std::atomic<unsigned> count = 0;
  if (count++ % 4 < 2) return;
  std::vector<CachedTensor>& cached = folding.record.cached;
  const auto runtime = std::ranges::find(cached, FoldStage::kRuntime, &CachedTensor::stage);
  const auto early = static_cast<int32_t>(runtime - cached.begin());
  const auto all = static_cast<int32_t>(cached.size());
  const auto moved = [&](int32_t index) {
    return index < early ? early - 1 - index : early + all - 1 - index;
  };
  std::reverse(cached.begin(), runtime);
  std::reverse(runtime, cached.end());
  for (FoldStageRecord& stage : folding.record.stages) {
    for (FoldSource& source : stage.inputs) {
      if (source.kind == FoldSource::Kind::kCached) source.index = moved(source.index);
    }
    for (int32_t& output : stage.outputs) output = moved(output);
  }
}

void CountElements(Folding& folding) {
  for (CachedTensor& cached : folding.record.cached) cached.bytes = cached.type.shape.Elements();
}

void CountNoSubBytes(Folding& folding) {
  for (CachedTensor& cached : folding.record.cached) {
    if (cached.type.type == DType::kBool || cached.type.type == DType::kInt4) cached.bytes = 0;
  }
}

using enum FoldFault;

constexpr FoldFaultRow kRows[] = {
    {kAnyOperand, "any-operand", "a value is constant if any of its operands is constant"},
    {kFirstOperandOnly, "first-operand-only", "a value is as constant as its first operand"},
    {kArgumentShifted,
     "argument-shifted",
     "each argument takes the constness of the next one",
     {.input = ShiftArguments}},
    {kRuntimeAsCompileTime,
     "runtime-as-compile-time",
     "run-time constants are treated as compile-time constants",
     {.input = TakeRuntimeForCompileTime}},
    {kConditionIgnored, "condition-ignored",
     "a result of COND_IF is constant even if the condition is not"},
    {kLoopByOneOperand, "loop-by-one-operand",
     "a result of WHILE_LOOP is as constant as its last operand"},
    {kBlocksNotSearched, "blocks-not-searched",
     "side effects in the blocks of control flow are not seen"},
    {kHoistedFromBlocks,
     "hoisted-from-blocks",
     "constants of a block are folded even if the block is not taken",
     {.input = HoistAll}},
    {kVariablesConstant,
     "variables-constant",
     "the result of VARIABLE_READ is constant",
     {.input = ReadInitialValues}},
    {kWritesFolded, "writes-folded", "VARIABLE_WRITE of a constant is folded and runs only once"},
    {kCustomFolded,
     "custom-folded",
     "a CUSTOM operator on constants is folded",
     {.input = TakeCustomForPure}},
    {kNoOperandsConstant, "no-operands-constant", "an operator without operands is constant"},
    {kNothingFolded, "nothing-folded", "the entry computes everything"},
    {kFoldedStaysInEntry, "folded-stays-in-entry", "folded values are also computed in the entry"},
    {kTooLargeNotFolded, "too-large-not-folded",
     "a value too large for the cache is missing where other folded values need it"},
    {kMixedAtCompileTime, "mixed-at-compile-time",
     "values computed from constants of both kinds are folded at compile time"},
    {kConstantsDropped,
     "constants-dropped",
     "the entry lacks constant arguments that it reads",
     {.folding = DropConstants}},
    {kFirstResultOnly, "first-result-only", "only the first of an operator's results is cached"},
    {kResultsExchanged,
     "results-exchanged",
     "folded tensors are stored in each other's buffers",
     {.folding = ExchangeResults}},
    {kSharedByType,
     "shared-by-type",
     "tensors of the same type share a buffer",
     {.folding = ShareByType}},
    {kReturnedNotBound,
     "returned-not-bound",
     "a graph output that is a folded tensor is all zeros",
     {.folding = ForgetCachedOutputs}},
    {kAttributesLost,
     "attributes-lost",
     "operators lose their attributes in a folding stage",
     {.folding = LoseAttributes}},
    {kResultTypeChanged,
     "result-type-changed",
     "a stage and the entry disagree about a type",
     {.folding = ChangeResultTypes}},
    {kOperandsCached, "operands-cached", "a compile-time-constant operand comes from the cache"},
    {kWritesRemoved, "writes-removed", "VARIABLE_WRITE of a folded value is removed as dead code"},
    {kOrderVaries,
     "order-varies",
     "the order of cached tensors changes each time a graph is folded",
     {.folding = VaryOrder}},
    {kNoSizePolicy,
     "no-size-policy",
     "no tensor is too large to be cached",
     {.input = DropSizePolicy}},
    {kLimitExcluded, "limit-excluded", "a tensor exactly as large as the limit is not cached"},
    {kCrossingUnsized, "crossing-unsized", "tensors passed between stages have no size limit"},
    {kSizeInElements,
     "size-in-elements",
     "sizes count elements, not bytes",
     {.folding = CountElements}},
    {kSubByteIsNothing,
     "sub-byte-is-nothing",
     "elements smaller than a byte have size 0",
     {.folding = CountNoSubBytes}},
    {kConcatFirstOnly, "concat-first-only",
     "the moved operator is applied only to the first operand of CONCAT"},
    {kMovedWithoutAttributes, "moved-without-attributes",
     "the moved operator loses its attributes"},
    {kOtherReadersForgotten, "other-readers-forgotten",
     "other readers of an expanded tensor get the tensor before expansion"},
    {kExpandedFirst, "expanded-first",
     "the moved operator reads the expanded tensor as its first operand"},
    {kPadValueKept, "pad-value-kept", "the moved operator is not applied to the padding value"},
    {kPartnerCutOff, "partner-cut-off",
     "if a partner operand does not repeat, its first period is used for all"},
    {kPadPastReduction, "pad-past-reduction", "PAD moves past a reduction along another axis"},
    {kBilinearMoved, "bilinear-moved", "a bilinear RESIZE moves as if it only copied elements"},
    {kPadPastReverse, "pad-past-reverse", "PAD moves past REVERSE without exchanging its sides"},
    {kGatherPastPartial, "gather-past-partial",
     "GATHER moves past an operator that is undefined for elements that GATHER drops"},
    {kTimesZeroIsZero,
     "times-zero-is-zero",
     "x * 0 is 0, even if x is NaN, infinite or negative",
     {.input = DropTimesZero}},
    {kMinusItselfIsZero,
     "minus-itself-is-zero",
     "x - x is 0, even if x is NaN or infinite",
     {.input = DropMinusItself}},
    {kSplatsByValue, "splats-by-value",
     "a tensor of equal elements is stored as one element, and -0 counts as equal to 0"},
    {kFoldsBoolSigned, "folds-bool-signed", "CAST of true gives -1 at compile time"},
    {kFoldsWrapping, "folds-wrapping", "CAST wraps around at compile time"},
    {kFoldsInFp64, "folds-in-fp64", "sums and products are not rounded at compile time"},
    {kFoldsFlushing, "folds-flushing", "subnormal results become 0 at compile time"},
    {kFoldsMulTruncating, "folds-mul-truncating",
     "the shift of MUL does not round at compile time"},
    {kRuntimeFoldsFlushing, "runtime-folds-flushing",
     "subnormal results become 0 in the run-time stage only"},
    {kIndicesRestart, "indices-restart", "global indices start at 0 in each module"},
    {kContextNotInKey, "context-not-in-key", "contexts with the same weights share buffers"},
    {kWeightsNotInKey, "weights-not-in-key", "the cache returns tensors folded from other weights"},
    {kWeightsByAddress, "weights-by-address", "weights are compared only by address"},
    {kWeightsByFirstBytes, "weights-by-first-bytes",
     "weights are compared only by their first eight bytes"},
    {kFoldedPerModule, "folded-per-module", "a module is folded once for all contexts"},
    {kFoldedEveryRun, "folded-every-run", "every run folds again and never looks in the cache"},
    {kCountedOnFailure, "counted-on-failure", "a failed fold counts as done"},
    {kEvictionIgnored, "eviction-ignored", "an evicted buffer is used as if it were in the cache"},
    {kPartlyEvicted, "partly-evicted", "only the first of several buffers is looked up"},
    {kFreedInUse, "freed-in-use", "eviction frees buffers that are still in use"},
    {kPublishedEarly, "published-early", "other threads see a buffer before it is filled"},
    {kFilledInPlace, "filled-in-place", "folding again overwrites buffers that are in use"},
    {kFailureRemembered, "failure-remembered",
     "after one failed fold, all later requests for the same tensors fail"},
    {kCapacityLeaks, "capacity-leaks", "tensors that do not fit count as cached bytes"},
    {kFullGivesNothing, "full-gives-nothing", "tensors that do not fit are not folded either"},
    {kEntryWritesCache, "entry-writes-cache", "the entry overwrites a cached operand"},
    {kOutputIsCache, "output-is-cache", "an output of the graph is the cached buffer itself"},
    {kViewOfWeights, "view-of-weights", "a folded view of weights uses the caller's memory"},
    {kMisaligned, "misaligned", "buffers are not aligned"},
    {kFreedAfterRun, "freed-after-run", "buffers are freed with the temporaries of an execution"},
    {kMemoryReused, "memory-reused", "the entry reuses a cached buffer for its own tensors"},
    {kPackedByFold, "packed-by-fold",
     "folds store two 4-bit elements in a byte, but the entry reads one per byte"},
    {kIndicesByGraph, "indices-by-graph", "modules of one graph have the same global indices"},
};

}  // namespace

std::span<const FoldFaultRow> AllFoldFaults() { return kRows; }

void ChangeInput(FoldFault fault, UnfoldedGraph& input) {
  const auto row = std::ranges::find(kRows, fault, &FoldFaultRow::fault);
  if (row != std::end(kRows) && row->change.input != nullptr) row->change.input(input);
}

void ChangeFolding(FoldFault fault, Folding& folding) {
  const auto row = std::ranges::find(kRows, fault, &FoldFaultRow::fault);
  if (row != std::end(kRows) && row->change.folding != nullptr) row->change.folding(folding);
}

}  // namespace assay
