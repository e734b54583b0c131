// SPDX-License-Identifier: Apache-2.0
// Tests of targets that are learned by probing.
#include <gtest/gtest.h>

#include "check_graph.h"
#include "executor.h"
#include "learn_target.h"
#include "own_executor.h"
#include "probe_vectors.h"
#include "probing.h"

namespace assay::learn_test {
namespace {

// Expects that the reference executor answers the vector, so that a backend must take it.
void ExpectValid(const TestVector& vector, const std::string& what) {
  for (const Breach& breach : CheckVector(vector)) {
    ADD_FAILURE() << what << ": " << breach.rule << " " << breach.where;
  }
  for (const Outcome& outcome : ExecuteVector(vector, {})) {
    EXPECT_EQ(outcome.kind, OutcomeKind::kValid) << what << ": " << outcome.rule;
  }
}

TEST(Probes, OfWindowsAreValid) {
  constexpr WindowNumber kNumbers[] = {WindowNumber::kKernel, WindowNumber::kStride,
                                       WindowNumber::kDilation, WindowNumber::kPad};
  for (const OperatorRow& row : AllOperators()) {
    for (int axis = 0; axis < WindowAxes(row.op); ++axis) {
      for (size_t type = 0; type < row.type_rows.size(); ++type) {
        for (const WindowNumber which : kNumbers) {
          for (const int32_t number : {1, 2, 7, 1000, 4096}) {
            const auto vector = WindowVector(row.op, static_cast<int>(type), which, axis, number);
            if (!vector) continue;
            ExpectValid(*vector, std::string(row.name) + " " +
                                     std::string(row.type_rows[type].mode) + " number " +
                                     std::to_string(static_cast<int>(which)) + " is " +
                                     std::to_string(number));
          }
        }
      }
    }
  }
}

TEST(Probes, OfStateControlFlowAndSizesAreValid) {
  ExpectValid(ControlFlowVector(Op::kCondIf, {DType::kInt8, {1, 2}}), "COND_IF");
  ExpectValid(ControlFlowVector(Op::kWhileLoop, {DType::kInt8, {}}), "WHILE_LOOP");
  ExpectValid(VariableVector({DType::kInt8, {1, 2}}), "VARIABLE");
  ExpectValid(VariableTensorVector({DType::kInt8, {2}}), "variable tensor");
  ExpectValid(ManyGraphs(Op::kIdentity, {DType::kInt8, {2}}, 3), "three graphs");
  ExpectValid(ConstantVector(Op::kAbs, {DType::kInt32, {3}}), "constant");
}

TEST(Probing, FindsTheGreatestNumber) {
  for (int64_t most = 1; most <= 20; ++most) {
    int calls = 0;
    const auto takes = [&](int64_t n) { return ++calls, n <= most; };
    EXPECT_EQ(GreatestTaken(1, 20, takes), most);
    EXPECT_LE(calls, 7);
  }
  EXPECT_EQ(GreatestTaken(1, 20, [](int64_t) { return false; }), 0);
}

TEST(Probing, BalancesShapes) {
  EXPECT_EQ(BalancedShape(1000000, 4096, 3), (Shape{4000, 250, 1}));
  EXPECT_EQ(BalancedShape(7, 10, 1), Shape{7});
  EXPECT_EQ(BalancedShape(11, 10, 3), std::nullopt) << "a prime number";
  EXPECT_EQ(BalancedShape(64, 4, 3), (Shape{4, 4, 4}));
  EXPECT_EQ(BalancedShape(128, 4, 3), std::nullopt);
  for (const int64_t none : {0, -1}) {
    EXPECT_EQ(BalancedShape(64, none, 3), std::nullopt);
    EXPECT_EQ(BalancedShape(none, 4, 3), std::nullopt);
  }
  EXPECT_EQ(BalancedShape(1, 4, 0), Shape{});
}

// A backend that refuses what a function gives a reason for. It answers the rest without outputs,
// because nobody judges them.
class Limited : public Backend {
 public:
  using Reason = std::string (*)(const Block& block, const Operator& op);
  explicit Limited(Reason reason) : reason_(reason) {}

  std::string Describe() const override { return "limited"; }
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    for (const auto& [block, op] : vector.Operators()) {
      const std::string reason = reason_(block, op);
      if (reason.empty()) continue;
      Outcome refused;
      refused.message = reason;
      return std::vector<Outcome>(vector.steps.size(), refused);
    }
    Outcome answered;
    answered.kind = OutcomeKind::kValid;
    return std::vector<Outcome>(vector.steps.size(), answered);
  }

 private:
  Reason reason_;
};

// The reference executor. It runs a vector that it gets twice only once.
class Reference : public Backend {
 public:
  std::string Describe() const override { return "reference"; }
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    if (vector != last_) {
      outcomes_ = *executor_->Run(vector);
      last_ = vector;
    }
    return outcomes_;
  }

 private:
  std::unique_ptr<Backend> executor_ = MakeOwnExecutor("reference", {}, {});
  TestVector last_;
  std::vector<Outcome> outcomes_;
};

LearnedTarget Learn(Limited::Reason reason) {
  Limited backend(reason);
  Result<LearnedTarget> learned = LearnTarget(backend);
  EXPECT_TRUE(learned) << learned.error().message;
  return std::move(*learned);
}

const TargetRange* RangeOf(const Target& target, Op op, const std::string& name) {
  for (const TargetRange& range : target.operators->at(op).ranges) {
    if (NameOf(op, range.quantity) == name) return &range;
  }
  return nullptr;
}

TEST(LearnTarget, FindsThatTheReferenceTakesEverything) {
  Reference reference;
  const Result<LearnedTarget> result = LearnTarget(reference);
  ASSERT_TRUE(result);
  const LearnedTarget& learned = *result;
  EXPECT_EQ(learned.refusals, std::vector<std::string>());
  EXPECT_EQ(learned.target.limits, TargetLimits());
  for (const OperatorRow& row : AllOperators()) {
    if (row.op == Op::kCustom) continue;
    ASSERT_TRUE(learned.target.operators->contains(row.op)) << row.name;
    EXPECT_EQ(learned.target.operators->at(row.op), OperatorUses()) << row.name;
  }
  EXPECT_TRUE(learned.target.variable_tensors);
}

// Six limits: kernel 8, stride 3, rank 4 for all but TRANSPOSE, dimension 4096, no i16, and no
// TRANSPOSE of rank 5.
std::string SixLimits(const Block& block, const Operator& op) {
  if (IsConstant(op.op)) return "";
  const auto exceeds = [&](const Quantity& quantity, int64_t most) {
    const auto numbers = Measure(block, op, quantity);
    return numbers && std::ranges::any_of(*numbers, [most](int64_t n) { return n > most; });
  };
  int rank = 0;
  for (const std::vector<TensorIndex>* tensors : {&op.inputs, &op.outputs}) {
    for (const TensorIndex tensor : *tensors) {
      const TensorType& type = block.TypeOf(tensor);
      if (type.type == DType::kInt16) return "no int16";
      if (type.type == DType::kShape) continue;
      rank = std::max(rank, type.shape.rank());
      for (const int32_t dimension : type.shape.dims()) {
        if (dimension > 4096) return "dimension";
      }
    }
  }
  if (op.op == Op::kTranspose ? rank == 5 : rank > 4) return "rank";
  if (WindowAxes(op.op) == 0) return "";
  if (exceeds({Quantity::Kind::kKernel}, 8)) return "kernel";
  if (exceeds({Quantity::Kind::kAttribute, AttributeId::kStride}, 3)) return "stride";
  return "";
}

TEST(LearnTarget, FindsSixHiddenLimits) {
  const LearnedTarget learned = Learn(SixLimits);
  const Target& target = learned.target;
  for (const Op op :
       {Op::kConv2d, Op::kDepthwiseConv2d, Op::kTransposeConv2d, Op::kAvgPool2d, Op::kMaxPool2d}) {
    const TargetRange* kernel = RangeOf(target, op, "kernel");
    const TargetRange* stride = RangeOf(target, op, "stride");
    ASSERT_TRUE(kernel != nullptr && stride != nullptr) << OperatorName(op);
    EXPECT_EQ(kernel->max, 8) << OperatorName(op);
    EXPECT_EQ(stride->max, 3) << OperatorName(op);
    EXPECT_EQ(RangeOf(target, op, "dilation"), nullptr) << "there is no such limit";
  }
  for (const auto& [op, uses] : *target.operators) {
    const uint64_t rows = TypeRowsWithin(target, op);
    for (size_t i = 0; i < RowOf(op).type_rows.size(); ++i) {
      if (IsConstant(op) || (rows >> i & 1) == 0) continue;
      const std::string_view mode = RowOf(op).type_rows[i].mode;
      EXPECT_EQ(mode.find("signed 16"), std::string_view::npos) << OperatorName(op) << " " << mode;
    }
  }
  ASSERT_NE(RangeOf(target, Op::kAdd, "rank"), nullptr);
  ASSERT_NE(RangeOf(target, Op::kTranspose, "rank"), nullptr);
  EXPECT_EQ(RangeOf(target, Op::kAdd, "rank")->max, 4);
  for (const Op op :
       {Op::kCondIf, Op::kWhileLoop, Op::kVariable, Op::kVariableRead, Op::kVariableWrite}) {
    ASSERT_NE(RangeOf(target, op, "rank"), nullptr) << OperatorName(op);
    EXPECT_EQ(RangeOf(target, op, "rank")->max, 4) << OperatorName(op);
  }
  EXPECT_EQ(RangeOf(target, Op::kTranspose, "rank")->values, (std::vector<int64_t>{1, 2, 3, 4, 6}));
  EXPECT_EQ(target.limits.dimension, 4096);
  EXPECT_EQ(target.limits.elements, 0);
  EXPECT_FALSE(target.operators->contains(Op::kConv3d)) << "its tensors are of rank 5";
  const auto told = [&learned](const std::string& line) {
    return std::ranges::count(learned.refusals, line) == 1;
  };
  EXPECT_TRUE(told("CONV2D with kernel 9: unsupported: kernel"));
  EXPECT_TRUE(told("MAX_POOL2D with stride 4: unsupported: stride"));
  EXPECT_TRUE(told("TRANSPOSE of rank 5: unsupported: rank"));
  EXPECT_TRUE(told("a dimension of 4097: unsupported: dimension"));
  EXPECT_TRUE(told("CONV3D: unsupported: rank"));
  EXPECT_EQ(Learn(SixLimits).target, target) << "the same again";
}

TEST(LearnTarget, TellsLimitsOfElementsFromThoseOfDimensions) {
  const LearnedTarget learned = Learn([](const Block& block, const Operator& op) {
    for (const TensorIndex tensor : op.outputs) {
      if (block.TypeOf(tensor).shape.Elements() > 50000) return std::string("elements");
    }
    return std::string();
  });
  EXPECT_EQ(learned.target.limits.elements, 50000);
  EXPECT_EQ(learned.target.limits.dimension, 0);
  EXPECT_EQ(RangeOf(learned.target, Op::kConv2d, "kernel"), nullptr);
}

TEST(LearnTarget, FindsValuesConstantsAndLimitsOfOneRow) {
  const LearnedTarget learned = Learn([](const Block& block, const Operator& op) {
    if (op.op == Op::kMaximum && op.attributes.nan_mode() == NanMode::kIgnore) {
      return std::string("nan_mode");
    }
    if (op.op != Op::kConv2d) return std::string();
    const Operator* weight = block.ProducerOf(op.inputs[1]);
    if (weight == nullptr || !IsConstant(weight->op)) return std::string("weight");
    const bool is_float = IsFloat(block.TypeOf(op.inputs[0]).type);
    const std::vector<int32_t>& pad = op.attributes.Ints(AttributeId::kPad);
    return std::string(!is_float && std::ranges::max(pad) > 2 ? "pad" : "");
  });
  const Target& target = learned.target;
  ASSERT_NE(RangeOf(target, Op::kMaximum, "nan_mode"), nullptr);
  EXPECT_EQ(RangeOf(target, Op::kMaximum, "nan_mode")->values, std::vector<int64_t>{1});
  EXPECT_EQ(RangeOf(target, Op::kMinimum, "nan_mode"), nullptr);
  const OperatorUses& convolution = target.operators->at(Op::kConv2d);
  EXPECT_EQ(convolution.constants, std::vector<int>{1});
  EXPECT_TRUE(convolution.ranges.empty());
  ASSERT_EQ(convolution.types.size(), 9u);
  for (const TypeChoice& choice : convolution.types) {
    if (IsFloat(choice.variables[0])) {
      EXPECT_TRUE(choice.ranges.empty());
    } else {
      ASSERT_EQ(choice.ranges.size(), 1u);
      EXPECT_EQ(choice.ranges[0].max, 2);
    }
  }
}

int64_t RankOf(const Block& block, const Operator& op) {
  const auto ranks = Measure(block, op, {Quantity::Kind::kRank});
  return ranks ? (*ranks)[0] : 0;
}

TEST(LearnTarget, LearnsSizesOfABackendThatTakesNoIdentityOfRank1) {
  const LearnedTarget learned = Learn([](const Block& block, const Operator& op) {
    if (op.op == Op::kIdentity && RankOf(block, op) == 1) return std::string("rank 1");
    for (const TensorIndex tensor : op.outputs) {
      for (const int32_t size : block.TypeOf(tensor).shape.dims()) {
        if (size > 1000) return std::string("dimension");
      }
    }
    return std::string();
  });
  EXPECT_EQ(RangeOf(learned.target, Op::kIdentity, "rank")->values,
            (std::vector<int64_t>{0, 2, 3, 4, 5, 6}));
  EXPECT_EQ(learned.target.limits.dimension, 1000);
  EXPECT_TRUE(learned.target.operators->contains(Op::kCondIf));
}

TEST(LearnTarget, LearnsSizesOfABackendThatTakesNoIdentity) {
  const LearnedTarget learned = Learn([](const Block& block, const Operator& op) {
    if (op.op == Op::kIdentity) return std::string("no IDENTITY");
    for (const TensorIndex tensor : op.outputs) {
      if (block.TypeOf(tensor).shape.Elements() > 5000) return std::string("elements");
    }
    return std::string();
  });
  EXPECT_FALSE(learned.target.operators->contains(Op::kIdentity));
  EXPECT_EQ(learned.target.limits.elements, 5000);
}

TEST(LearnTarget, TellsARefusedShiftFromARefusedRank) {
  const LearnedTarget learned = Learn([](const Block& block, const Operator& op) {
    if (op.op != Op::kMul) return std::string();
    if (block.TypeOf(op.inputs[0]).type != DType::kInt32) return std::string("type");
    const auto shift = Measure(block, op, {Quantity::Kind::kConstant, {}, 2});
    return std::string(shift && (*shift)[0] != 0 ? "shift" : "");
  });
  EXPECT_EQ(RangeOf(learned.target, Op::kMul, "rank"), nullptr);
  const TargetRange* shift = RangeOf(learned.target, Op::kMul, "shift");
  ASSERT_NE(shift, nullptr);
  EXPECT_EQ(shift->max, 0);
  EXPECT_EQ(std::ranges::count(learned.refusals, "MUL with shift 1: unsupported: shift"), 1);
}

TEST(LearnTarget, SaysWhatATargetCannotSay) {
  const LearnedTarget learned = Learn([](const Block&, const Operator& op) {
    if (op.op != Op::kConv2d) return std::string();
    const auto is_one = [](int32_t n) { return n == 1; };
    const bool strides = !std::ranges::all_of(op.attributes.Ints(AttributeId::kStride), is_one);
    const std::vector<int32_t>& pad = op.attributes.Ints(AttributeId::kPad);
    return std::string(strides && std::ranges::max(pad) > 0 ? "stride and pad" : "");
  });
  EXPECT_EQ(RangeOf(learned.target, Op::kConv2d, "stride"), nullptr);
  const auto says = [](const std::string& line) {
    return line.starts_with("CONV2D ") &&
           line.ends_with(
               "inside the target, for a reason that it does not state: unsupported: stride and "
               "pad");
  };
  EXPECT_GT(std::ranges::count_if(learned.refusals, says), 0);
}

// A crash is a refusal only if it comes again.
TEST(LearnTarget, NamesABackendThatCrashesAtEachThirdInvocation) {
  class CrashesAtTimes : public Limited {
   public:
    using Limited::Limited;
    Result<std::vector<Outcome>> Run(const TestVector& vector) override {
      if (++invocations_ % 3 != 0) return Limited::Run(vector);
      Outcome crashed;
      crashed.kind = OutcomeKind::kCrashed;
      crashed.message = "signal 11";
      return std::vector<Outcome>(vector.steps.size(), crashed);
    }

   private:
    int invocations_ = 0;
  };
  CrashesAtTimes backend([](const Block&, const Operator&) { return std::string(); });
  const Result<LearnedTarget> learned = LearnTarget(backend);
  ASSERT_TRUE(learned);
  EXPECT_EQ(learned->inconsistent.size(), Probing::kInconsistentMax);
  EXPECT_NE(learned->inconsistent[0].find(": crashed: signal 11, and when asked again answered"),
            std::string::npos)
      << learned->inconsistent[0];
  EXPECT_LT(learned->probes, 100) << "it ends soon";
}

TEST(LearnTarget, SaysThatABackendTakesNothing) {
  const LearnedTarget learned =
      Learn([](const Block&, const Operator&) { return std::string("no"); });
  EXPECT_FALSE(learned.takes_any);
  EXPECT_EQ(learned.target.operators->size(), 2u) << "CONST and CONST_SHAPE";
  EXPECT_FALSE(learned.target.control_flow || learned.target.variables ||
               learned.target.variable_tensors);
}

}  // namespace
}  // namespace assay::learn_test
