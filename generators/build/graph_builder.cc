// SPDX-License-Identifier: Apache-2.0
#include "graph_builder.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "convert_tensor.h"
#include "executor.h"

namespace assay {

namespace {

// The buffers of the last builder of this thread, for the next one. (A builder within another has
// its own.)
struct Room {
  std::vector<PoolValue> pool;
  std::vector<Operator> operators;
  OperatorRun<BoundDomain> run;
};

Room& SpareRoom() {
  static thread_local Room room;
  return room;
}

}  // namespace

Operator DeclarationOf(std::string name, const TensorType& type, const Tensor& initial) {
  Operator op = {Op::kVariable, {{AttributeId::kName, std::move(name)}}, {}, {}};
  op.attributes.Set(AttributeId::kVarShape,
                    std::vector<int32_t>(type.shape.begin(), type.shape.end()));
  op.attributes.Set(AttributeId::kType, static_cast<int32_t>(type.type));
  if (initial.has_value()) op.attributes.Set(AttributeId::kInitialValue, initial);
  return op;
}

GraphBuilder::GraphBuilder(Choices& choices, const GeneratorOptions& options, ValueMode mode,
                           const Declarations& declarations)
    : choices_(choices), options_(options), mode_(mode), declarations_(declarations) {
  SwapRoom();
}

GraphBuilder::~GraphBuilder() {
  pool_.clear();
  operators_.clear();
  run_.outputs.clear();
  SwapRoom();
}

void GraphBuilder::SwapRoom() {
  Room& room = SpareRoom();
  std::swap(pool_, room.pool);
  std::swap(operators_, room.operators);
  std::swap(run_, room.run);
}

std::vector<TensorType> GraphBuilder::TypesOf(std::span<const ValueIndex> values) const {
  std::vector<TensorType> types;
  for (const ValueIndex value : values) types.push_back(TypeOf(value));
  return types;
}

ValueIndex GraphBuilder::AddLeaf(BoundTensor value, Origin origin) {
  PoolValue& leaf = pool_.emplace_back();
  leaf.value = std::move(value);
  leaf.origin = origin;
  if (origin != Origin::kShapeConstant) Summarise(leaf);  // shapes are never picked
  return static_cast<ValueIndex>(pool_.size() - 1);
}

ValueIndex GraphBuilder::AddInput(Tensor value) {
  return AddLeaf(BoundTensor(ValueTensor(std::move(value))), Origin::kInput);
}

ValueIndex GraphBuilder::AddInputOf(const BoundTensor& value) {
  return AddLeaf(value, Origin::kInput);
}

ValueIndex GraphBuilder::AddConstant(Tensor value) {
  return AddConstantBy(Op::kConst, std::move(value), Origin::kConstant);
}

ValueIndex GraphBuilder::AddShape(std::span<const int64_t> values) {
  return AddConstantBy(Op::kConstShape, Tensor::FromShape(values), Origin::kShapeConstant);
}

ValueIndex GraphBuilder::AddNumber(DType type, int64_t integer, bool shared) {
  const auto is_it = [&](const Number& x) { return x.type == type && x.integer == integer; };
  const auto found = shared ? std::ranges::find_if(numbers_, is_it) : numbers_.end();
  if (found != numbers_.end()) return found->value;
  const ValueIndex value = AddConstant(Tensor::Splat(type, Shape{1}, integer));
  numbers_.push_back({type, integer, value});
  return value;
}

ValueIndex GraphBuilder::AddConstantBy(Op op, Tensor value, Origin origin) {
  const ValueIndex index = AddLeaf(BoundTensor(ValueTensor(value)), origin);
  operators_.push_back({op, {{AttributeId::kValues, std::move(value)}}, {}, {index}});
  return index;
}

namespace {

// Returns the number of elements that are undecided, or that may differ by more than a sixteenth of
// the largest element.
int64_t CountVague(const PoolValue& value, const Extremes& extremes) {
  const double largest = std::max(std::fabs(extremes.low), std::fabs(extremes.high));
  return std::ranges::count_if(*value.value.elements().elements, [&](const Bounded& x) {
    return x.certainty == Certainty::kUndecided ||
           (x.certainty == Certainty::kBounded && x.error > largest / 16);
  });
}

}  // namespace

// Fills in the facts that later choices look at. Returns false if the value may not be in a vector
// of this mode.
bool GraphBuilder::Summarise(PoolValue& value) const {
  const bool real = IsFloat(value.type().type);
  Extremes extremes = {HUGE_VAL, -HUGE_VAL};
  Certainty worst = Certainty::kExact;
  if (value.value.plain()) {
    extremes = value.value.values().extremes();
    if (extremes.flushable) worst = Certainty::kBounded;
  } else {
    for (const Bounded& element : *value.value.elements().elements) {
      const Scalar scalar = element.value;
      const double x = real ? scalar.real() : static_cast<double>(scalar.integer());
      extremes.low = x < extremes.low ? x : extremes.low;
      extremes.high = x > extremes.high ? x : extremes.high;
      extremes.special |= !std::isfinite(x);
      worst = std::max(worst, element.certainty);
    }
    value.vague = 2 * CountVague(value, extremes) > value.elements();
  }
  value.low = extremes.low;
  value.high = extremes.high;
  value.has_special = extremes.special;
  value.exact = worst <= Certainty::kZeroSignOpen;
  return MayBeSpecial(mode_) || !value.has_special;
}

bool GraphBuilder::Infer(const Operator& op, std::span<const DType> wished) {
  run_.op = &op;
  run_.inputs.clear();
  run_.input_types.clear();
  for (const ValueIndex input : op.inputs) {
    run_.inputs.push_back(&(*this)[input].value);
    run_.input_types.push_back(TypeOf(input));
  }
  run_.constants.Read(op.op, run_.inputs);
  std::vector<TensorType>& types = run_.output_types;
  types.clear();
  for (const DType type : wished) types.push_back({type, Shape{}});
  if (wished.empty()) types.resize(1);
  Signature signature;
  signature.op = op.op;
  signature.attributes = &op.attributes;
  signature.inputs = run_.input_types;
  signature.constants = run_.constants.views();
  if (!InferOutputs(signature, types)) return false;
  for (const TensorType& type : types) {
    if (type.type == DType::kUnknown) return false;
    const int64_t elements = type.shape.Elements();
    if (elements < 1 || elements > options_.elements_max) return false;
    if (type.shape.rank() > options_.level.max_rank) return false;
  }
  return true;
}

MaybeValue GraphBuilder::Add(Operator op, std::span<const DType> wished) {
  if (!Infer(op, wished)) return std::nullopt;
  BoundDomain domain(declarations_);
  run_.types_inferred = true;
  RunOperator(domain, options_.level, Kernels::kFast, run_);
  if (!domain.judgement().valid() || domain.order_dependent() || domain.uncertain_requirement()) {
    return std::nullopt;
  }
  return AddEvaluated(std::move(op));
}

MaybeValue GraphBuilder::Add(Op op, std::vector<ValueIndex> inputs, Attributes attributes,
                             DType result) {
  return Add({op, std::move(attributes), std::move(inputs), {}}, {&result, 1});
}

MaybeValue GraphBuilder::AddEvaluated(Operator op, std::span<const BoundTensor> results) {
  run_.outputs.assign(results.begin(), results.end());
  return AddEvaluated(std::move(op));
}

MaybeValue GraphBuilder::AddEvaluated(Operator op) {
  const auto first = static_cast<ValueIndex>(pool_.size());
  for (BoundTensor& result : run_.outputs) {
    PoolValue& value = pool_.emplace_back();
    value.value = std::move(result);
    if (!Summarise(value)) {
      pool_.resize(static_cast<size_t>(first));
      return std::nullopt;
    }
  }
  op.outputs.clear();
  for (size_t i = static_cast<size_t>(first); i < pool_.size(); ++i) {
    op.outputs.push_back(static_cast<ValueIndex>(i));
  }
  for (const ValueIndex input : op.inputs) ++pool_[static_cast<size_t>(input)].uses;
  operators_.push_back(std::move(op));
  ++working_;
  return first;
}

void GraphBuilder::Rollback(const Mark& mark) {
  while (operators_.size() > mark.operators) {
    for (const ValueIndex input : operators_.back().inputs) {
      --pool_[static_cast<size_t>(input)].uses;
    }
    const Op op = operators_.back().op;
    if (!IsConstant(op)) --working_;
    operators_.pop_back();
  }
  pool_.resize(mark.values);
  while (!numbers_.empty() && static_cast<size_t>(numbers_.back().value) >= mark.values) {
    numbers_.pop_back();
  }
  regions_.resize(mark.regions);
}

std::vector<ValueIndex> GraphBuilder::Unread() const {
  std::vector<ValueIndex> unread;
  unread.reserve(pool_.size());
  for (size_t i = 0; i < pool_.size(); ++i) {
    if (pool_[i].uses == 0 && pool_[i].origin == Origin::kResult) {
      unread.push_back(static_cast<ValueIndex>(i));
    }
  }
  return unread;
}

Block GraphBuilder::Finish(std::span<const ValueIndex> outputs, std::vector<Tensor>* inputs) {
  std::vector<char> keep(pool_.size(), 0);
  for (const ValueIndex output : outputs) keep[static_cast<size_t>(output)] = 1;
  for (auto op = operators_.rbegin(); op != operators_.rend(); ++op) {
    // An operator without results is kept for its effect.
    bool live = op->outputs.empty();
    for (const ValueIndex output : op->outputs) live |= keep[static_cast<size_t>(output)] != 0;
    if (!live) continue;
    for (const ValueIndex input : op->inputs) keep[static_cast<size_t>(input)] = 1;
    for (const ValueIndex output : op->outputs) keep[static_cast<size_t>(output)] = 1;
  }
  return Assemble(outputs, std::move(keep), inputs);
}

Block GraphBuilder::FinishWithAllInputs(std::span<const ValueIndex> outputs) {
  std::vector<char> keep(pool_.size(), 1);
  return Assemble(outputs, std::move(keep), nullptr);
}

Block GraphBuilder::Assemble(std::span<const ValueIndex> outputs, std::vector<char> keep,
                             std::vector<Tensor>* inputs) {
  Block block;
  block.name = "main";
  std::vector<TensorIndex> index(pool_.size(), -1);
  block.tensors.reserve(pool_.size());
  block.inputs.reserve(pool_.size());
  block.outputs.reserve(outputs.size());
  for (size_t i = 0; i < pool_.size(); ++i) {
    if (keep[i] == 0) continue;
    index[i] = static_cast<TensorIndex>(block.tensors.size());
    const PoolValue& value = pool_[i];
    constexpr char kLetters[] = {'i', 'c', 's', 't'};  // by Origin
    char name[24] = {kLetters[static_cast<size_t>(value.origin)]};
    TensorInfo& info = block.tensors.emplace_back();
    info.name.assign(name, std::to_chars(name + 1, std::end(name), i).ptr);
    info.type = value.type();
    if (value.origin == Origin::kInput) {
      block.inputs.push_back(index[i]);
      if (inputs != nullptr) inputs->push_back(value.value.values().raw_tensor());
    }
  }
  const auto renumber = [&](std::vector<ValueIndex>& list) {
    for (ValueIndex& value : list) value = index[static_cast<size_t>(value)];
  };
  block.operators.reserve(operators_.size());
  for (Operator& op : operators_) {
    if (!op.outputs.empty() && keep[static_cast<size_t>(op.outputs[0])] == 0) continue;
    block.operators.push_back(std::move(op));
    renumber(block.operators.back().inputs);
    renumber(block.operators.back().outputs);
  }
  for (const ValueIndex output : outputs) {
    block.outputs.push_back(index[static_cast<size_t>(output)]);
  }
  operators_.clear();
  return block;
}

Graph GraphBuilder::FinishGraph(std::span<const ValueIndex> outputs, Step& step) {
  Graph graph = EmptyGraph();
  *graph.Main() = Finish(outputs, &step.inputs);
  for (Region& region : regions_) graph.regions.push_back(std::move(region));
  regions_.clear();
  step.expected = OutcomeKind::kValid;
  const Block& main = *graph.Main();
  step.outputs.reserve(outputs.size());
  std::vector<std::string> rules = RulesOfOutputs(main);
  for (size_t i = 0; i < outputs.size(); ++i) {
    step.outputs.push_back(ToExpectation((*this)[outputs[i]].value, std::move(rules[i])));
  }
  return graph;
}

TestVector GraphBuilder::FinishVector(std::span<const ValueIndex> outputs) {
  TestVector vector;
  Step step;
  vector.graphs.push_back(FinishGraph(outputs, step));
  vector.steps.push_back(std::move(step));
  return vector;
}

}  // namespace assay
