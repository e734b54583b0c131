// SPDX-License-Identifier: Apache-2.0
// Tests laws that hold for all generators.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <thread>

#include "block_builder.h"
#include "check_graph.h"
#include "executor.h"
#include "finding_to_keep.h"
#include "generated.h"
#include "generator_table.h"
#include "grow_graph.h"
#include "random.h"
#include "reduce.h"
#include "tvec_file.h"
#include "vector_facts.h"
#include "vector_size.h"
#include "worked_example.h"

namespace assay::generators_test {
namespace {

// Every run has the same cases, unless RC_PARAMS is set.
[[maybe_unused]] const int kSeeded = setenv("RC_PARAMS", "seed=1", 0);

bool SameBytes(const TestVector& a, const TestVector& b) {
  if (a.name != b.name || a.graphs != b.graphs || a.steps.size() != b.steps.size()) return false;
  for (size_t i = 0; i < a.steps.size(); ++i) {
    if (a.steps[i].inputs != b.steps[i].inputs) return false;
    if (a.steps[i].outputs.size() != b.steps[i].outputs.size()) return false;
    for (size_t k = 0; k < a.steps[i].outputs.size(); ++k) {
      if (!(a.steps[i].outputs[k].value == b.steps[i].outputs[k].value)) return false;
    }
  }
  return a.tags == b.tags && a.requirements == b.requirements;
}

bool SameDoubles(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

bool Contains(const TestVector& vector, Op wanted) {
  for (const Graph& graph : vector.graphs) {
    for (const Operator& op : graph.Main()->operators) {
      if (op.op == wanted) return true;
    }
  }
  return false;
}

class EachGenerator : public testing::TestWithParam<const Generator*> {};

TEST_P(EachGenerator, IsAFunctionOfSeedAndIndex) {
  const Generator& generator = *GetParam();
  int different = 0;
  for (uint64_t index = 0; index < 50; ++index) {
    const auto first = generator.make(Options(1), index);
    const auto again = generator.make(Options(1), index);
    ASSERT_EQ(first.has_value(), again.has_value());
    if (!first) continue;
    EXPECT_TRUE(SameBytes(*first, *again)) << first->name;
    const auto other = generator.make(Options(2), index + 10'000'000);
    different += other && !SameBytes(*first, *other);
  }
  EXPECT_GT(different, 25);
}

// A worker process may have made any cases before. A thread that has made none stands for one that
// was just started: generators keep buffers by thread.
TEST_P(EachGenerator, MakesTheSameInAFreshThread) {
  const Generator& generator = *GetParam();
  for (uint64_t index = 0; index < 100; ++index) {
    const auto here = generator.make(Options(4), index);
    std::optional<TestVector> fresh;
    std::thread([&] { fresh = generator.make(Options(4), index); }).join();
    ASSERT_EQ(here.has_value(), fresh.has_value()) << index;
    if (!here) continue;
    EXPECT_TRUE(SameBytes(*here, *fresh)) << here->name;
  }
}

TEST_P(EachGenerator, MakesAVectorForNearlyEveryIndex) {
  const Generator& generator = *GetParam();
  uint64_t made = 0;
  for (uint64_t index = 0; index < kCases; ++index) {
    made += generator.make(Options(3), index * 7).has_value();
  }
  EXPECT_GE(made, kCases * 99 / 100);
}

TEST_P(EachGenerator, SaysWhatTheExecutorSays) {
  const Generator& generator = *GetParam();
  ExecutionOptions execution;
  for (uint64_t index = 0; index < kCases; ++index) {
    const auto vector = generator.make(Options(4), index * 11);
    if (!vector) continue;
    // In the value domain: the outcome and every element.
    const std::vector<Outcome> outcomes = ExecuteVector(*vector, execution);
    ASSERT_EQ(outcomes.size(), vector->steps.size());
    for (size_t s = 0; s < outcomes.size(); ++s) {
      const Step& step = vector->steps[s];
      ASSERT_EQ(outcomes[s].kind, step.expected) << vector->name << " step " << s << ": "
                                                 << outcomes[s].rule << " " << outcomes[s].message;
      if (step.expected != OutcomeKind::kValid) continue;
      for (const auto& [name, value] : step.state_after) {
        ASSERT_TRUE(outcomes[s].state.contains(name)) << vector->name << " " << name;
        EXPECT_EQ(outcomes[s].state.at(name), value.value) << vector->name << " " << name;
      }
      ASSERT_EQ(outcomes[s].outputs.size(), step.outputs.size()) << vector->name;
      for (size_t i = 0; i < step.outputs.size(); ++i) {
        EXPECT_EQ(outcomes[s].outputs[i], step.outputs[i].value) << vector->name << " output " << i;
      }
    }
    // In the bound domain: the bounds, and nothing that keeps a vector from being emitted.
    TestVector again = *vector;
    ExecutionOptions bounds = execution;
    for (const Expectation& output : vector->steps[0].outputs) {
      if (output.statistics) bounds.dot_product_set = output.statistics->set;
    }
    std::string reason;
    ASSERT_TRUE(Expect(again, bounds, &reason)) << vector->name << ": " << reason;
    for (size_t s = 0; s < again.steps.size(); ++s) {
      for (size_t i = 0; i < again.steps[s].outputs.size(); ++i) {
        const Expectation& fresh = again.steps[s].outputs[i];
        const Expectation& given = vector->steps[s].outputs[i];
        EXPECT_TRUE(SameDoubles(fresh.error, given.error)) << vector->name << " output " << i;
        EXPECT_TRUE(SameDoubles(fresh.reference, given.reference)) << vector->name;
        EXPECT_EQ(fresh.rule, given.rule) << vector->name;
        EXPECT_EQ(fresh.statistics, given.statistics) << vector->name;
      }
    }
  }
}

// A vector whose steps are all valid passes the static checks in every block.
TEST_P(EachGenerator, MakesValidVectorsThatPassTheStaticChecks) {
  const Generator& generator = *GetParam();
  for (uint64_t index = 0; index < 3 * kCases; ++index) {
    const auto vector = generator.make(Options(6), index);
    if (!vector) continue;
    const auto is_valid = [](const Step& step) { return step.expected == OutcomeKind::kValid; };
    if (!std::ranges::all_of(vector->steps, is_valid)) continue;
    for (const Breach& breach : CheckVector(*vector)) {
      ADD_FAILURE() << vector->name << ": " << breach.rule << " " << breach.where;
    }
  }
}

// A vector that is read from its file has the same outcomes as the vector that was written.
TEST_P(EachGenerator, MakesVectorsThatMeanTheSameFromAFile) {
  const Generator& generator = *GetParam();
  for (uint64_t index = 0; index < kCases; ++index) {
    const auto vector = generator.make(Options(6), index * 13);
    if (!vector) continue;
    const std::vector<uint8_t> bytes = WriteTestVector(*vector);
    const Result<TestVector> read = ReadTestVector(bytes, vector->name);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(WriteTestVector(*read), bytes) << vector->name;
    const std::vector<Outcome> before = ExecuteVector(*vector, {});
    const std::vector<Outcome> after = ExecuteVector(*read, {});
    ASSERT_EQ(after.size(), before.size());
    for (size_t s = 0; s < before.size(); ++s) {
      EXPECT_EQ(after[s].kind, before[s].kind) << vector->name << " " << after[s].message;
      EXPECT_EQ(after[s].rule, before[s].rule) << vector->name;
      EXPECT_EQ(after[s].outputs, before[s].outputs) << vector->name;
      EXPECT_EQ(after[s].state, before[s].state) << vector->name;
    }
  }
}

TEST_P(EachGenerator, StaysWithinWhatABackendSupports) {
  const Generator& generator = *GetParam();
  GeneratorOptions options = Options(5);
  options.target = {Feature::kProInt, Feature::kExtVariable, Feature::kExtControlflow};
  for (uint64_t index = 0; index < kCases; ++index) {
    const auto vector = generator.make(options, index * 13);
    if (!vector) continue;
    for (const std::string& name : vector->requirements) {
      const auto feature = FeatureByName(name);
      ASSERT_TRUE(feature && options.target.Contains(*feature)) << vector->name << " " << name;
    }
    for (const Block& block : vector->graphs[0].Blocks()) {
      for (const TensorInfo& tensor : block.tensors) {
        EXPECT_FALSE(IsFloat(tensor.type.type)) << vector->name;
      }
    }
  }
}

// A target may allow tensors of few elements only.
TEST_P(EachGenerator, CopesWithTensorsOfFewElements) {
  const Generator& generator = *GetParam();
  for (const int64_t elements_max : {1, 5}) {
    GeneratorOptions options = Options(6);
    options.elements_max = elements_max;
    for (uint64_t index = 0; index < 50; ++index) {
      EXPECT_NO_THROW(static_cast<void>(generator.make(options, index))) << index;
    }
  }
}

TEST_P(EachGenerator, ShrinksToVectorsThatAreValid) {
  const Generator& generator = *GetParam();
  for (uint64_t index = 0; index < 40; ++index) {
    const auto vector = generator.make(Options(6), 1'000 + index * 17);
    if (!vector || !IsValid(*vector)) continue;
    // The finding is an operator of the vector, any of them.
    const auto& operators = vector->graphs.back().Main()->operators;
    const Op wanted = operators[index % operators.size()].op;
    const auto finding = [&](const TestVector& candidate) {
      EXPECT_TRUE(IsValid(candidate)) << vector->name;
      EXPECT_LT(MeasureOf(candidate), MeasureOf(*vector)) << vector->name;
      return Contains(candidate, wanted);
    };
    const Reduction reduction = Reduce(*vector, finding);
    EXPECT_TRUE(reduction.complete) << vector->name;
    EXPECT_TRUE(Contains(reduction.vector, wanted)) << vector->name;
    EXPECT_TRUE(IsValid(reduction.vector)) << vector->name;
    EXPECT_LE(WorkingOperators(reduction.vector), 3) << vector->name << " " << OperatorName(wanted);
    const Reduction again = Reduce(*vector, finding);
    EXPECT_EQ(CanonicalHash(reduction.vector), CanonicalHash(again.vector)) << vector->name;
    EXPECT_EQ(reduction.calls, again.calls) << vector->name;
    EXPECT_TRUE(ReadTestVector(WriteTestVector(reduction.vector), "reduced")) << vector->name;
  }
}

TEST_P(EachGenerator, ShrinksWithinItsCalls) {
  const auto vector = GetParam()->make(Options(7), 5);
  ASSERT_TRUE(vector);
  int calls = 0;
  const Reduction reduction =
      Reduce(*vector, [&](const TestVector&) { return ++calls, false; }, {.calls_max = 3});
  EXPECT_LE(calls, 3);
  EXPECT_EQ(reduction.calls, calls);
  EXPECT_EQ(CanonicalHash(reduction.vector), CanonicalHash(*vector));
}

// Returns all generators except `plan`: memory plans have a test of their own, plan_vector_test.
std::vector<const Generator*> GeneratorsOfGraphs() {
  std::vector<const Generator*> all(AllGenerators().begin(), AllGenerators().end());
  std::erase(all, GeneratorByKind("plan"));
  return all;
}

INSTANTIATE_TEST_SUITE_P(Generators, EachGenerator, testing::ValuesIn(GeneratorsOfGraphs()),
                         [](const auto& row) {
                           std::string name(row.param->kind);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Tags, CallNansAndInfinitiesSpecialAndNothingElse) {
  const auto is_special = [](DType type, double value) {
    TestVector vector;
    vector.graphs.push_back(EmptyGraph());
    vector.steps.emplace_back().inputs = {Tensor::FromFloats(type, {2}, std::vector{1, value})};
    const std::vector<std::string> tags = TagsOf(vector);
    return std::find(tags.begin(), tags.end(), "special-values") != tags.end();
  };
  for (const DType type :
       {DType::kFp32, DType::kFp16, DType::kBf16, DType::kFp8e4m3, DType::kFp8e5m2}) {
    EXPECT_FALSE(is_special(type, FormatOf(type).max)) << TypeName(type);
    EXPECT_FALSE(is_special(type, -FormatOf(type).max)) << TypeName(type);
    EXPECT_TRUE(is_special(type, -HUGE_VAL)) << TypeName(type);  // NaN in fp8e4m3
    EXPECT_TRUE(is_special(type, NAN)) << TypeName(type);
  }
}

// A damaged file may hold a CONST without values, or without a result.
TEST(Tags, OfMalformedGraphsNeedNoConstants) {
  BlockBuilder b;
  const TensorIndex x = b.Input("i8[2,1,1]"), zero = b.Declare("i8[1]");
  b.Append(Op::kConst, {}, {}, {{AttributeId::kValues, TensorOf("i8[1]{1}")}});
  b.Append(Op::kConst, {}, {zero});
  b.Outputs({b.Add(Op::kMatmul, {x, x, zero, zero}, "i32[2,1,1]")});
  TestVector vector;
  vector.graphs.push_back(GraphOf({b.block}));
  const std::vector<std::string> tags = TagsOf(vector);
  EXPECT_EQ(std::ranges::count(tags, "matmul-zero-point"), 0);
  vector.graphs[0].Main()->operators[1].attributes.Set(AttributeId::kValues, TensorOf("i8[1]{1}"));
  EXPECT_EQ(std::ranges::count(TagsOf(vector), "matmul-zero-point"), 1);
}

TEST(GraphBuilder, SharesNumbersThatAreThere) {
  Choices choices(Random(1));
  const GeneratorOptions options = Options(1);
  GraphBuilder builder(choices, options, ValueMode::kFinite);
  const ValueIndex one = builder.AddNumber(DType::kInt8, 1, /*shared=*/true);
  EXPECT_EQ(builder.AddNumber(DType::kInt8, 1, /*shared=*/true), one);
  EXPECT_NE(builder.AddNumber(DType::kInt8, 1, /*shared=*/false), one);
  EXPECT_NE(builder.AddNumber(DType::kInt32, 1, /*shared=*/true), one);
  // A number that was rolled back does not exist any more: its index belongs to another value.
  const GraphBuilder::Mark mark = builder.mark();
  const ValueIndex gone = builder.AddNumber(DType::kInt8, 2, /*shared=*/true);
  builder.Rollback(mark);
  EXPECT_EQ(builder.AddInput(Tensor::Splat(DType::kInt8, {3}, 7)), gone);
  const ValueIndex two = builder.AddNumber(DType::kInt8, 2, /*shared=*/true);
  EXPECT_NE(two, gone);
  EXPECT_EQ(builder.AddNumber(DType::kInt8, 1, /*shared=*/true), one);
}

// Fusions and planners can only be tested if operators follow each other.
TEST(GraphBuilder, LetsOperatorsFollowEachOther) {
  const GeneratorOptions options = Options(1);
  const Menu menu(options);
  int64_t operators = 0, followers = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Choices choices{Random(seed)};
    const TestVector vector = GrowGraph(choices, options, menu, 20, ValueMode::kFinite, false);
    const Block& main = *vector.graphs[0].Main();
    const auto is_result = [&](TensorIndex tensor) {
      const Operator* const producer = main.ProducerOf(tensor);
      return producer != nullptr && !IsConstant(producer->op);
    };
    for (const Operator& op : main.operators) {
      if (IsConstant(op.op)) continue;
      ++operators;
      followers += std::ranges::any_of(op.inputs, is_result);
    }
  }
  EXPECT_GT(followers, operators * 2 / 5) << operators;
}

TEST(GraphBuilder, MakesAValidGraphOfAnyBytes) {
  const GeneratorOptions options = Options(1);
  const Menu menu(options);
  EXPECT_TRUE(rc::check("any bytes decode to a valid graph", [&] {
    const auto bytes =
        *rc::gen::container<std::vector<uint8_t>>(2'000, rc::gen::arbitrary<uint8_t>());
    Choices choices{std::span<const uint8_t>(bytes)};
    const TestVector vector = GrowGraph(choices, options, menu, 12, ValueMode::kFinite, true);
    RC_PRE(!vector.steps.empty());
    RC_ASSERT(IsValid(vector));
  }));
}

TEST(Reduce, KeepsTheFindingWhateverItIs) {
  const GeneratorOptions options = Options(1);
  const Menu menu(options);
  // The finding depends on every part of the vector, by a hash: one vector in four has it.
  EXPECT_TRUE(rc::check("the smallest has the finding", [&](uint64_t seed, uint64_t salt) {
    Choices choices{Random(seed)};
    const TestVector vector = GrowGraph(choices, options, menu, 10, ValueMode::kSpecial, true);
    RC_PRE(!vector.steps.empty());
    const auto finding = [salt](const TestVector& candidate) {
      return (CanonicalHash(candidate) ^ salt) % 4 == 0;
    };
    const Reduction reduction = Reduce(vector, finding, {.calls_max = 200});
    RC_ASSERT(reduction.accepted == 0 || finding(reduction.vector));
    RC_ASSERT(reduction.accepted == 0 || MeasureOf(reduction.vector) < MeasureOf(vector));
    RC_ASSERT(IsValid(reduction.vector));
  }));
}

// Each of two results of one graph rests on its own operators alone.
TEST(Basis, OfAResultIsWhatItIsComputedFrom) {
  BlockBuilder main;
  const TensorIndex x = main.Input("fp32[2]"), y = main.Input("i32[2]");
  const TensorIndex negated = main.Add(
      Op::kNegate, {x, main.Constant("fp32[1]{0}"), main.Constant("fp32[1]{0}")}, "fp32[2]");
  const TensorIndex sum = main.Add(Op::kAdd, {y, y}, "i32[2]");
  main.Outputs({negated, sum});
  TestVector vector;
  vector.graphs = {GraphOf({main.block})};
  vector.steps.resize(1);
  vector.steps[0].inputs = {TensorOf("fp32[2]{1,2}"), TensorOf("i32[2]{1,2}")};
  const auto name = [&main](TensorIndex t) {
    return main.block.tensors[static_cast<size_t>(t)].name;
  };
  EXPECT_EQ(BasisOf(vector, 0, name(sum)).readings, std::vector<std::string>());
  EXPECT_EQ(BasisOf(vector, 0, name(sum)).operators, std::vector<Op>{Op::kAdd});
  EXPECT_EQ(BasisOf(vector, 0, name(negated)).readings,
            (std::vector<std::string>{"copied-floats", "negate-zero"}));
  // A crash rests on the whole graph.
  EXPECT_EQ(BasisOf(vector, 0, "").readings,
            (std::vector<std::string>{"copied-floats", "negate-zero"}));
  EXPECT_EQ(BasisOf(vector, 1, "").readings, std::vector<std::string>()) << "no such step";
}

TEST(FindingToKeep, IsTheSameWrongThingForTheSameReason) {
  BlockBuilder main;
  const TensorIndex x = main.Input("fp32[2]");
  const TensorIndex product = main.Add(Op::kAdd, {x, x}, "fp32[2]");
  main.Outputs({main.Add(Op::kFloor, {product}, "fp32[2]"), main.Add(Op::kCeil, {x}, "fp32[2]")});
  TestVector vector;
  vector.graphs = {GraphOf({main.block})};
  vector.steps.resize(1);
  Finding finding;
  finding.violation = Violation::kValue;
  finding.rule = "FLOOR";
  finding.op = Op::kFloor;
  finding.allowed = "exact";
  finding.expected = "2";
  finding.got = "4";
  finding.tensor = main.block.tensors[static_cast<size_t>(main.block.outputs[0])].name;
  const FindingToKeep kept(vector, finding);
  EXPECT_TRUE(kept.Is(finding));
  const auto is = [&](auto change) {
    Finding smaller = finding;
    change(smaller);
    return kept.Is(smaller);
  };
  EXPECT_FALSE(is([](Finding& f) { f.violation = Violation::kCrash; }));
  EXPECT_FALSE(is([](Finding& f) { f.readings = {"variable-order"}; })) << "it was determined";
  EXPECT_FALSE(is([](Finding& f) { f.allowed = "within 0.1 of 2", f.got = "2.2"; })) << "rounding";
  EXPECT_TRUE(is([](Finding& f) { f.allowed = "within 0.1 of 2", f.got = "-2"; })) << "no rounding";
  EXPECT_FALSE(is([](Finding& f) { f.expected = "nan"; })) << "it was a number";
  EXPECT_TRUE(is([](Finding& f) { f.got = "-inf"; })) << "what lay in memory";
  const auto blames = [&](Op op) {
    return is([op](Finding& f) { f.op = op, f.rule = OperatorName(op); });
  };
  EXPECT_TRUE(blames(Op::kAdd)) << "FLOOR's operand was wrong already";
  EXPECT_FALSE(blames(Op::kCeil)) << "another result";
  finding.got = "2.2";
  const FindingToKeep rounding(vector, finding);
  EXPECT_FALSE(is([&](Finding& f) { f.allowed = "within 0.1 of 2", f.got = "2.2"; }));
  finding.allowed = "within 0.1 of 2";
  finding.got = "-2";
  EXPECT_FALSE(rounding.Is(finding)) << "it was determined";
  // The backend's message decides, whatever the operator.
  finding.violation = Violation::kCrash;
  finding.message = "canonicalize: bad 1";
  const FindingToKeep crash(vector, finding);
  finding.op = Op::kCeil;
  finding.message = "canonicalize: bad 2";
  EXPECT_TRUE(crash.Is(finding));
  finding.message = "fold: bad 1";
  EXPECT_FALSE(crash.Is(finding));
}

TEST(Reduce, FindsTheElementWhereverItStands) {
  constexpr int kElements = 5 * 7;
  std::string input = "i32[5,7]{100";
  for (int i = 1; i < kElements; ++i) input += fmt::format(",{}", i + 100);
  input += "}";
  const Result<TestVector> vector =
      VectorOfExample(Op::kBitwiseNot, {input.c_str(), "", "i32[5,7]{0}"});
  ASSERT_TRUE(vector) << vector.error().message;
  for (int at = 0; at < kElements; ++at) {
    const auto has_it = [at](const TestVector& candidate) {
      if (candidate.steps.empty() || candidate.steps[0].inputs.empty()) return false;
      const Tensor& in = candidate.steps[0].inputs[0];
      for (int64_t i = 0; i < in.elements(); ++i) {
        if (in.Integer(i) == at + 100) return true;
      }
      return false;
    };
    const Reduction reduction = Reduce(*vector, has_it, {.calls_max = 100});
    EXPECT_EQ(reduction.vector.steps[0].inputs[0].shape(), Shape{}) << at;
  }
}

}  // namespace
}  // namespace assay::generators_test
