// SPDX-License-Identifier: Apache-2.0
// Measures how far sets reach: random chains of operators on normal data, half of them exact and
// half inexact, none of them selected. Prints for each depth the share of the elements that a set
// judges, the share whose set is narrower than a sixteenth of the largest element, and the median
// of the widths in units of the root mean square of the tensor. Then it prints how many operators
// of the longest chains are in windows that are judged.
//
//   bench_sets [CHAINS]
//
// With test vectors, measures what sets cost: the time of plain execution, that of execution with
// sets, and how many times longer the latter is. Least of five runs each.
//
//   bench_sets VECTOR.tvec...
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "executor.h"
#include "files.h"
#include "graph_builder.h"
#include "tvec_file.h"
#include "windows.h"

namespace assay {
namespace {

constexpr int32_t kRows = 8;
constexpr int32_t kColumns = 32;
constexpr int kDepths[] = {1, 2, 3, 5, 10, 20};

double Normal(Choices& choices) {
  double sum = 0;
  for (int i = 0; i < 12; ++i) sum += static_cast<double>(choices.Below(1 << 20)) * 0x1p-20;
  return sum - 6;
}

Tensor Data(Choices& choices, DType type, const Shape& shape, double scale) {
  std::vector<double> numbers(static_cast<size_t>(shape.Elements()));
  for (double& x : numbers) x = RoundToType(type, scale * Normal(choices));
  return Tensor::FromFloats(type, shape, numbers);
}

class Chain {
 public:
  Chain(Choices& choices, DType type)
      : choices_(choices), type_(type), builder_(choices, Options(), ValueMode::kSpecial) {
    last_ = builder_.AddInput(Data(choices, type, Shape{1, kRows, kColumns}, 1));
  }
  void Extend() {
    constexpr Op kExact[] = {Op::kAbs,   Op::kNegate,  Op::kMaximum,  Op::kMinimum,
                             Op::kClamp, Op::kReverse, Op::kIdentity, Op::kConcat};
    constexpr Op kInexact[] = {Op::kAdd,  Op::kSub, Op::kMul,     Op::kMatmul, Op::kMatmul,
                               Op::kTanh, Op::kErf, Op::kSigmoid, Op::kExp};
    const MaybeValue next =
        Apply(choices_.OneIn(2) ? choices_.Pick(kExact) : choices_.Pick(kInexact));
    if (next) last_ = *next;
  }
  const PoolValue& last() const { return builder_[last_]; }
  // Returns the chain as a vector without an expectation.
  TestVector Finish() {
    TestVector vector;
    vector.requirements = {"PRO-FP", "EXT-BF16"};
    vector.graphs.push_back(builder_.FinishGraph({&last_, 1}, vector.steps.emplace_back()));
    return vector;
  }

 private:
  static const GeneratorOptions& Options() {
    static const GeneratorOptions options = [] {
      GeneratorOptions wide;
      wide.elements_max = 1 << 16;
      wide.level = kLevel8K;
      return wide;
    }();
    return options;
  }
  ValueIndex Other(double scale = 1) {
    return builder_.AddConstant(Data(choices_, type_, Shape{1, kRows, kColumns}, scale));
  }
  MaybeValue Apply(Op wanted) {
    Operator op;
    op.op = wanted;
    op.inputs = {last_};
    const auto propagate = static_cast<int32_t>(NanMode::kPropagate);
    DType result = type_;
    switch (wanted) {
      case Op::kNegate:
        op.inputs.insert(op.inputs.end(), 2, Zero());
        break;
      case Op::kMaximum:
      case Op::kMinimum:
        op.attributes.Set(AttributeId::kNanMode, propagate);
        op.inputs.push_back(Other());
        break;
      case Op::kAdd:
      case Op::kSub:
        op.inputs.push_back(Other());
        break;
      case Op::kMul:
        op.inputs.push_back(Other());
        op.inputs.push_back(builder_.AddNumber(DType::kInt8, 0, true));
        break;
      case Op::kClamp: {
        const double bounds[] = {-2, 2};
        op.attributes.Set(AttributeId::kMinVal, Tensor::FromFloats(type_, {}, {&bounds[0], 1}));
        op.attributes.Set(AttributeId::kMaxVal, Tensor::FromFloats(type_, {}, {&bounds[1], 1}));
        op.attributes.Set(AttributeId::kNanMode, propagate);
        break;
      }
      case Op::kReverse:
        op.attributes.Set(AttributeId::kAxis, 1);
        break;
      case Op::kConcat:  // of one operand
        op.attributes.Set(AttributeId::kAxis, 1);
        break;
      case Op::kMatmul: {
        const Shape square = {1, kColumns, kColumns};
        const double scale = 1 / std::sqrt(kColumns);
        op.inputs.push_back(builder_.AddConstant(Data(choices_, type_, square, scale)));
        op.inputs.insert(op.inputs.end(), 2, Zero());
        if (type_ == DType::kBf16) result = DType::kFp32;
        break;
      }
      default:
        break;
    }
    const MaybeValue next = builder_.Add(std::move(op), {&result, 1});
    if (!next || result == type_) return next;
    Operator cast;
    cast.op = Op::kCast;
    cast.inputs = {*next};
    return builder_.Add(std::move(cast), {&type_, 1});
  }
  ValueIndex Zero() { return builder_.AddNumber(type_, 0, true); }

  Choices& choices_;
  DType type_;
  GraphBuilder builder_;
  ValueIndex last_;
};

void Measure(DType type, int chains) {
  for (const int depth : kDepths) {
    int64_t elements = 0;
    int64_t judged = 0;
    int64_t narrow = 0;
    std::vector<double> widths;
    for (int i = 0; i < chains; ++i) {
      Choices choices(Random::For(1, static_cast<uint64_t>(i), "sets", 1));
      Chain chain(choices, type);
      for (int step = 0; step < depth; ++step) chain.Extend();
      const PoolValue& last = chain.last();
      double squares = 0;
      for (const Bounded& x : *last.value.elements().elements) {
        squares += x.value.real() * x.value.real();
      }
      const double rms = std::sqrt(squares / static_cast<double>(last.elements()));
      const double largest = std::max(std::fabs(last.low), std::fabs(last.high));
      for (const Bounded& x : *last.value.elements().elements) {
        ++elements;
        if (x.certainty == Certainty::kUndecided) continue;
        ++judged;
        const double error = x.certainty == Certainty::kBounded ? x.error : 0;
        narrow += error <= largest / 16 ? 1 : 0;
        widths.push_back(error / rms);
      }
    }
    const auto middle = widths.begin() + std::ssize(widths) / 2;
    std::nth_element(widths.begin(), middle, widths.end());
    const auto share = [&](int64_t count) {
      return 100 * static_cast<double>(count) / static_cast<double>(elements);
    };
    std::printf("%-5s depth %2d: judged %5.1f %%, narrow %5.1f %%, median width %.1e\n",
                std::string(TypeName(type)).c_str(), depth, share(judged), share(narrow), *middle);
  }
}

// Prints the share of the operators of long chains that are in a window that is judged, and in one
// that decides every element of its outputs.
void MeasureWindows(DType type, int chains) {
  int64_t operators = 0, judged = 0, decided = 0;
  for (int i = 0; i < chains; ++i) {
    Choices choices(Random::For(1, static_cast<uint64_t>(i), "sets", 1));
    Chain chain(choices, type);
    for (int step = 0; step < kDepths[std::size(kDepths) - 1]; ++step) chain.Extend();
    const TestVector vector = chain.Finish();
    std::set<OperatorPlace> in_judged, in_decided;
    for (Window& window : FindWindows(vector).windows) {
      std::string reason;
      if (!ExpectWindow(window, &reason)) continue;
      in_judged.insert(window.stands_for.begin(), window.stands_for.end());
      if (!IsFullyDecided(window.vector)) continue;
      in_decided.insert(window.stands_for.begin(), window.stands_for.end());
    }
    operators += std::ssize(WorkingPlaces(vector));
    judged += std::ssize(in_judged);
    decided += std::ssize(in_decided);
  }
  std::printf("%-5s windows of %lld operators: %lld judged, %lld in one that decides all\n",
              std::string(TypeName(type)).c_str(), static_cast<long long>(operators),
              static_cast<long long>(judged), static_cast<long long>(decided));
}

template <class Work>
double LeastSeconds(Work work) {
  double least = HUGE_VAL;
  for (int run = 0; run < 5; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    least = std::min(least, took.count());
  }
  return least;
}

bool MeasureCost(const char* path) {
  const Result<std::vector<uint8_t>> bytes = ReadFile(path);
  if (!bytes) return false;
  Result<TestVector> vector = ReadTestVector(*bytes, path);
  if (!vector) return false;
  const double plain = LeastSeconds([&] { ExecuteVector(*vector, {}); });
  std::string reason;
  const double sets = LeastSeconds([&] { Expect(*vector, {}, &reason); });
  std::printf("%s: plain %.6f s, sets %.6f s, %.1f times\n", path, plain, sets, sets / plain);
  return true;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  if (argc > 1 && std::atoi(argv[1]) == 0) {
    bool all = true;
    for (int i = 1; i < argc; ++i) all = assay::MeasureCost(argv[i]) && all;
    return all ? 0 : 2;
  }
  const int chains = argc > 1 ? std::atoi(argv[1]) : 500;
  for (const assay::DType type : {assay::DType::kFp32, assay::DType::kFp16, assay::DType::kBf16}) {
    assay::Measure(type, chains);
    assay::MeasureWindows(type, chains);
  }
}
