// SPDX-License-Identifier: Apache-2.0
#include "recurrent_models.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

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
  ValueIndex Weights(DType type, const Shape& shape, double bound) {
    return graph_.AddConstant(
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
  // Multiplies floats, or i8 to i32.
  MaybeValue Mul(MaybeValue a, MaybeValue b) {
    if (!a || !b) return std::nullopt;  // failed already
    const DType type = graph_.TypeOf(*a).type;
    return Apply(Op::kMul, {a, b, Number(DType::kInt8, {1}, 0)}, {},
                 IsFloat(type) ? type : DType::kInt32);
  }
  MaybeValue MatMul(MaybeValue a, ValueIndex b) {
    const DType type = graph_.TypeOf(b).type;
    return Apply(Op::kMatmul, {a, b, Number(type, {1}, 0), Number(type, {1}, 0)}, {},
                 IsFloat(type) ? type : DType::kInt32);
  }
  // Converts i32 to i8, divided by 2^bits.
  MaybeValue Narrow(MaybeValue x, int bits) {
    return Apply(Op::kRescale,
                 {x, Number(DType::kInt32, {1}, 1 << 30), Number(DType::kInt8, {1}, 30 + bits),
                  Number(DType::kInt32, {1}, 0), Number(DType::kInt8, {1}, 0)},
                 {{AttributeId::kScale32, true},
                  {AttributeId::kRoundingMode, static_cast<int32_t>(RoundingMode::kSingleRound)},
                  {AttributeId::kPerChannel, false},
                  {AttributeId::kInputUnsigned, false},
                  {AttributeId::kOutputUnsigned, false}},
                 DType::kInt8);
  }
  // Adds a TABLE of i8 with the entries entry(-128) to entry(127).
  MaybeValue Table(MaybeValue x, double (*entry)(double)) {
    std::vector<int64_t> entries;
    for (int i = -128; i < 128; ++i) {
      entries.push_back(static_cast<int64_t>(std::nearbyint(entry(i))));
    }
    return Apply(Op::kTable,
                 {x, graph_.AddConstant(Tensor::FromIntegers(DType::kInt8, {256}, entries))}, {},
                 DType::kInt8);
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

// The arithmetic of cells in floats. The class below has it in integers: i8, where 127 stands for 1
// in gates and states.
class FloatCell {
 public:
  FloatCell(RecurrentBuilder& b, DType type) : b_(b), type_(type) {}
  DType type() const { return type_; }
  MaybeValue Linear(MaybeValue x, int32_t in, int32_t out) {
    const MaybeValue product = b_.MatMul(x, b_.Weights(type_, {1, in, out}, 1));
    return b_.Apply(Op::kAdd, {product, b_.Weights(type_, {1, 1, out}, 1)});
  }
  MaybeValue Gate(MaybeValue x) { return b_.Apply(Op::kSigmoid, {x}); }
  MaybeValue Squash(MaybeValue x) { return b_.Apply(Op::kTanh, {x}); }
  MaybeValue Times(MaybeValue gate, MaybeValue x) { return b_.Mul(gate, x); }
  // Returns a * b + c * d.
  MaybeValue SumOfProducts(MaybeValue a, MaybeValue b, MaybeValue c, MaybeValue d) {
    return b_.Apply(Op::kAdd, {b_.Mul(a, b), b_.Mul(c, d)});
  }
  MaybeValue Complement(MaybeValue gate) {
    return b_.Apply(Op::kSub, {b_.Number(type_, {1, 1, 1}, 1), gate});
  }

 private:
  RecurrentBuilder& b_;
  DType type_;
};

class IntegerCell {
 public:
  explicit IntegerCell(RecurrentBuilder& b) : b_(b) {}
  DType type() const { return DType::kInt8; }
  MaybeValue Linear(MaybeValue x, int32_t in, int32_t out) {
    const MaybeValue product = b_.MatMul(x, b_.Weights(DType::kInt8, {1, in, out}, 127));
    const MaybeValue bias = b_.Weights(DType::kInt32, {1, 1, out}, 1000);
    return b_.Narrow(b_.Apply(Op::kAdd, {product, bias}), 7);
  }
  // Computes a function with the shape of the float function, but without its transcendental
  // values.
  MaybeValue Gate(MaybeValue x) {
    return b_.Table(x, [](double i) { return 63.5 + 63.5 * i / (32 + std::fabs(i)); });
  }
  MaybeValue Squash(MaybeValue x) {
    return b_.Table(x, [](double i) { return 127 * i / (32 + std::fabs(i)); });
  }
  MaybeValue Times(MaybeValue gate, MaybeValue x) { return b_.Narrow(b_.Mul(gate, x), 7); }
  MaybeValue SumOfProducts(MaybeValue a, MaybeValue b, MaybeValue c, MaybeValue d) {
    return b_.Narrow(b_.Apply(Op::kAdd, {b_.Mul(a, b), b_.Mul(c, d)}), 7);
  }
  MaybeValue Complement(MaybeValue gate) {
    return b_.Table(gate, [](double i) { return std::min(127 - i, 127.0); });
  }

 private:
  RecurrentBuilder& b_;
};

struct CellSizes {
  int32_t inputs, units;
};
CellSizes DrawSizes(RecurrentBuilder& b) {
  return {b.choices().Between32(1, 4), b.choices().Between32(1, 4)};
}

// Builds an LSTM: i, f, g, o = W [x, h] + b; c' = f c + i g; h' = o tanh(c').
template <class Cell>
Outputs BuildLstm(RecurrentBuilder& b, Cell cell) {
  const CellSizes sizes = DrawSizes(b);
  const int32_t inputs = sizes.inputs, units = sizes.units;
  const MaybeValue x = b.Input(cell.type(), {1, 1, inputs}, IsFloat(cell.type()) ? 2 : 127);
  const MaybeValue h = b.Variable("hidden", cell.type(), {1, 1, units});
  const MaybeValue c = b.Variable("cell", cell.type(), {1, 1, units});
  const MaybeValue all = cell.Linear(b.Concat(x, h, 2), inputs + units, 4 * units);
  const auto part = [&](int32_t index) { return b.Slice(all, index * units, units); };
  const MaybeValue i = cell.Gate(part(0)), f = cell.Gate(part(1));
  const MaybeValue g = cell.Squash(part(2)), o = cell.Gate(part(3));
  const MaybeValue next_c = cell.SumOfProducts(f, c, i, g);
  const MaybeValue next_h = cell.Times(o, cell.Squash(next_c));
  b.Write("cell", next_c);
  b.Write("hidden", next_h);
  return {next_h};
}

// Builds a GRU: z, r = gates of [x, h]; n = tanh of [x, r h]; h' = (1 - z) n + z h.
template <class Cell>
Outputs BuildGru(RecurrentBuilder& b, Cell cell) {
  const CellSizes sizes = DrawSizes(b);
  const int32_t inputs = sizes.inputs, units = sizes.units;
  const MaybeValue x = b.Input(cell.type(), {1, 1, inputs}, IsFloat(cell.type()) ? 2 : 127);
  const MaybeValue h = b.Variable("hidden", cell.type(), {1, 1, units});
  const MaybeValue gates = cell.Gate(cell.Linear(b.Concat(x, h, 2), inputs + units, 2 * units));
  const MaybeValue z = b.Slice(gates, 0, units), r = b.Slice(gates, units, units);
  const MaybeValue n =
      cell.Squash(cell.Linear(b.Concat(x, cell.Times(r, h), 2), inputs + units, units));
  const MaybeValue next = cell.SumOfProducts(cell.Complement(z), n, z, h);
  b.Write("hidden", next);
  return {next};
}

Outputs BuildLstmOfFloats(RecurrentBuilder& b) { return BuildLstm(b, FloatCell(b, b.DrawFloat())); }
Outputs BuildLstmOfIntegers(RecurrentBuilder& b) { return BuildLstm(b, IntegerCell(b)); }
Outputs BuildGruOfFloats(RecurrentBuilder& b) { return BuildGru(b, FloatCell(b, b.DrawFloat())); }
Outputs BuildGruOfIntegers(RecurrentBuilder& b) { return BuildGru(b, IntegerCell(b)); }

constexpr RecurrentModel kModels[] = {
    {"counter", BuildCounter},
    {"accumulator", BuildAccumulator},
    {"delay-line", BuildDelayLine},
    {"shift-register", BuildShiftRegister},
    {"ring-buffer", BuildRingBuffer},
    {"lstm", BuildLstmOfFloats},
    {"lstm-integer", BuildLstmOfIntegers},
    {"gru", BuildGruOfFloats},
    {"gru-integer", BuildGruOfIntegers},
};

}  // namespace

std::span<const RecurrentModel> RecurrentModels() { return kModels; }

std::optional<TestVector> VectorOfRecurrent(Choices& choices, const GeneratorOptions& options,
                                            const RecurrentModel& model, int64_t invocations,
                                            int32_t contexts) {
  GraphBuilder graph(choices, options, ValueMode::kFinite);
  RecurrentBuilder builder(graph);
  std::vector<ValueIndex> outputs;
  for (const MaybeValue output : model.build(builder)) {
    if (output) outputs.push_back(*output);
  }
  if (builder.failed()) return std::nullopt;
  TestVector vector;
  Step first;
  vector.graphs.push_back(graph.FinishGraph(outputs, first));
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
