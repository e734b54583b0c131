// SPDX-License-Identifier: Apache-2.0
// Tests the probing of backends on executors whose traits are known.
#include "probe_traits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "executor.h"
#include "json_text.h"
#include "member.h"
#include "mutants.h"
#include "own_executor.h"

namespace assay::probe_traits_test {
namespace {

BackendTraits TraitsOf(const Member& member) {
  ExecutionOptions options;
  options.member = &member;
  const auto backend = MakeOwnExecutor("member", options, {});
  return ProbeTraits(*backend);
}

std::string AnswerTo(const std::vector<BackendTrait>& traits, std::string_view question) {
  for (const BackendTrait& trait : traits) {
    if (trait.question.starts_with(question)) return trait.answer;
  }
  return "not asked";
}

constexpr char kMatMul[] = "MATMUL fp32,";

TEST(ProbeTraits, TellsTheOrderOfSums) {
  const std::pair<SumOrder, const char*> orders[] = {
      {SumOrder::kForward, "one after the other, from the first"},
      {SumOrder::kReverse, "one after the other, from the last"},
      {SumOrder::kPairwise, "in pairs of neighbours, then pairs of these sums"},
      {SumOrder::kLanes8, "in 8 lanes, then the lanes: "},
  };
  for (const auto& [order, text] : orders) {
    const BackendTraits traits = TraitsOf({"", order, SumPrecision::kAccumulator});
    for (const char* question : {kMatMul, "MATMUL fp16,", "MATMUL fp16 to fp32", "CONV2D bf16",
                                 "REDUCE_SUM fp32, first axis", "REDUCE_SUM fp32, last axis"}) {
      EXPECT_TRUE(AnswerTo(traits.sums, question).starts_with(text))
          << question << ": " << AnswerTo(traits.sums, question);
    }
  }
  const BackendTraits doubles = TraitsOf({"", SumOrder::kReverse, SumPrecision::kDouble});
  EXPECT_EQ(AnswerTo(doubles.sums, kMatMul), "one after the other, from the last");
  EXPECT_TRUE(AnswerTo(doubles.sums, "MATMUL fp16,").starts_with("no ones are lost"));
}

TEST(ProbeTraits, TellsKeptPrecision) {
  const std::pair<Keeps, std::pair<const char*, const char*>> kept[] = {
      {Keeps::kNothing, {"all", "all"}},
      {Keeps::kCasts, {"all", "none"}},
      {Keeps::kUnrounded, {"none", "none"}}};
  for (const auto& [keeps, rounded] : kept) {
    const BackendTraits traits =
        TraitsOf({"", SumOrder::kForward, SumPrecision::kAccumulator, keeps});
    for (const char* question : {"MUL, SUB fp32", "ADD, SUB fp16"}) {
      EXPECT_EQ(AnswerTo(traits.precision, question),
                std::string("inner results that are rounded: ") + rounded.first);
    }
    EXPECT_EQ(traits.precision.size(), 18u);
    EXPECT_EQ(AnswerTo(traits.precision, "CAST to bf16"),
              std::string("inner results that are rounded: ") + rounded.second);
  }
}

TEST(ProbeTraits, TellsFlushing) {
  for (const bool flushes : {false, true}) {
    Member member = {"", SumOrder::kForward, SumPrecision::kAccumulator};
    member.flushes = flushes;
    const BackendTraits traits = TraitsOf(member);
    for (const BackendTrait& trait : traits.subnormals) {
      EXPECT_EQ(trait.answer, flushes ? "kept: none" : "kept: all") << trait.question;
    }
    for (const FunctionAccuracy& function : traits.functions) {
      EXPECT_LE(function.worst, 1) << OperatorName(function.use.op) << " flushes";
    }
  }
}

TEST(ProbeTraits, MeasuresErrorsOfFunctions) {
  Member member = {"", SumOrder::kForward, SumPrecision::kAccumulator};
  member.moves = true;
  const BackendTraits moved = TraitsOf(member);
  ASSERT_EQ(moved.functions.size(), 30u);
  for (const FunctionAccuracy& function : moved.functions) {
    const std::string_view name = OperatorName(function.use.op);
    EXPECT_GT(function.worst, 0.7) << name;
    EXPECT_LE(function.worst, 1) << name;
    EXPECT_EQ(function.largest.size(), 64u);
    EXPECT_EQ(std::ranges::count_if(function.largest, [](double x) { return std::isnan(x); }), 0)
        << name << ": parts without a judged argument";
    EXPECT_GT(*std::ranges::max_element(function.largest), 0.7) << name;
    EXPECT_LE(*std::ranges::max_element(function.largest), function.worst) << name;
  }
  // An executor that answers for another argument is off by more than is allowed.
  const auto mutants = AllMutants();
  const auto wrong = std::ranges::find(mutants, "sigmoid/of-magnitude", &Mutant::id);
  ASSERT_NE(wrong, mutants.end());
  ExecutionOptions options;
  options.mutant = &*wrong;
  const auto backend = MakeOwnExecutor("mutant", options, {});
  const BackendTraits traits = ProbeTraits(*backend);
  for (const FunctionAccuracy& function : traits.functions) {
    EXPECT_EQ(function.worst > 1, function.use.op == Op::kSigmoid);
  }
}

// The reference, which answers wrongly for some operands of functions of one operand.
class WrongAt : public Backend {
 public:
  using Answer = double (*)(double x, double right);
  explicit WrongAt(Answer answer) : answer_(answer) {}
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    std::vector<Outcome> outcomes = ExecuteVector(vector, {});
    const Block& main = *vector.graphs[0].Main();
    if (main.operators.size() != 1 || main.inputs.size() != 1) return outcomes;
    Tensor& output = outcomes[0].outputs[0];
    const Tensor& input = vector.steps[0].inputs[0];
    if (output.shape() != input.shape() || !IsFloat(output.type())) return outcomes;
    std::vector<double> numbers;
    for (int64_t i = 0; i < output.elements(); ++i) {
      numbers.push_back(answer_(input.Float(i), output.Float(i)));
    }
    output = Tensor::FromFloats(output.type(), output.shape(), numbers);
    return outcomes;
  }
  std::string Describe() const override { return "wrong at some arguments"; }

 private:
  Answer answer_;
};

const FunctionAccuracy& AccuracyOf(const BackendTraits& traits, Op op, DType type) {
  return *std::ranges::find_if(traits.functions, [&](const FunctionAccuracy& function) {
    return function.use.op == op && function.use.type == type;
  });
}

TEST(ProbeTraits, SeesErrorsNearZero) {
  WrongAt backend(
      [](double x, double right) { return std::fabs(x) < 1e-7 ? 1.25 * right : right; });
  const BackendTraits traits = ProbeTraits(backend);
  for (const Op op : {Op::kErf, Op::kSigmoid, Op::kExp}) {
    const FunctionAccuracy& function = AccuracyOf(traits, op, DType::kFp32);
    EXPECT_GT(function.worst, 1e5) << OperatorName(op);
    EXPECT_LT(std::fabs(function.at), 1e-7) << OperatorName(op);
  }
  EXPECT_GT(AccuracyOf(traits, Op::kSin, DType::kFp32).worst, 100) << "a wide rule";
}

TEST(ProbeTraits, SeesErrorsNextToOne) {
  WrongAt backend([](double x, double right) {
    return x != 1 && std::fabs(x - 1) < 1e-5 ? 1.25 * right : right;
  });
  const BackendTraits traits = ProbeTraits(backend);
  EXPECT_GT(AccuracyOf(traits, Op::kLog, DType::kFp32).worst, 10);
}

TEST(ProbeTraits, TriesSpecialValues) {
  WrongAt backend([](double x, double right) { return std::isinf(x) && x < 0 ? 2 : right; });
  const BackendTraits traits = ProbeTraits(backend);
  for (const FunctionAccuracy& function : traits.functions) {
    if (function.use.op == Op::kPow) continue;  // has no special results
    EXPECT_GT(function.worst, 50) << OperatorName(function.use.op);
    EXPECT_TRUE(std::isinf(function.at) && function.at < 0) << OperatorName(function.use.op);
    EXPECT_EQ(function.special, 19);
  }
}

TEST(ProbeTraits, NanIsBeyondAllBoundsAndInNoOrder) {
  class AllNan : public Backend {
    Result<std::vector<Outcome>> Run(const TestVector& vector) override {
      const Block& block = *vector.graphs[0].Main();
      const TensorType& type = block.TypeOf(block.outputs[0]);
      const std::vector<double> nans(static_cast<size_t>(type.shape.Elements()), std::nan(""));
      Outcome outcome;
      outcome.kind = OutcomeKind::kValid;
      outcome.outputs = {IsFloat(type.type) ? Tensor::FromFloats(type.type, type.shape, nans)
                                            : Tensor::Splat(type.type, type.shape, 0)};
      return std::vector<Outcome>{outcome};
    }
    std::string Describe() const override { return "nan"; }
  };
  AllNan backend;
  const BackendTraits traits = ProbeTraits(backend);
  for (const FunctionAccuracy& function : traits.functions) {
    EXPECT_EQ(function.worst, std::numeric_limits<double>::infinity());
  }
  EXPECT_TRUE(AnswerTo(traits.sums, kMatMul).starts_with("no tree fits"));
}

TEST(ProbeTraits, UnsupportedIsSaid) {
  class Nothing : public Backend {
    std::string WhyUnsupported(const TestVector&) const override { return "no <such> thing"; }
    Result<std::vector<Outcome>> Run(const TestVector&) override { return std::vector<Outcome>(); }
    std::string Describe() const override { return "nothing"; }
  };
  Nothing nothing;
  const BackendTraits traits = ProbeTraits(nothing);
  EXPECT_EQ(AnswerTo(traits.sums, kMatMul), "not supported: no <such> thing");
  EXPECT_EQ(traits.functions[0].why_not, "not supported: no <such> thing");
  EXPECT_NE(TraitsToText(traits).find("  ERF fp32: not supported: no <such> thing\n"),
            std::string::npos);
  EXPECT_NE(TraitsToHtml(traits).find("no &lt;such&gt; thing"), std::string::npos);
  EXPECT_TRUE(JsonFrom(TraitsToJson(traits))["functions"][0].contains("not_supported"));
}

TEST(ProbeTraits, PageHasAPlotForEachFunction) {
  const BackendTraits traits = TraitsOf({"", SumOrder::kForward, SumPrecision::kAccumulator});
  const std::string html = TraitsToHtml(traits);
  size_t plots = 0;
  for (size_t at = html.find("<svg"); at != html.npos; at = html.find("<svg", at + 1)) ++plots;
  EXPECT_EQ(plots, traits.functions.size());
  const auto json = JsonFrom(TraitsToJson(traits));
  EXPECT_EQ(json["functions"].size(), traits.functions.size());
  for (const auto& function : json["functions"]) {
    EXPECT_EQ(function["largest"].size(), 64u);
    EXPECT_TRUE(std::ranges::is_sorted(function["starts"].get<std::vector<double>>()));
  }
}

}  // namespace
}  // namespace assay::probe_traits_test
