// SPDX-License-Identifier: Apache-2.0
#include "branches_and_loops.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "interpreter.h"

namespace assay {
namespace {

using Value = BoundTensor;

// The operators that can give back the type and shape of their first operand.
constexpr Op kPreserving[] = {Op::kIdentity,  Op::kAdd,        Op::kSub,        Op::kMul,
                              Op::kMaximum,   Op::kMinimum,    Op::kAbs,        Op::kNegate,
                              Op::kClamp,     Op::kReverse,    Op::kBitwiseAnd, Op::kBitwiseXor,
                              Op::kBitwiseOr, Op::kBitwiseNot, Op::kLogicalNot, Op::kLogicalXor,
                              Op::kFloor,     Op::kTable};

// Returns the results of a control-flow operator on these values, computed by the executor. The
// values have the types of its operands. Returns an empty list if the operator is not valid.
std::vector<Value> Evaluate(GraphBuilder& builder, const Operator& op, std::vector<Value> inputs,
                            std::span<const TensorType> results) {
  Graph graph = EmptyGraph();
  Block& main = *graph.Main();
  Operator alone = op;
  alone.inputs.clear();
  alone.outputs.clear();
  const auto declare = [&](const TensorType& type) {
    return main.AddTensor(std::to_string(main.tensors.size()), type);
  };
  for (const ValueIndex input : op.inputs) {
    alone.inputs.push_back(declare(builder.TypeOf(input)));
  }
  main.inputs = alone.inputs;
  for (const TensorType& type : results) alone.outputs.push_back(declare(type));
  main.outputs = alone.outputs;
  main.operators.push_back(std::move(alone));
  // Borrows the regions of the builder, which gets them back below.
  std::vector<Region>& regions = builder.regions();
  std::ranges::move(regions, std::back_inserter(graph.regions));
  BoundContext context;
  const ExecutionOptions options{.level = builder.level(), .loop_iterations_max = 100};
  Interpreter<BoundDomain> interpreter(graph, context, options);
  std::vector<Value> values = interpreter.Run(std::move(inputs));
  std::move(graph.regions.begin() + 1, graph.regions.end(), regions.begin());
  BoundDomain& domain = interpreter.domain();
  if (!domain.judgement().valid() || domain.order_dependent() || domain.uncertain_requirement() ||
      interpreter.capped()) {
    return {};
  }
  return values;
}

// Returns at most `most` exact values that branches and bodies may work on.
std::vector<ValueIndex> PickOperands(GraphBuilder& builder, int64_t most) {
  std::vector<ValueIndex> operands;
  for (int64_t count = builder.choices().Between(1, most); count > 0; --count) {
    const MaybeValue value = builder.Pick([&](const PoolValue& v) { return v.exact; });
    if (value) operands.push_back(*value);
  }
  return operands;
}

// Returns a block on the given values that makes of each a value of the same type, sometimes with
// nested control flow.
Block GrowBranch(GraphBuilder& builder, const Menu& menu, std::span<const ValueIndex> operands,
                 int depth) {
  GraphBuilder inner(builder.choices(), builder.options(), builder.mode());
  inner.Close();
  std::vector<ValueIndex> results;
  for (const ValueIndex operand : operands) inner.AddInputOf(builder[operand].value);
  // The regions of nested control flow need names that no other region has.
  inner.regions() = std::move(builder.regions());
  if (depth > 0 && builder.choices().OneIn(4)) GrowCondIf(inner, menu, depth - 1);
  for (size_t i = 0; i < operands.size(); ++i) {
    results.push_back(GrowPreserving(inner, menu, static_cast<ValueIndex>(i)));
    if (builder.choices().OneIn(2)) {
      results.back() = GrowPreserving(inner, menu, results.back());
    }
  }
  builder.regions() = std::move(inner.regions());
  return inner.FinishWithAllInputs(results);
}

ValueIndex BoolOf(GraphBuilder& builder) {
  const MaybeValue known = builder.Pick([](const PoolValue& value) {
    return value.exact && value.type().type == DType::kBool && value.elements() == 1;
  });
  if (known) return *known;
  Shape shape;
  const auto ranks = static_cast<uint64_t>(builder.level().max_rank) + 1;
  const uint64_t limit = builder.choices().OneIn(4) ? ranks : 3;
  for (uint64_t rank = builder.choices().Below(limit); rank > 0; --rank) shape.PushBack(1);
  Tensor value = DrawTensor(builder.choices(), {DType::kBool, shape}, ValueRange::All(DType::kBool),
                            builder.mode());
  return builder.closed() || builder.choices().OneIn(4) ? builder.AddConstant(std::move(value))
                                                        : builder.AddInput(std::move(value));
}

// Adds a number as an input, so that no compiler knows it, or as a constant.
ValueIndex AddNumber(GraphBuilder& builder, const Shape& shape, int64_t value, bool hidden) {
  Tensor number = Tensor::Splat(DType::kInt32, shape, value);
  return hidden && !builder.closed() ? builder.AddInput(std::move(number))
                                     : builder.AddConstant(std::move(number));
}

// Returns cond(counter, limit, ...) = limit > counter.
Block LoopCondition(GraphBuilder& builder, std::span<const ValueIndex> carried) {
  GraphBuilder inner(builder.choices(), builder.options(), builder.mode());
  for (const ValueIndex value : carried) inner.AddInputOf(builder[value].value);
  const ValueIndex result = inner.Add(Op::kGreater, {1, 0}, {}, DType::kBool).value();
  return inner.FinishWithAllInputs({&result, 1});
}

// Adds the first results of body(counter, limit, ...): counter + 1 and limit.
std::vector<ValueIndex> CountOn(GraphBuilder& body) {
  const ValueIndex one = body.AddConstant(Tensor::Splat(DType::kInt32, body.TypeOf(0).shape, 1));
  const ValueIndex counter = body.Add(Op::kAdd, {0, one}).value();
  return {counter, body.Add(Op::kIdentity, {1}).value()};
}

// Returns body(counter, limit, x...) = (counter + 1, limit, an operator on each x).
Block LoopBody(GraphBuilder& builder, const Menu& menu, std::span<const ValueIndex> carried) {
  GraphBuilder inner(builder.choices(), builder.options(), builder.mode());
  inner.Close();
  for (const ValueIndex value : carried) inner.AddInputOf(builder[value].value);
  std::vector<ValueIndex> results = CountOn(inner);
  for (size_t i = 2; i < carried.size(); ++i) {
    results.push_back(GrowPreserving(inner, menu, static_cast<ValueIndex>(i)));
  }
  return inner.FinishWithAllInputs(results);
}

// Returns a WHILE_LOOP over the carried values and adds its regions.
Operator LoopOf(GraphBuilder& builder, std::vector<ValueIndex> carried, Block body) {
  const std::string cond_name = NextRegionName(builder, "while");
  const std::string body_name = NextRegionName(builder, "body");
  Block condition = LoopCondition(builder, carried);
  builder.AddRegion(RegionOf(std::move(condition), cond_name));
  builder.AddRegion(RegionOf(std::move(body), body_name));
  return {Op::kWhileLoop,
          {{AttributeId::kCondGraph, cond_name}, {AttributeId::kBodyGraph, body_name}},
          std::move(carried),
          {}};
}

}  // namespace

Region RegionOf(Block block, const std::string& name) {
  Region region;
  region.name = block.name = name;
  region.blocks.push_back(std::move(block));
  return region;
}

std::string NextRegionName(const GraphBuilder& builder, std::string_view what) {
  return std::string(what) + std::to_string(builder.regions().size());
}

MaybeValue AddControlFlow(GraphBuilder& builder, Operator op, std::span<const TensorType> results) {
  std::vector<Value> inputs;
  inputs.reserve(op.inputs.size());
  for (const ValueIndex input : op.inputs) inputs.push_back(builder[input].value);
  const std::vector<Value> values = Evaluate(builder, op, std::move(inputs), results);
  return values.empty() ? std::nullopt : builder.AddEvaluated(std::move(op), values);
}

MaybeValue AddLoopFrom(GraphBuilder& builder, Operator op, std::vector<BoundTensor> carried) {
  const std::vector<TensorType> results = builder.TypesOf(op.inputs);
  const std::vector<Value> values = Evaluate(builder, op, std::move(carried), results);
  return values.empty() ? std::nullopt : builder.AddEvaluated(std::move(op), values);
}

ValueIndex GrowPreserving(GraphBuilder& builder, const Menu& menu, ValueIndex value) {
  return GrowPreserving(builder, menu, value, kPreserving);
}

ValueIndex GrowPreserving(GraphBuilder& builder, const Menu& menu, ValueIndex value,
                          std::span<const Op> operators) {
  const TensorType type = builder.TypeOf(value);
  for (int tries = 0; tries < 6; ++tries) {
    const Op op = builder.choices().Pick(operators);
    const MenuEntry* entry = menu.Find(builder.choices(), op, type.type, type.type);
    if (entry == nullptr) continue;
    Wish wish;
    wish.op = op;
    wish.type_row = entry->type_row;
    wish.first_operand = value;  // class 0: operands of the same shape
    const GraphBuilder::Mark mark = builder.mark();
    const MaybeValue result = Grow(builder, wish);
    if (!result) continue;
    if (builder.TypeOf(*result) == type) return *result;
    builder.Rollback(mark);
  }
  // A value may be larger than a result may be (TABLE's table); then the value itself is handed on.
  return builder.Add(Op::kIdentity, {value}).value_or(value);
}

bool AllowsControlFlow(const GeneratorOptions& options) {
  for (const Op op : {Op::kCondIf, Op::kWhileLoop, Op::kIdentity, Op::kAdd, Op::kGreater}) {
    if (AllowedRows(options, op).empty()) return false;
  }
  return AllowsType(options, DType::kInt32) && AllowsType(options, DType::kBool);
}

bool GrowCondIf(GraphBuilder& builder, const Menu& menu, int depth) {
  const GraphBuilder::Mark mark = builder.mark();
  const std::vector<ValueIndex> operands = PickOperands(builder, 3);
  if (operands.empty()) return false;
  const ValueIndex condition = BoolOf(builder);
  Operator op = {Op::kCondIf, {}, {condition}, {}};
  op.inputs.insert(op.inputs.end(), operands.begin(), operands.end());
  for (const AttributeId branch : {AttributeId::kThenGraph, AttributeId::kElseGraph}) {
    Block block = GrowBranch(builder, menu, operands, depth);
    const std::string name =
        NextRegionName(builder, branch == AttributeId::kThenGraph ? "then" : "else");
    op.attributes.Set(branch, name);
    builder.AddRegion(RegionOf(std::move(block), name));
  }
  if (AddControlFlow(builder, std::move(op), builder.TypesOf(operands))) return true;
  builder.Rollback(mark);
  return false;
}

bool GrowWhileLoop(GraphBuilder& builder, const Menu& menu, int) {
  Choices& choices = builder.choices();
  const GraphBuilder::Mark mark = builder.mark();
  const std::vector<ValueIndex> operands = PickOperands(builder, 2);
  if (operands.empty()) return false;
  constexpr int64_t kRounds[] = {0, 1, 2, 3, 5};
  int64_t rounds = choices.Pick(kRounds);
  const int64_t start = choices.Between(-3, 3);
  const bool hidden = choices.Below(4) != 0;
  // The condition is one element of any rank.
  Shape number;
  if (choices.OneIn(3)) number = choices.OneIn(2) ? Shape{1} : Shape{1, 1};
  // The body is grown on the values of the first round. Later rounds may break a REQUIRE; then the
  // loop gets fewer rounds.
  while (true) {
    std::vector<ValueIndex> carried = {AddNumber(builder, number, start, choices.OneIn(2)),
                                       AddNumber(builder, number, start + rounds, hidden)};
    carried.insert(carried.end(), operands.begin(), operands.end());
    Block body = LoopBody(builder, menu, carried);
    const std::vector<TensorType> results = builder.TypesOf(carried);
    Operator op = LoopOf(builder, std::move(carried), std::move(body));
    if (AddControlFlow(builder, std::move(op), results)) return true;
    builder.Rollback(mark);
    if (rounds == 0) return false;
    rounds /= 2;
  }
}

ValueIndex AddCountedLoop(GraphBuilder& builder, int64_t rounds,
                          const std::function<void(GraphBuilder& body)>& each_round) {
  std::vector<ValueIndex> carried = {AddNumber(builder, {}, 0, builder.choices().OneIn(2)),
                                     AddNumber(builder, {}, rounds, true)};
  GraphBuilder inner(builder.choices(), builder.options(), builder.mode());
  inner.Close();
  for (const ValueIndex value : carried) inner.AddInputOf(builder[value].value);
  const std::vector<ValueIndex> results = CountOn(inner);
  inner.regions() = std::move(builder.regions());  // names that no other has
  each_round(inner);
  builder.regions() = std::move(inner.regions());
  Block body = inner.FinishWithAllInputs(results);
  const Value end = builder[carried[1]].value;
  Operator op = LoopOf(builder, std::move(carried), std::move(body));
  return builder.AddEvaluated(std::move(op), std::array{end, end}).value();
}

}  // namespace assay
