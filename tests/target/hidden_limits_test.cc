// SPDX-License-Identifier: Apache-2.0
// Tests of `target learn` on workers with random hidden limits. ASSAY_WORKERS is the number of
// workers, 4 by default.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "check_graph.h"
#include "learn_target.h"
#include "operator_set.h"
#include "probe_vectors.h"
#include "random.h"
#include "recipe.h"
#include "rounds.h"
#include "target_check.h"
#include "vary_number.h"

namespace assay::hidden_limits_test {
namespace {

// The ways in which a worker does not repeat what it does.
enum class Fault { kNone, kCrashesEachNth, kRefusesAtRandom, kEnds, kWarmsUp };

// A worker that takes what is inside a target that it does not show. It answers without outputs,
// because nobody judges them.
class HiddenWorker : public Backend {
 public:
  HiddenWorker(Target hidden, uint64_t seed, Fault fault)
      : hidden_(std::move(hidden)), random_(seed), fault_(fault) {
    for (const OperatorRow& row : AllOperators()) crashes_[row.op] = random_.OneIn(5);
    number_ = fault == Fault::kCrashesEachNth    ? random_.Between(2, 9)
              : fault == Fault::kRefusesAtRandom ? random_.Between(3, 100)
                                                 : random_.Between(300, 1000);
  }

  std::string Describe() const override { return "hidden"; }
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    ++invocations_;
    Outcome outcome;
    outcome.kind = OutcomeKind::kValid;
    const std::vector<Misfit> misfits = Misfits(hidden_, vector, 1);
    if (!misfits.empty()) {
      const Op last = vector.graphs[0].Main()->operators.back().op;
      outcome.kind = crashes_[last] ? OutcomeKind::kCrashed : OutcomeKind::kUnsupported;
      outcome.message = misfits[0].ToString();
    }
    if (IsFaulty()) {
      const bool refuses = fault_ == Fault::kRefusesAtRandom || fault_ == Fault::kWarmsUp;
      outcome.kind = refuses ? OutcomeKind::kUnsupported : OutcomeKind::kCrashed;
      outcome.message = "by its fault";
    }
    return std::vector<Outcome>(vector.steps.size(), outcome);
  }

 private:
  bool IsFaulty() {
    switch (fault_) {
      case Fault::kNone:
        return false;
      case Fault::kCrashesEachNth:
        return invocations_ % number_ == 0;
      case Fault::kRefusesAtRandom:
        return random_.OneIn(static_cast<uint64_t>(number_));
      case Fault::kEnds:
        return invocations_ > 2 * number_;
      case Fault::kWarmsUp:
        return invocations_ <= 2 * number_;
    }
    return false;
  }

  Target hidden_;
  Random random_;
  Fault fault_;
  std::map<Op, bool> crashes_;
  int64_t number_ = 0, invocations_ = 0;
};

// ---- Hidden limits

TargetRange AtMost(const Quantity& quantity, int64_t most) { return {quantity, INT64_MIN, most}; }

void HideRange(Random& random, OperatorUses& uses, Op op, const Quantity& quantity) {
  switch (quantity.kind) {
    case Quantity::Kind::kRank:
      if (random.OneIn(2)) {
        uses.ranges.push_back(AtMost(quantity, random.Between(1, 5)));
      } else {
        TargetRange holes = {quantity};
        for (int rank = 0; rank <= 6; ++rank) {
          if (!random.OneIn(4)) holes.values.push_back(rank);
        }
        if (!holes.values.empty()) uses.ranges.push_back(holes);
      }
      return;
    case Quantity::Kind::kKernel:
      uses.ranges.push_back(AtMost(quantity, random.Between(1, 12)));
      return;
    case Quantity::Kind::kConstant: {
      const std::string name = NameOf(op, quantity);
      if (name == "shift" && op == Op::kMul) {
        uses.ranges.push_back(AtMost(quantity, random.OneIn(2) ? 0 : random.Between(0, 62)));
      } else if (name.ends_with("zp") || name == "pad_const") {
        const int64_t low = random.OneIn(2) ? 0 : random.Between(-128, 0);
        uses.ranges.push_back({quantity, low, random.OneIn(2) ? 0 : random.Between(0, 127)});
      }
      return;
    }
    case Quantity::Kind::kAttribute:
      break;
    case Quantity::Kind::kDimension:
    case Quantity::Kind::kElements:
      return;
  }
  const std::string name = NameOf(op, quantity);
  if (name == "stride" || name == "dilation") {
    uses.ranges.push_back(AtMost(quantity, random.Between(1, 5)));
  } else if (name == "pad" || name == "out_pad") {
    uses.ranges.push_back(AtMost(quantity, random.Between(0, 5)));
  } else if (std::ranges::count(VariedQuantities(op), quantity) > 0) {
    TargetRange values = {quantity};
    const int64_t lacking = random.Between(0, 3);
    for (int64_t value = 0; value < 4; ++value) {
      if (value != lacking) values.values.push_back(value);
    }
    uses.ranges.push_back(values);
  }
}

void HideUses(Random& random, Op op, OperatorUses& uses) {
  const OperatorRow& row = RowOf(op);
  if (random.OneIn(4)) {
    for (const TypeRow& types : row.type_rows) {
      if (random.OneIn(2)) uses.types.push_back({.variables = types.types});
    }
  }
  for (const Quantity& quantity : QuantitiesOf(op)) {
    if (random.OneIn(4)) HideRange(random, uses, op, quantity);
  }
  int position = -1;
  for (const ArgumentRow& argument : row.arguments) {
    if (argument.direction != Direction::kInput) continue;
    ++position;
    const bool may_be = position > 0 && !argument.compile_time_constant && !argument.list;
    if (may_be && random.OneIn(8)) uses.constants.push_back(position);
  }
}

Target HiddenTarget(Random& random) {
  Target target;
  target.operators.emplace();
  for (const OperatorRow& row : AllOperators()) {
    if (row.op == Op::kCustom) continue;
    if (!IsConstant(row.op) && random.OneIn(6)) continue;
    OperatorUses& uses = (*target.operators)[row.op];
    const bool is_plain = IsConstant(row.op) || IsControlFlow(row.op) || IsVariableOperator(row.op);
    if (!is_plain) HideUses(random, row.op, uses);
  }
  if (random.OneIn(4)) {
    for (const DType type :
         {DType::kBool, DType::kInt4, DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt48,
          DType::kFp32, DType::kFp16, DType::kBf16, DType::kFp8e4m3, DType::kFp8e5m2}) {
      if (!random.OneIn(5)) target.types.push_back(type);
    }
  }
  TargetLimits& limits = target.limits;
  if (random.OneIn(4)) limits.rank = random.Between(2, 6);
  if (random.OneIn(3)) limits.dimension = random.Between(16, 5000);
  if (random.OneIn(3)) limits.elements = random.Between(600, 900000);
  if (random.OneIn(6)) limits.constant_bytes = random.Between(2000, 100000);
  if (random.OneIn(4)) limits.graphs = random.Between(1, 6);
  target.variable_tensors = !random.OneIn(4);
  return target;
}

// ---- Vectors by which a learned target is compared with the hidden one

// Vectors of all type rows, of classes and ranks that the learner does not try in this order, and
// vectors with large windows and tensors.
const std::vector<TestVector>& Examined() {
  static const std::vector<TestVector> vectors = [] {
    std::vector<TestVector> all;
    Random random(1);
    GeneratorOptions options;
    options.level = kLevel8K;
    options.dimension_max = 6;
    options.elements_max = 128;
    for (const Recipe& recipe : AllRecipes()) {
      const auto rows = RowOf(recipe.op).type_rows.size();
      for (uint64_t i = 0; i < 3 * rows; ++i) {
        Choices choices(Random::For(2, i, OperatorName(recipe.op), 1));
        GraphBuilder builder(choices, options, ValueMode::kCalm);
        Wish wish;
        wish.op = recipe.op;
        wish.type_row = static_cast<int>(i % rows);
        wish.attribute_class = static_cast<int>(random.Below(recipe.classes.size()));
        if (random.OneIn(2)) wish.rank = static_cast<int>(random.Below(7));
        wish.from_pool = false;
        if (Grow(builder, wish)) all.push_back(builder.FinishVector(builder.Unread()));
      }
      for (int axis = 0; axis < WindowAxes(recipe.op); ++axis) {
        for (int row = 0; row < static_cast<int>(rows); ++row) {
          for (const WindowNumber which : {WindowNumber::kKernel, WindowNumber::kStride,
                                           WindowNumber::kDilation, WindowNumber::kPad}) {
            const auto number = static_cast<int32_t>(random.Between(1, 14));
            auto vector = WindowVector(recipe.op, row, which, axis, number);
            if (vector) all.push_back(std::move(*vector));
          }
        }
      }
    }
    for (int i = 0; i < 60; ++i) {
      const auto side = static_cast<int32_t>(random.Between(2, 1000));
      for (const Shape& shape : {Shape{side}, Shape{side, side}, Shape{5 * side, 1, 2}}) {
        all.push_back(UnaryVector(i % 2 == 0 ? Op::kIdentity : Op::kAbs, {DType::kFp32, shape}));
      }
      all.push_back(ConstantVector(Op::kIdentity, {DType::kInt8, {10 * side}}));
    }
    Shape shape;
    for (int rank = 0; rank <= 6; ++rank, shape.PushBack(1)) {
      for (const DType type : {DType::kInt8, DType::kFp32}) {
        all.push_back(ControlFlowVector(Op::kCondIf, {type, shape}));
        all.push_back(VariableVector({type, shape}));
        all.push_back(VariableTensorVector({type, shape}));
        all.push_back(ManyGraphs(Op::kIdentity, {type, shape}, rank + 1));
      }
    }
    return all;
  }();
  return vectors;
}

// Returns how many vectors are inside one target and outside the other. Shows some of them.
int64_t Differences(const Target& hidden, const Target& learned, const std::string& worker) {
  int64_t differ = 0;
  for (const TestVector& vector : Examined()) {
    const std::vector<Misfit> hides = Misfits(hidden, vector, 1);
    const std::vector<Misfit> lacks = Misfits(learned, vector, 1);
    if (hides.empty() == lacks.empty() || ++differ > 3) continue;
    ADD_FAILURE() << worker << ": "
                  << (hides.empty() ? "not learned: " + lacks[0].ToString()
                                    : "learned, but refused: " + hides[0].ToString());
  }
  return differ;
}

int Workers() {
  const char* wished = std::getenv("ASSAY_WORKERS");
  return wished != nullptr ? std::atoi(wished) : Rounds(4);
}

TEST(HiddenLimits, AreLearnedRightOrNamedInconsistent) {
  int right = 0, named = 0, crashing = 0;
  for (int seed = 0; seed < Workers(); ++seed) {
    Random random = Random::For(55, static_cast<uint64_t>(seed), "worker", 1);
    const Target hidden = HiddenTarget(random);
    const auto fault = seed % 3 == 0 ? static_cast<Fault>(1 + seed / 3 % 4) : Fault::kNone;
    HiddenWorker worker(hidden, random.Next(), fault);
    const Result<LearnedTarget> learned = LearnTarget(worker);
    ASSERT_TRUE(learned) << learned.error().message;
    const std::string name = "worker " + std::to_string(seed);
    if (fault == Fault::kNone) {
      EXPECT_EQ(learned->inconsistent, std::vector<std::string>()) << name;
      crashing += learned->crashes > 0 ? 1 : 0;
    }
    // A fault that shows only where the worker refuses everything leaves the target right.
    if (!learned->inconsistent.empty()) {
      ++named;
    } else if (Differences(hidden, learned->target, name) == 0) {
      ++right;
    }
  }
  std::printf("%d workers: %d learned right (%d of them crash), %d named inconsistent\n", Workers(),
              right, crashing, named);
}

}  // namespace
}  // namespace assay::hidden_limits_test
