// SPDX-License-Identifier: Apache-2.0
#include "declaration_probes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "clean_text.h"
#include "finding_text.h"
#include "float_format.h"
#include "flushing.h"
#include "flushing_probes.h"
#include "judge_vector.h"
#include "probe_graph.h"
#include "random.h"

namespace assay {
namespace {

constexpr uint64_t kSeed = 1;

int Precision(DType type) { return FormatOf(type).fraction_bits + 1; }

// Returns the bits that each operand may have, so that every partial sum of `terms` products of
// `operands` operands is a value of the type `sum`; at most the precision of `type`.
int BitsFor(DType type, DType sum, int terms, int operands) {
  const auto carry = static_cast<int>(std::bit_width(static_cast<unsigned>(terms - 1)));
  return std::min(Precision(type), (Precision(sum) - carry) / operands);
}

// Returns odd numbers of at most `bits` bits with random signs.
std::vector<double> OddNumbers(Random& random, int64_t count, int bits) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < count; ++i) {
    const auto number = static_cast<double>(random.Below(uint64_t{1} << bits) | 1);
    numbers.push_back(random.OneIn(2) ? -number : number);
  }
  return numbers;
}

std::string TypesText(DType in, DType out) {
  return std::string(TypeName(in)) + (in == out ? "" : " to " + std::string(TypeName(out)));
}

// ---- plain-sums

Probe MatMul(DType in, DType out, int terms, int bits, Random& random) {
  constexpr int kRows = 3, kColumns = 5;
  const std::vector<double> a = OddNumbers(random, kRows * terms, bits);
  const std::vector<double> b = OddNumbers(random, terms * kColumns, bits);
  std::vector<double> sums;
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      double sum = 0;
      for (int k = 0; k < terms; ++k) {
        sum +=
            a[static_cast<size_t>(row * terms + k)] * b[static_cast<size_t>(k * kColumns + column)];
      }
      sums.push_back(sum);
    }
  }
  ProbeGraph graph;
  const TensorIndex x = graph.Input(Tensor::FromFloats(in, {1, kRows, terms}, a));
  const TensorIndex y = graph.Input(Tensor::FromFloats(in, {1, terms, kColumns}, b));
  const TensorIndex zero = graph.Constant(Tensor::Splat(in, {1}, 0));
  const TensorIndex product =
      graph.Add(Op::kMatmul, {x, y, zero, zero}, {out, {1, kRows, kColumns}});
  return graph.Finish("MATMUL " + TypesText(in, out) + ", " + std::to_string(terms) + " products",
                      product, sums);
}

// A convolution of 3 x 3, for which backends use other algorithms than sums of products.
Probe Convolution(DType in, DType accumulator, int bits, Random& random) {
  constexpr int kSize = 6, kKernel = 3, kIn = 4, kOut = 2;
  const std::vector<double> x = OddNumbers(random, kSize * kSize * kIn, bits);
  const std::vector<double> w = OddNumbers(random, kOut * kKernel * kKernel * kIn, bits);
  const std::vector<double> bias = OddNumbers(random, kOut, bits);
  std::vector<double> sums;
  for (int row = 0; row < kSize; ++row) {
    for (int column = 0; column < kSize; ++column) {
      for (int channel = 0; channel < kOut; ++channel) {
        double sum = bias[static_cast<size_t>(channel)];
        for (int tap = 0; tap < kKernel * kKernel * kIn; ++tap) {
          const int y = row + tap / (kKernel * kIn) - 1, z = column + tap / kIn % kKernel - 1;
          if (y < 0 || y >= kSize || z < 0 || z >= kSize) continue;
          sum += x[static_cast<size_t>((y * kSize + z) * kIn + tap % kIn)] *
                 w[static_cast<size_t>(channel * kKernel * kKernel * kIn + tap)];
        }
        sums.push_back(sum);
      }
    }
  }
  ProbeGraph graph;
  const TensorIndex input = graph.Input(Tensor::FromFloats(in, {1, kSize, kSize, kIn}, x));
  const TensorIndex weight =
      graph.Constant(Tensor::FromFloats(in, {kOut, kKernel, kKernel, kIn}, w));
  const TensorIndex add = graph.Constant(Tensor::FromFloats(in, {kOut}, bias));
  const TensorIndex zero = graph.Constant(Tensor::Splat(in, {1}, 0));
  const TensorIndex output =
      graph.Add(Op::kConv2d, {input, weight, add, zero, zero}, {in, {1, kSize, kSize, kOut}},
                {{AttributeId::kPad, std::vector<int32_t>{1, 1, 1, 1}},
                 {AttributeId::kStride, std::vector<int32_t>{1, 1}},
                 {AttributeId::kDilation, std::vector<int32_t>{1, 1}},
                 {AttributeId::kAccType, static_cast<int32_t>(accumulator)},
                 {AttributeId::kLocalBound, false}});
  return graph.Finish("CONV2D " + std::string(TypeName(in)) + ", 3 x 3, accumulator " +
                          std::string(TypeName(accumulator)),
                      output, sums);
}

Probe Sum(DType type, int terms, int bits, Random& random) {
  constexpr int kRows = 3;
  const std::vector<double> x = OddNumbers(random, kRows * terms, bits);
  std::vector<double> sums(kRows, 0);
  for (size_t i = 0; i < x.size(); ++i) sums[i / static_cast<size_t>(terms)] += x[i];
  ProbeGraph graph;
  const TensorIndex input = graph.Input(Tensor::FromFloats(type, {kRows, terms}, x));
  const TensorIndex sum =
      graph.Add(Op::kReduceSum, {input}, {type, {kRows, 1}}, {{AttributeId::kAxis, 1}});
  return graph.Finish(
      "REDUCE_SUM " + std::string(TypeName(type)) + ", " + std::to_string(terms) + " elements", sum,
      sums);
}

// x * y + z = 2^k. The rule of ADD alone also admits the value below 2^k.
Probe PowersOfTwo(DType type, Random& random) {
  const int bits = (Precision(type) - 2) / 2;
  const std::vector<double> x = OddNumbers(random, kProbeElements, bits);
  const std::vector<double> y = OddNumbers(random, kProbeElements, bits);
  const double power = std::ldexp(1.0, 2 * bits);
  std::vector<double> z;
  for (size_t i = 0; i < x.size(); ++i) z.push_back(power - x[i] * y[i]);
  const TensorType list = {type, {kProbeElements}};
  ProbeGraph graph;
  const TensorIndex a = graph.Input(Tensor::FromFloats(type, {kProbeElements}, x));
  const TensorIndex b = graph.Input(Tensor::FromFloats(type, {kProbeElements}, y));
  const TensorIndex c = graph.Input(Tensor::FromFloats(type, {kProbeElements}, z));
  const TensorIndex shift = graph.Constant(Tensor::Splat(DType::kInt8, {1}, 0));
  const TensorIndex product = graph.Add(Op::kMul, {a, b, shift}, list);
  const TensorIndex sum = graph.Add(Op::kAdd, {product, c}, list);
  return graph.Finish("MUL, ADD to powers of two " + std::string(TypeName(type)), sum,
                      std::vector<double>(kProbeElements, power));
}

// Sums for which all products and all partial sums are whole numbers that the accumulator has.
std::vector<Probe> PlainSums() {
  constexpr std::pair<DType, DType> kMatMuls[] = {{DType::kFp32, DType::kFp32},
                                                  {DType::kFp16, DType::kFp32},
                                                  {DType::kFp16, DType::kFp16},
                                                  {DType::kBf16, DType::kFp32}};
  constexpr std::pair<DType, DType> kConvolutions[] = {{DType::kFp32, DType::kFp32},
                                                       {DType::kFp16, DType::kFp32},
                                                       {DType::kFp16, DType::kFp16},
                                                       {DType::kBf16, DType::kFp32}};
  constexpr int kTerms[] = {3, 16, 64, 257};
  Random random(kSeed);
  std::vector<Probe> probes;
  for (const auto& [in, out] : kMatMuls) {
    for (const int terms : kTerms) {
      const int bits = BitsFor(in, out, terms, 2);
      if (bits > 0) probes.push_back(MatMul(in, out, terms, bits, random));
    }
  }
  for (const auto& [in, accumulator] : kConvolutions) {
    constexpr int kProductsAndBias = 37;
    const int bits = BitsFor(in, in, kProductsAndBias, 2);
    if (bits > 0) probes.push_back(Convolution(in, accumulator, bits, random));
  }
  for (const DType type : {DType::kFp32, DType::kFp16, DType::kBf16}) {
    for (const int terms : kTerms) {
      const int bits = BitsFor(type, type, terms, 1);
      if (bits > 0) probes.push_back(Sum(type, terms, bits, random));
    }
    probes.push_back(PowersOfTwo(type, random));
  }
  return probes;
}

// ---- rounds-results

// Tells whether a number lies away from all values of the type and from the middle between two of
// them, so that rounding changes it, and in one way.
bool RoundsOneWay(DType type, double value) {
  const double rounded = RoundToType(type, value);
  const double next = value > rounded ? NextUp(type, rounded) : NextDown(type, rounded);
  return rounded != value && std::fabs(value - rounded) != std::fabs(next - value);
}

// Returns a value of the type in [1, 2).
double Significand(DType type, Random& random) {
  const int bits = Precision(type) - 1;
  return 1 + std::ldexp(static_cast<double>(random.Below(uint64_t{1} << bits)), -bits);
}

// x * y - r, where r is the rounded product.
Probe Product(DType type, Random& random) {
  std::vector<double> x, y, rounded, zeros(kProbeElements, 0);
  while (std::ssize(x) < kProbeElements) {
    const double a = Significand(type, random), b = Significand(type, random);
    if (!RoundsOneWay(type, a * b)) continue;
    x.push_back(a);
    y.push_back(b);
    rounded.push_back(RoundToType(type, a * b));
  }
  const TensorType list = {type, {kProbeElements}};
  ProbeGraph graph;
  const TensorIndex a = graph.Input(Tensor::FromFloats(type, {kProbeElements}, x));
  const TensorIndex b = graph.Input(Tensor::FromFloats(type, {kProbeElements}, y));
  const TensorIndex r = graph.Input(Tensor::FromFloats(type, {kProbeElements}, rounded));
  const TensorIndex shift = graph.Constant(Tensor::Splat(DType::kInt8, {1}, 0));
  const TensorIndex product = graph.Add(Op::kMul, {a, b, shift}, list);
  const TensorIndex rest = graph.Add(Op::kSub, {product, r}, list);
  return graph.Finish("MUL, SUB " + std::string(TypeName(type)), rest, zeros);
}

// (a + b) - a, where a counts in units and b is a quarter or three.
Probe SumLess(DType type, Random& random) {
  const int bits = Precision(type) - 1;
  std::vector<double> large, small, rest;
  for (int i = 0; i < kProbeElements; ++i) {
    const uint64_t number = (uint64_t{1} << bits) + random.Below((uint64_t{1} << bits) - 1);
    large.push_back(static_cast<double>(number));
    small.push_back(random.OneIn(2) ? 0.25 : 0.75);
    rest.push_back(RoundToType(type, large.back() + small.back()) - large.back());
  }
  const TensorType list = {type, {kProbeElements}};
  ProbeGraph graph;
  const TensorIndex a = graph.Input(Tensor::FromFloats(type, {kProbeElements}, large));
  const TensorIndex b = graph.Input(Tensor::FromFloats(type, {kProbeElements}, small));
  const TensorIndex sum = graph.Add(Op::kAdd, {a, b}, list);
  const TensorIndex difference = graph.Add(Op::kSub, {sum, a}, list);
  return graph.Finish("ADD, SUB " + std::string(TypeName(type)), difference, rest);
}

// A cast to a narrower type and back. CAST may round to nearest or to zero, which is the same here.
Probe ThereAndBack(DType narrow, Random& random) {
  std::vector<double> x, rounded;
  while (std::ssize(x) < kProbeElements) {
    const double number = Significand(DType::kFp32, random);
    if (!RoundsOneWay(narrow, number) || RoundToType(narrow, number) > number) continue;
    x.push_back(number);
    rounded.push_back(RoundToType(narrow, number));
  }
  ProbeGraph graph;
  const TensorIndex input = graph.Input(Tensor::FromFloats(DType::kFp32, {kProbeElements}, x));
  const TensorIndex there = graph.Add(Op::kCast, {input}, {narrow, {kProbeElements}});
  const TensorIndex back = graph.Add(Op::kCast, {there}, {DType::kFp32, {kProbeElements}});
  return graph.Finish("CAST to " + std::string(TypeName(narrow)) + " and back", back, rounded);
}

// A cast of integers to a type that does not have them. Then it subtracts the rounded numbers, or
// casts back.
Probe CastOfIntegers(DType integer, DType type, bool goes_back, Random& random) {
  const auto most = static_cast<int64_t>(
      std::min({static_cast<double>(MaximumInteger(integer)) / 2, FormatOf(type).max / 2, 0x1p30}));
  std::vector<int64_t> numbers, whole;
  std::vector<double> rounded;
  while (std::ssize(numbers) < kProbeElements) {
    const int64_t number = random.Between(-most, most);
    if (!RoundsOneWay(type, static_cast<double>(number))) continue;
    numbers.push_back(number);
    rounded.push_back(RoundToType(type, static_cast<double>(number)));
    whole.push_back(static_cast<int64_t>(rounded.back()));
  }
  const TensorType list = {type, {kProbeElements}};
  const std::string what = "CAST " + TypesText(integer, type) + (goes_back ? " and back" : ", SUB");
  ProbeGraph graph;
  const TensorIndex input = graph.Input(Tensor::FromIntegers(integer, list.shape, numbers));
  const TensorIndex cast = graph.Add(Op::kCast, {input}, list);
  if (!goes_back) {
    const TensorIndex r = graph.Input(Tensor::FromFloats(type, list.shape, rounded));
    return graph.Finish(what, graph.Add(Op::kSub, {cast, r}, list),
                        std::vector<double>(kProbeElements, 0));
  }
  Probe probe = graph.Finish(what, graph.Add(Op::kCast, {cast}, {integer, list.shape}));
  probe.vector.steps[0].outputs = {
      {Tensor::FromIntegers(integer, list.shape, whole), {}, {}, "exact"}};
  return probe;
}

std::vector<Probe> RoundedResults() {
  Random random(kSeed);
  std::vector<Probe> probes;
  for (const DType type : {DType::kFp32, DType::kFp16, DType::kBf16}) {
    probes.push_back(Product(type, random));
    probes.push_back(SumLess(type, random));
  }
  for (const DType type : {DType::kFp16, DType::kBf16}) {
    probes.push_back(ThereAndBack(type, random));
  }
  constexpr std::pair<DType, DType> kCasts[] = {{DType::kInt32, DType::kFp32},
                                                {DType::kInt32, DType::kFp16},
                                                {DType::kInt32, DType::kBf16},
                                                {DType::kInt16, DType::kFp16},
                                                {DType::kInt16, DType::kBf16}};
  for (const auto& [integer, type] : kCasts) {
    for (const bool goes_back : {false, true}) {
      probes.push_back(CastOfIntegers(integer, type, goes_back, random));
    }
  }
  return probes;
}

// ---- Asking

bool HasEnded(const Result<std::vector<Outcome>>& outcomes) {
  return !outcomes || outcomes->empty() || (*outcomes)[0].kind >= OutcomeKind::kCrashed;
}

// Returns what is wrong with the backend's answer to a probe; "" if nothing is.
std::string ComplaintOf(const Probe& probe, const DeclarationRow& declaration,
                        const Result<std::vector<Outcome>>& outcomes) {
  if (!outcomes) return probe.what + ": " + outcomes.error().message;
  Verdict verdict = JudgeVector(probe.vector, *outcomes);
  if (verdict.kind == VerdictKind::kAgrees) {
    BackendDeclarations declared;
    declared.*declaration.field = true;
    verdict.findings = FindingsOfFlushing(probe.vector, *outcomes, declared);
    if (verdict.findings.empty()) return "";
    verdict.findings[0].rests_on.clear();  // the point names the declaration
  }
  return probe.what + ": " +
         (verdict.findings.empty() ? verdict.reason : FindingText(verdict.findings[0]));
}

// Returns how many probes agree, and which if the backend does not support them all. Few of them
// say little about a declaration.
std::string AgreementText(const std::vector<std::string>& asked, size_t all,
                          const std::string& unsupported) {
  constexpr size_t kNamed = 8;
  if (asked.size() == all) return "all " + std::to_string(all) + " probes agree";
  std::string names;
  for (size_t i = 0; i < std::min(asked.size(), kNamed); ++i) {
    names += (i == 0 ? "" : "; ") + asked[i];
  }
  if (asked.size() > kNamed) names += "; ...";
  return OneLine("only " + std::to_string(asked.size()) + " of " + std::to_string(all) +
                 " probes ran, and agree: " + names +
                 "; the others are not supported: " + unsupported);
}

ExamPoint DeclarationPoint(const DeclarationRow& declaration, Backend& backend) {
  ExamPoint point{"keeps what " + std::string(declaration.name) + " declares",
                  ExamMark::kNotSupported, ""};
  std::string unsupported, first;
  std::vector<std::string> asked;
  int lacking = 0, differ = 0;
  const auto leave_out = [&](const std::string& why) {
    if (lacking++ == 0) unsupported = why;
  };
  for (const Probe& probe : ProbesOf(declaration)) {
    const std::string why = backend.WhyUnsupported(probe.vector);
    if (!why.empty()) {
      leave_out(why);
      continue;
    }
    const Result<std::vector<Outcome>> outcomes = backend.Run(probe.vector);
    if (outcomes && !outcomes->empty() && (*outcomes)[0].kind == OutcomeKind::kUnsupported) {
      leave_out((*outcomes)[0].message);
      continue;
    }
    asked.push_back(probe.what);
    const std::string complaint = ComplaintOf(probe, declaration, outcomes);
    if (complaint.empty()) continue;
    if (differ++ == 0) first = complaint;
    if (HasEnded(outcomes)) break;  // the others would crash or hang as well
  }
  if (asked.empty()) {
    point.remark = OneLine(unsupported);
    return point;
  }
  point.remark =
      differ == 0 ? AgreementText(asked, asked.size() + static_cast<size_t>(lacking), unsupported)
                  : OneLine(std::to_string(differ) + " of " + std::to_string(asked.size()) +
                            " probes differ; " + first);
  const bool declared = backend.Declared().*declaration.field;
  point.mark = !declared     ? ExamMark::kNotDeclared
               : differ == 0 ? ExamMark::kGood
                             : ExamMark::kFailed;
  return point;
}

}  // namespace

std::vector<Probe> ProbesOf(const DeclarationRow& declaration) {
  if (declaration.field == &Declarations::plain_sums) return PlainSums();
  if (declaration.field == &Declarations::rounds_results) return RoundedResults();
  if (declaration.field == &Declarations::flushes_subnormals ||
      declaration.field == &Declarations::keeps_subnormals) {
    return SubnormalNumbers();
  }
  return {};
}

std::vector<ExamPoint> ProbeDeclarations(Backend& backend) {
  std::vector<ExamPoint> points;
  for (const DeclarationRow& declaration : AllDeclarations()) {
    if (ProbesOf(declaration).empty()) continue;
    points.push_back(DeclarationPoint(declaration, backend));
  }
  return points;
}

}  // namespace assay
