// SPDX-License-Identifier: Apache-2.0
#include "recurrent_models.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "float_arithmetic.h"
#include "integer_arithmetic.h"
#include "recipe.h"

namespace assay {

// Builds operators of models on values of the pool, and their variables. An operator on a value
// that could not be added is not added either. A call must not have two arguments that add
// operators, because the compiler chooses their order.
class RecurrentBuilder {
 public:
  explicit RecurrentBuilder(GraphBuilder& graph) : graph_(graph) {}

  Choices& choices() { return graph_.choices(); }
  const Shape& ShapeOf(ValueIndex value) const { return graph_.TypeOf(value).shape; }
  DType DrawFloat() { return choices().OneIn(3) ? DType::kFp16 : DType::kFp32; }

  ValueIndex Input(DType type, const Shape& shape, double bound) {
    return graph_.AddInput(
        DrawTensor(choices(), {type, shape}, ValueRange::Between(-bound, bound), graph_.mode()));
  }
  ValueIndex Number(DType type, const Shape& shape, double value) {
    return graph_.AddConstant(Filled({type, shape}, value));
  }

  // Declares a variable of zeros and reads it.
  ValueIndex Variable(const std::string& name, DType type, const Shape& shape) {
    const Tensor zeros = Tensor::Splat(type, shape, 0);
    graph_.AddEvaluated(DeclarationOf(name, zeros.tensor_type(), zeros), {});
    const BoundTensor value = ToFlight<BoundDomain>(zeros);
    return graph_
        .AddEvaluated({Op::kVariableRead, {{AttributeId::kName, name}}, {}, {}}, {&value, 1})
        .value();
  }
  void Write(const std::string& name, MaybeValue value) {
    if (!value) failed_ = true;
    if (failed_) return;
    graph_.AddEvaluated({Op::kVariableWrite, {{AttributeId::kName, name}}, {*value}, {}}, {});
  }
  bool failed() const { return failed_; }

  MaybeValue Apply(Op op, const std::vector<MaybeValue>& inputs, Attributes attributes = {},
                   DType result = DType::kUnknown) {
    failed_ |= std::count(inputs.begin(), inputs.end(), std::nullopt) > 0;
    if (failed_) return std::nullopt;
    std::vector<ValueIndex> operands;
    for (const MaybeValue input : inputs) operands.push_back(*input);
    const MaybeValue value = graph_.Add(op, std::move(operands), std::move(attributes), result);
    failed_ |= !value;
    return value;
  }
  MaybeValue Cast(MaybeValue x, DType type) { return Apply(Op::kCast, {x}, {}, type); }
  MaybeValue Concat(MaybeValue a, MaybeValue b, int32_t axis) {
    return Apply(Op::kConcat, {a, b}, {{AttributeId::kAxis, axis}});
  }
  // Adds a SLICE along the last axis.
  MaybeValue Slice(MaybeValue x, int64_t start, int64_t size) {
    if (!x) return std::nullopt;
    const Shape shape = ShapeOf(*x);
    std::vector<int64_t> starts(static_cast<size_t>(shape.rank()), 0);
    std::vector<int64_t> sizes(shape.begin(), shape.end());
    starts.back() = start;
    sizes.back() = size;
    return Apply(Op::kSlice, {x, graph_.AddShape(starts), graph_.AddShape(sizes)});
  }

 private:
  GraphBuilder& graph_;
  bool failed_ = false;
};

namespace {

using Outputs = std::vector<MaybeValue>;

// --- counters, accumulators, delay lines

Outputs BuildCounter(RecurrentBuilder& b) {
  if (b.choices().OneIn(2)) {
    const DType type = b.DrawFloat();
    const MaybeValue count = b.Variable("count", type, {1});
    const MaybeValue next = b.Apply(Op::kAdd, {count, b.Number(type, {1}, 1)});
    b.Write("count", next);
    return {next};
  }
  const MaybeValue count = b.Variable("count", DType::kInt8, {1});
  const MaybeValue next =
      b.Cast(b.Apply(Op::kAdd, {b.Cast(count, DType::kInt32), b.Number(DType::kInt32, {1}, 1)}),
             DType::kInt8);
  b.Write("count", next);
  return {count, next};
}

Outputs BuildAccumulator(RecurrentBuilder& b) {
  const DType type = b.DrawFloat();
  const Shape shape = {2, b.choices().Between32(1, 5)};
  const MaybeValue sum = b.Variable("sum", type, shape);
  const MaybeValue next = b.Apply(Op::kAdd, {sum, b.Input(type, shape, 100)});
  b.Write("sum", next);
  return {next};
}

// Builds a delay line that is one variable.
Outputs BuildDelayLine(RecurrentBuilder& b) {
  const DType type = b.choices().OneIn(2) ? DType::kInt8 : b.DrawFloat();
  const int32_t length = b.choices().Between32(2, 6);
  const MaybeValue line = b.Variable("line", type, {1, length});
  const MaybeValue rest = b.Slice(line, 1, length - 1);
  b.Write("line", b.Concat(rest, b.Input(type, {1, 1}, 100), 1));
  return {b.Slice(line, 0, 1)};
}

// Builds a delay line with one variable for each place. All are read before any is written; only
// the order of the list says so.
Outputs BuildShiftRegister(RecurrentBuilder& b) {
  const DType type = b.choices().OneIn(2) ? DType::kInt8 : b.DrawFloat();
  const Shape shape = {b.choices().Between32(1, 4)};
  const int64_t length = b.choices().Between(2, 4);
  Outputs places;
  for (int64_t i = 0; i < length; ++i) {
    places.push_back(b.Variable("place" + std::to_string(i), type, shape));
  }
  b.Write("place0", b.Apply(Op::kIdentity, {b.Input(type, shape, 100)}));
  for (size_t i = 1; i < places.size(); ++i) {
    b.Write("place" + std::to_string(i), places[i - 1]);
  }
  return {places.back()};
}

// Builds a ring buffer: a buffer and the place that is written next. Gives the old content of that
// place.
Outputs BuildRingBuffer(RecurrentBuilder& b) {
  const DType type = b.choices().OneIn(2) ? DType::kInt8 : b.DrawFloat();
  const int32_t length = b.choices().Between32(2, 5), width = b.choices().Between32(1, 3);
  const MaybeValue buffer = b.Variable("buffer", type, {1, length, width});
  const MaybeValue place = b.Variable("place", DType::kInt8, {1, 1});
  const MaybeValue wide = b.Cast(place, DType::kInt32);
  const MaybeValue old = b.Apply(Op::kGather, {buffer, wide});
  b.Write("buffer", b.Apply(Op::kScatter, {buffer, wide, b.Input(type, {1, 1, width}, 100)}));
  const MaybeValue next = b.Apply(Op::kAdd, {wide, b.Number(DType::kInt32, {1, 1}, 1)});
  const MaybeValue at_end = b.Apply(Op::kEqual, {next, b.Number(DType::kInt32, {1, 1}, length)});
  const MaybeValue zero = b.Number(DType::kInt32, {1, 1}, 0);
  b.Write("place", b.Cast(b.Apply(Op::kSelect, {at_end, zero, next}), DType::kInt8));
  return {old};
}

// --- cells

// Makes a state of the main block, which is an input, a variable that is 0 at first.
void KeepInVariable(Block& main, const std::string& name, TensorIndex before, TensorIndex after) {
  std::erase(main.inputs, before);
  const TensorType& type = main.TypeOf(before);
  const Attributes named = {{AttributeId::kName, name}};
  const Operator first[] = {DeclarationOf(name, type, Tensor::Splat(type.type, type.shape, 0)),
                            {Op::kVariableRead, named, {}, {before}}};
  main.operators.insert(main.operators.begin(), std::begin(first), std::end(first));
  main.operators.push_back({Op::kVariableWrite, named, {after}, {}});
}

// Returns one step of a recurrent network with its state in variables.
Graph CellGraph(Choices& choices, const Level& level, const RecurrentModel& model, Step& first) {
  NetworkGraph graph(level);
  const DType type = choices.OneIn(3) ? DType::kFp16 : DType::kFp32;
  NaturalArithmetic floats(graph, type, Random(choices.Next()));
  IntegerArithmetic integers(graph, Random(choices.Next()));
  Arithmetic& a = model.is_integer ? static_cast<Arithmetic&>(integers) : floats;
  const int32_t inputs = choices.Between32(1, 4), units = choices.Between32(1, 4);
  const TensorIndex x = a.Input({1, 1, inputs});
  CellState before = {a.Input({1, 1, units}), 0};
  const bool has_cell = model.step == LstmStep;
  if (has_cell) before.cell = a.Input({1, 1, units});
  CellWeights weights;
  const CellState after = model.step(a, x, before, weights);
  Graph made = graph.Finish({after.hidden}, first);
  KeepInVariable(*made.Main(), "hidden", before.hidden, after.hidden);
  if (has_cell) KeepInVariable(*made.Main(), "cell", before.cell, after.cell);
  first.inputs.resize(1);
  return made;
}

constexpr RecurrentModel kModels[] = {
    {"counter", BuildCounter},
    {"accumulator", BuildAccumulator},
    {"delay-line", BuildDelayLine},
    {"shift-register", BuildShiftRegister},
    {"ring-buffer", BuildRingBuffer},
    {"lstm", nullptr, LstmStep},
    {"lstm-integer", nullptr, LstmStep, true},
    {"gru", nullptr, GruStep},
    {"gru-integer", nullptr, GruStep, true},
};

}  // namespace

std::span<const RecurrentModel> RecurrentModels() { return kModels; }

std::optional<TestVector> VectorOfRecurrent(Choices& choices, const GeneratorOptions& options,
                                            const RecurrentModel& model, int64_t invocations,
                                            int32_t contexts) {
  TestVector vector;
  Step first;
  if (model.step != nullptr) {
    vector.graphs.push_back(CellGraph(choices, options.level, model, first));
  } else {
    GraphBuilder graph(choices, options, ValueMode::kFinite);
    RecurrentBuilder builder(graph);
    std::vector<ValueIndex> outputs;
    for (const MaybeValue output : model.build(builder)) {
      if (output) outputs.push_back(*output);
    }
    if (builder.failed()) return std::nullopt;
    vector.graphs.push_back(graph.FinishGraph(outputs, first));
  }
  if (!AllowsGraph(options, vector.graphs[0])) return std::nullopt;
  for (int64_t i = 0; i < invocations; ++i) {
    Step step;
    step.context = choices.Between32(0, contexts - 1);
    for (const Tensor& input : first.inputs) {
      const double bound = IsFloat(input.type()) ? 2 : 127;
      step.inputs.push_back(DrawTensor(choices, input.tensor_type(),
                                       ValueRange::Between(-bound, bound), ValueMode::kFinite));
    }
    vector.steps.push_back(std::move(step));
  }
  return vector;
}

}  // namespace assay
