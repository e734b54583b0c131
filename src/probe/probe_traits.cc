// SPDX-License-Identifier: Apache-2.0
#include "probe_traits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "accuracy.h"
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

double NumberAt(const Tensor& tensor, int64_t i) {
  return IsFloat(tensor.type()) ? tensor.Float(i) : static_cast<double>(tensor.Integer(i));
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
    for (int64_t i = 0; i < got.elements(); ++i) same += NumberAt(got, i) == NumberAt(expected, i);
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

// A function, and the part of its range in which arguments are also spaced evenly. A greater
// argument than 2^last_exponent says nothing: the result is open, or no number of the type.
struct Function {
  Op op;
  bool is_signed;
  int last_exponent;
  double even;  // from -even, or around 1 where it is 0
};
constexpr Function kFunctions[] = {
    {Op::kErf, true, 3, 4},    {Op::kSigmoid, true, 7, 20}, {Op::kTanh, true, 5, 10},
    {Op::kCos, true, 11, 32},  {Op::kSin, true, 11, 32},    {Op::kExp, true, 7, 88},
    {Op::kLog, false, 127, 0}, {Op::kRsqrt, false, 127, 0}, {Op::kReciprocal, true, 125, 16},
    {Op::kPow, false, 127, 0},
};
constexpr int kArguments = 8192, kParts = 64;

// Returns the number at a place of an axis of exponents. Between powers of two it is linear, so
// that no last bit depends on a library.
double AtExponent(double exponent) {
  const double whole = std::floor(exponent);
  return std::ldexp(1 + exponent - whole, static_cast<int>(whole));
}

// Returns the exponent of the least normal number of the type.
int LeastExponent(DType type) { return std::ilogb(FormatOf(type).normal_min); }

// Returns the arguments in ascending order. Half of them are spaced by exponent, down to the least
// normal number. The others are spaced evenly, or by exponent on both sides of 1.
std::vector<double> ArgumentsOf(const Function& function, DType type) {
  const int least = LeastExponent(type);
  const int last = std::min(function.last_exponent, std::ilogb(FormatOf(type).max));
  constexpr int kHalf = kArguments / 2;
  std::vector<double> arguments;
  for (int i = 0; i < kHalf; ++i) {
    const double place = (i + 0.5) / kHalf, sign = i % 2 == 0 ? 1 : -1;
    const double spaced = AtExponent(least + (last - least) * place);
    arguments.push_back(function.is_signed ? sign * spaced : spaced);
    const double even = std::min(function.even, FormatOf(type).max);
    arguments.push_back(even > 0
                            ? even * (2 * place - 1)
                            : 1 + sign * AtExponent(-1 - FormatOf(type).fraction_bits * place));
  }
  std::ranges::sort(arguments);
  return arguments;
}

// Returns the arguments at which functions change their course: those of the specification's tables
// of special values, and the ends of the type.
std::vector<double> SpecialArguments(const Function& function, DType type) {
  const double inf = std::numeric_limits<double>::infinity();
  const FloatFormat& format = FormatOf(type);
  std::vector<double> special = {0.0, 1, 2, 0.5, NextUp(type, 1), NextDown(type, 1)};
  special.insert(special.end(), {format.normal_min, format.max});
  if (function.op == Op::kPow) return special;  // no operand may be negative, infinite or a NaN
  for (size_t i = special.size(); i-- > 0;) special.push_back(-special[i]);
  special.insert(special.end(), {inf, -inf, std::numeric_limits<double>::quiet_NaN()});
  return special;
}

// Returns an exponent for each base of POW. The exponents of the results are spaced as the
// arguments of EXP are: evenly, and down to very small ones.
std::vector<double> PowersOf(const std::vector<double>& bases, DType type) {
  std::vector<double> powers;
  for (size_t i = 0; i < bases.size(); ++i) {
    if (bases[i] == 0 || i >= kArguments) {
      powers.push_back(i % 2 == 0 ? 2 : 0.5);
      continue;
    }
    const auto place = static_cast<double>(i * 2477 % kArguments) / kArguments;  // mixed
    const int last = std::ilogb(FormatOf(type).max), least = LeastExponent(type);
    const double wanted = i % 2 == 0 ? least + (last - least) * place : AtExponent(6 - 24 * place);
    const int exponent = std::ilogb(bases[i]);
    const double logarithm = exponent + (std::ldexp(bases[i], -exponent) - 1);  // nearly, to base 2
    const double power = logarithm == 0 ? wanted : wanted / logarithm;
    powers.push_back(std::clamp(power, -FormatOf(type).max, FormatOf(type).max));
  }
  return powers;
}

// Returns the error of a result as a share of what is allowed; NaN if nothing is to be judged.
double ShareOf(DType type, double got, double reference, double allowed) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  constexpr double kBeyond = std::numeric_limits<double>::infinity();
  if (std::isnan(reference)) return std::isnan(got) ? 0 : kBeyond;
  if (!(allowed >= 0)) return kNone;
  if (got == reference) return 0;
  const bool is_right = WithinBound(type, got, reference, allowed);
  // Near an overflow the distance says nothing.
  if (!std::isfinite(got) || std::fabs(reference) > FormatOf(type).max) {
    return is_right ? 0 : kBeyond;
  }
  // Flushed results have their own section.
  if (got == 0 && std::fabs(reference) < FormatOf(type).normal_min) return kNone;
  // The share may be rounded to the other side of 1.
  const double share = std::fabs(got - reference) / allowed;
  return is_right ? std::fmin(share, 1) : std::fmax(share, std::nextafter(1.0, 2.0));
}

FunctionAccuracy AccuracyOf(Backend& backend, const Function& function, DType type) {
  std::vector<double> arguments = ArgumentsOf(function, type);
  FunctionAccuracy accuracy;
  accuracy.use = {function.op, type};
  for (size_t i = 0; i < kArguments; i += kArguments / kParts) {
    accuracy.starts.push_back(arguments[i]);
  }
  accuracy.first = arguments.front();
  accuracy.last = arguments.back();
  accuracy.largest.assign(kParts, std::numeric_limits<double>::quiet_NaN());
  const std::vector<double> special = SpecialArguments(function, type);
  accuracy.special = std::ssize(special);
  arguments.insert(arguments.end(), special.begin(), special.end());
  const TensorType list = {type, {static_cast<int32_t>(arguments.size())}};
  ProbeGraph graph;
  const Tensor input = Tensor::FromFloats(type, list.shape, arguments);
  std::vector<TensorIndex> operands = {graph.Input(input)};
  if (function.op == Op::kPow) {
    std::vector<double> bases;
    for (int64_t i = 0; i < input.elements(); ++i) bases.push_back(input.Float(i));
    operands.push_back(graph.Input(Tensor::FromFloats(type, list.shape, PowersOf(bases, type))));
  }
  TestVector vector = graph.Finish({graph.Add(function.op, operands, list)});
  Check(Expect(vector, {}), "a function has an expectation");
  const ProbeAnswer answer = Ask(backend, vector);
  accuracy.why_not = answer.why_not;
  if (answer.outputs.empty()) return accuracy;
  const Expectation& expected = vector.steps[0].outputs[0];
  for (size_t i = 0; i < expected.error.size(); ++i) {
    const auto element = static_cast<int64_t>(i);
    const double share =
        ShareOf(type, answer.outputs[0].Float(element), expected.reference[i], expected.error[i]);
    if (std::isnan(share)) continue;
    if (i < kArguments) {
      double& largest = accuracy.largest[i * kParts / kArguments];
      largest = std::fmax(largest, share);
    }
    if (share <= accuracy.worst) continue;
    accuracy.worst = share;
    accuracy.at = input.Float(element);
    if (function.op == Op::kPow) accuracy.power = vector.steps[0].inputs[1].Float(element);
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
      traits.functions.push_back(AccuracyOf(backend, function, type));
    }
  }
  return traits;
}

}  // namespace assay
