// SPDX-License-Identifier: Apache-2.0
// Tests the probing of backends on executors whose traits are known.
#include "probe_traits.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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
    EXPECT_EQ(traits.precision.size(), 8u);
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
  ASSERT_EQ(moved.functions.size(), 27u);
  for (const FunctionAccuracy& function : moved.functions) {
    const std::string_view name = OperatorName(function.use.op);
    EXPECT_GT(function.worst, 0.7) << name;
    EXPECT_LE(function.worst, 1) << name;
    EXPECT_EQ(function.largest.size(), 64u);
    EXPECT_EQ(std::ranges::count_if(function.largest, [](double x) { return std::isnan(x); }), 0)
        << name << ": parts without a judged argument";
    EXPECT_EQ(*std::ranges::max_element(function.largest), function.worst);
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

TEST(ProbeTraits, NanIsBeyondAllBoundsAndInNoOrder) {
  class AllNan : public Backend {
    Result<std::vector<Outcome>> Run(const TestVector& vector) override {
      const Block& block = *vector.graphs[0].Main();
      const TensorType& type = block.TypeOf(block.outputs[0]);
      const std::vector<double> nans(static_cast<size_t>(type.shape.Elements()), std::nan(""));
      Outcome outcome;
      outcome.kind = OutcomeKind::kValid;
      outcome.outputs = {Tensor::FromFloats(type.type, type.shape, nans)};
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
  EXPECT_TRUE(
      JsonFrom<nlohmann::json>(TraitsToJson(traits))["functions"][0].contains("not_supported"));
}

TEST(ProbeTraits, PageHasAPlotForEachFunction) {
  const BackendTraits traits = TraitsOf({"", SumOrder::kForward, SumPrecision::kAccumulator});
  const std::string html = TraitsToHtml(traits);
  size_t plots = 0;
  for (size_t at = html.find("<svg"); at != html.npos; at = html.find("<svg", at + 1)) ++plots;
  EXPECT_EQ(plots, traits.functions.size());
  const auto json = JsonFrom<nlohmann::json>(TraitsToJson(traits));
  EXPECT_EQ(json["functions"].size(), traits.functions.size());
  EXPECT_EQ(json["functions"][0]["largest"].size(), 64u);
}

}  // namespace
}  // namespace assay::probe_traits_test
