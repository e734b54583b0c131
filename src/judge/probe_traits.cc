// SPDX-License-Identifier: Apache-2.0
#include "probe_traits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "check.h"
#include "declaration_probes.h"
#include "enum_names.h"
#include "executor.h"
#include "float_format.h"
#include "flushing_probes.h"
#include "probe_graph.h"
#include "summation_order.h"

namespace assay {
namespace {

std::string Name(DType type) { return std::string(TypeName(type)); }

// The outputs of a backend for a probe, or why there are none.
struct ProbeAnswer {
  std::vector<Tensor> outputs;
  std::string why_not;
};

ProbeAnswer Ask(Backend& backend, const TestVector& vector) {
  const std::string why = backend.WhyUnsupported(vector);
  if (!why.empty()) return {{}, "not supported: " + why};
  const Result<std::vector<Outcome>> outcomes = backend.Run(vector);
  if (!outcomes) return {{}, outcomes.error().message};
  if (outcomes->empty()) return {{}, "no results"};
  const Outcome& outcome = (*outcomes)[0];
  if (outcome.kind == OutcomeKind::kUnsupported) return {{}, "not supported: " + outcome.message};
  if (outcome.kind != OutcomeKind::kValid) return {{}, "no results: " + outcome.message};
  const std::vector<Tensor>& outputs = outcome.outputs;
  const Block& block = *vector.graphs[0].Main();
  bool fits = outputs.size() == block.outputs.size();
  for (size_t i = 0; fits && i < outputs.size(); ++i) {
    fits = outputs[i].has_value() && outputs[i].tensor_type() == block.TypeOf(block.outputs[i]);
  }
  return fits ? ProbeAnswer{outputs, ""} : ProbeAnswer{{}, "a result of the wrong type or shape"};
}

// ---- The order of sums

// The numbers of a sum: `large` twice, with both signs, and otherwise `one`, which is lost beside
// it.
struct PairNumbers {
  int terms;
  double large, one;
};

// Returns numbers with which the ones are lost in fp32 too, and in fp64 where the type has the
// range. So are sums of them.
PairNumbers PairNumbersOf(DType type) {
  return type == DType::kFp16 ? PairNumbers{16, 0x1p15, 0x1p-14} : PairNumbers{32, 0x1p100, 1};
}

// The sums of all pairs of terms (summation_order.h), a row each.
struct PairSums {
  PairNumbers numbers;
  int terms = numbers.terms;
  Shape shape = {terms * (terms - 1) / 2, terms};  // pairs, terms
  std::vector<double> rows = {};
};

PairSums PairsOf(DType type) {
  PairSums sums{PairNumbersOf(type)};
  for (int i = 0; i < sums.terms; ++i) {
    for (int j = i + 1; j < sums.terms; ++j) {
      std::vector<double> row(static_cast<size_t>(sums.terms), sums.numbers.one);
      row[static_cast<size_t>(i)] = sums.numbers.large;
      row[static_cast<size_t>(j)] = -sums.numbers.large;
      sums.rows.insert(sums.rows.end(), row.begin(), row.end());
    }
  }
  return sums;
}

// Returns the order that the results show: one for each pair, `stride` elements apart.
std::string OrderOf(const PairSums& sums, const Tensor& results, int64_t stride) {
  MeetingTerms meeting(sums.terms);
  int64_t element = 0;
  for (int i = 0; i < sums.terms; ++i) {
    for (int j = i + 1; j < sums.terms; ++j, element += stride) {
      const double kept = results.Float(element) / sums.numbers.one;
      const bool is_count = kept >= 0 && kept <= sums.terms && kept == std::floor(kept);
      meeting.Set(i, j, is_count ? sums.terms - static_cast<int>(kept) : -1);
    }
  }
  return SummationOrderText(meeting);
}

BackendTrait OrderTrait(Backend& backend, const std::string& what, const PairSums& sums,
                        const TestVector& vector, int64_t stride) {
  const ProbeAnswer answer = Ask(backend, vector);
  return {what + ", " + std::to_string(sums.terms) + " terms",
          answer.outputs.empty() ? answer.why_not : OrderOf(sums, answer.outputs[0], stride)};
}

BackendTrait OrderOfReduceSum(Backend& backend, DType type, int32_t axis) {
  const PairSums sums = PairsOf(type);
  ProbeGraph graph;
  TensorIndex rows = graph.Input(Tensor::FromFloats(type, sums.shape, sums.rows));
  if (axis == 0) {
    // The terms of a sum lie apart in memory.
    std::vector<double> columns(sums.rows.size());
    const auto pairs = static_cast<size_t>(sums.shape[0]), terms = static_cast<size_t>(sums.terms);
    for (size_t i = 0; i < columns.size(); ++i) {
      columns[i % terms * pairs + i / terms] = sums.rows[i];
    }
    graph = ProbeGraph();
    rows = graph.Input(Tensor::FromFloats(type, {sums.terms, sums.shape[0]}, columns));
  }
  const Shape result = axis == 0 ? Shape{1, sums.shape[0]} : Shape{sums.shape[0], 1};
  const TensorIndex output =
      graph.Add(Op::kReduceSum, {rows}, {type, result}, {{AttributeId::kAxis, axis}});
  return OrderTrait(backend,
                    "REDUCE_SUM " + Name(type) + (axis == 0 ? ", first axis" : ", last axis"), sums,
                    graph.Finish({output}), 1);
}

constexpr int32_t kColumnsOfOnes = 8;  // of the other operand, all ones

BackendTrait OrderOfMatMul(Backend& backend, DType type, DType out) {
  const PairSums sums = PairsOf(type);
  const int32_t pairs = sums.shape[0];
  const std::vector<double> ones(static_cast<size_t>(sums.terms * kColumnsOfOnes), 1);
  ProbeGraph graph;
  const TensorIndex a = graph.Input(Tensor::FromFloats(type, {1, pairs, sums.terms}, sums.rows));
  const TensorIndex b =
      graph.Input(Tensor::FromFloats(type, {1, sums.terms, kColumnsOfOnes}, ones));
  const TensorIndex zero = graph.Constant(Tensor::Splat(type, {1}, 0));
  const TensorIndex output =
      graph.Add(Op::kMatmul, {a, b, zero, zero}, {out, {1, pairs, kColumnsOfOnes}});
  return OrderTrait(backend, "MATMUL " + Name(type) + (type == out ? "" : " to " + Name(out)), sums,
                    graph.Finish({output}), kColumnsOfOnes);
}

BackendTrait OrderOfConvolution(Backend& backend, DType type, DType accumulator) {
  const PairSums sums = PairsOf(type);
  const int32_t pairs = sums.shape[0];
  const std::vector<double> ones(static_cast<size_t>(sums.terms * kColumnsOfOnes), 1);
  ProbeGraph graph;
  const TensorIndex input =
      graph.Input(Tensor::FromFloats(type, {1, pairs, 1, sums.terms}, sums.rows));
  const TensorIndex weight =
      graph.Constant(Tensor::FromFloats(type, {kColumnsOfOnes, 1, 1, sums.terms}, ones));
  const TensorIndex bias = graph.Constant(Tensor::Splat(type, {1}, 0));
  const TensorIndex output = graph.Add(Op::kConv2d, {input, weight, bias, bias, bias},
                                       {type, {1, pairs, 1, kColumnsOfOnes}},
                                       {{AttributeId::kPad, std::vector<int32_t>{0, 0, 0, 0}},
                                        {AttributeId::kStride, std::vector<int32_t>{1, 1}},
                                        {AttributeId::kDilation, std::vector<int32_t>{1, 1}},
                                        {AttributeId::kAccType, static_cast<int32_t>(accumulator)},
                                        {AttributeId::kLocalBound, false}});
  return OrderTrait(
      backend,
      "CONV2D " + Name(type) + ", 1 x 1, accumulator " + Name(accumulator) + ", input channels",
      sums, graph.Finish({output}), kColumnsOfOnes);
}

std::vector<BackendTrait> OrdersOfSums(Backend& backend) {
  std::vector<BackendTrait> traits;
  for (const DType type : {DType::kFp32, DType::kFp16, DType::kBf16}) {
    for (const int32_t axis : {1, 0}) traits.push_back(OrderOfReduceSum(backend, type, axis));
  }
  constexpr std::pair<DType, DType> kTypes[] = {{DType::kFp32, DType::kFp32},
                                                {DType::kFp16, DType::kFp32},
                                                {DType::kFp16, DType::kFp16},
                                                {DType::kBf16, DType::kFp32}};
  for (const auto& [in, out] : kTypes) traits.push_back(OrderOfMatMul(backend, in, out));
  for (const auto& [in, sum] : kTypes) traits.push_back(OrderOfConvolution(backend, in, sum));
  return traits;
}

// ---- Precision and subnormal numbers

// Returns how many elements of a result are those of the probe's expectation, "all", "none" or a
// number.
std::string HowMany(int64_t count, int64_t all) {
  if (count == all || count == 0) return count == 0 ? "none" : "all";
  return std::to_string(count) + " of " + std::to_string(all);
}

// Returns a trait for each probe: `words`, and how many elements of its answer equal the value that
// it expects.
std::vector<BackendTrait> SameAsExpected(Backend& backend, const std::vector<Probe>& probes,
                                         const std::string& words) {
  std::vector<BackendTrait> traits;
  for (const Probe& probe : probes) {
    const ProbeAnswer answer = Ask(backend, probe.vector);
    BackendTrait& trait = traits.emplace_back(BackendTrait{probe.what, answer.why_not});
    if (answer.outputs.empty()) continue;
    const Tensor &got = answer.outputs[0], &expected = probe.vector.steps[0].outputs[0].value;
    int64_t same = 0;
    for (int64_t i = 0; i < got.elements(); ++i) same += got.Float(i) == expected.Float(i);
    trait.answer = words + HowMany(same, got.elements());
  }
  return traits;
}

std::vector<BackendTrait> KeptPrecision(Backend& backend) {
  const auto* row =
      FindRow(AllDeclarations(), &DeclarationRow::field, &Declarations::rounds_results);
  Check(row != nullptr, "a row for inner results that are rounded");
  return SameAsExpected(backend, ProbesOf(*row), "inner results that are rounded: ");
}

// Tells what became of the elements: kept where they equal the reference, which is not flushed.
std::vector<BackendTrait> Subnormals(Backend& backend) {
  return SameAsExpected(backend, SubnormalNumbers(), "kept: ");
}

// ---- Elementary functions

struct Function {
  Op op;
  bool is_logarithmic;  // the range is that of exponents of two
  double first, last;
};
constexpr Function kFunctions[] = {
    {Op::kErf, false, -4, 4},    {Op::kSigmoid, false, -20, 20},     {Op::kTanh, false, -10, 10},
    {Op::kCos, false, -32, 32},  {Op::kSin, false, -32, 32},         {Op::kExp, false, -88, 88},
    {Op::kLog, true, -126, 127}, {Op::kReciprocal, true, -126, 125}, {Op::kRsqrt, true, -126, 127},
};
constexpr int kArguments = 8192, kParts = 64;

// Returns arguments in equal steps of the axis. Between powers of two, a logarithmic axis is
// linear, so that no last bit depends on a library.
std::vector<double> ArgumentsOf(const Function& function) {
  std::vector<double> arguments;
  for (int i = 0; i < kArguments; ++i) {
    const double at = function.first + (function.last - function.first) * (i + 0.5) / kArguments;
    const double exponent = std::floor(at);
    arguments.push_back(
        function.is_logarithmic ? std::ldexp(1 + at - exponent, static_cast<int>(exponent)) : at);
  }
  return arguments;
}

// Returns the range of the function in a type: what of it the type can have.
Function InType(Function function, DType type) {
  if (function.is_logarithmic && type == DType::kFp16) {
    function.first = -14;
    function.last = function.op == Op::kReciprocal ? 14 : 15;
  }
  if (function.op == Op::kExp && type == DType::kFp16) {
    function.first = -16;
    function.last = 11;
  }
  return function;
}

FunctionAccuracy AccuracyOf(Backend& backend, const Function& function, DType type) {
  const std::vector<double> arguments = ArgumentsOf(function);
  FunctionAccuracy accuracy;
  accuracy.use = {function.op, type};
  accuracy.is_logarithmic = function.is_logarithmic;
  accuracy.first = arguments.front();
  accuracy.last = arguments.back();
  accuracy.largest.assign(kParts, std::numeric_limits<double>::quiet_NaN());
  ProbeGraph graph;
  const Tensor input = Tensor::FromFloats(type, {kArguments}, arguments);
  const TensorIndex x = graph.Input(input);
  const TensorIndex output = graph.Add(function.op, {x}, {type, {kArguments}});
  TestVector vector = graph.Finish({output});
  Check(Expect(vector, {}), "a function has an expectation");
  const ProbeAnswer answer = Ask(backend, vector);
  accuracy.why_not = answer.why_not;
  if (answer.outputs.empty()) return accuracy;
  const Expectation& expected = vector.steps[0].outputs[0];
  for (size_t i = 0; i < expected.error.size(); ++i) {
    const double got = answer.outputs[0].Float(static_cast<int64_t>(i));
    const double off = std::fabs(got - expected.reference[i]), allowed = expected.error[i];
    const double size = std::fabs(expected.reference[i]);
    const bool is_flushed = got == 0 && size < FormatOf(type).normal_min;  // has its own section
    if (!(allowed >= 0) || std::isinf(size) || is_flushed) continue;
    double share = off / allowed;
    if (off == 0) share = 0;
    if (std::isnan(got)) share = std::numeric_limits<double>::infinity();
    double& largest = accuracy.largest[i * kParts / kArguments];
    largest = std::fmax(largest, share);
    if (share <= accuracy.worst) continue;
    accuracy.worst = share;
    accuracy.at = input.Float(static_cast<int64_t>(i));
  }
  return accuracy;
}

}  // namespace

BackendTraits ProbeTraits(Backend& backend) {
  BackendTraits traits;
  traits.sums = OrdersOfSums(backend);
  traits.precision = KeptPrecision(backend);
  traits.subnormals = Subnormals(backend);
  for (const Function& function : kFunctions) {
    for (const DType type : {DType::kFp32, DType::kFp16, DType::kBf16}) {
      traits.functions.push_back(AccuracyOf(backend, InType(function, type), type));
    }
  }
  return traits;
}

}  // namespace assay
