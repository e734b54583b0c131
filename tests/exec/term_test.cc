// SPDX-License-Identifier: Apache-2.0
// Compares graphs read as terms with the executor. The terms, simplified by all laws and evaluated
// with numbers, have to give the bits of the graph. The conditions have to hold exactly when the
// graph is valid.
#include <gtest/gtest.h>

#include <cmath>

#include "block_builder.h"
#include "convert_tensor.h"
#include "graph_terms.h"
#include "operator_set.h"
#include "random.h"
#include "rounds.h"
#include "run_operator.h"
#include "telling_inputs.h"
#include "term_program.h"
#include "worked_example.h"

namespace assay::term_test {
namespace {

bool SameBits(bool is_float, Scalar a, Scalar b) {
  if (is_float && std::isnan(a.real()) && std::isnan(b.real())) return true;
  return a.integer() == b.integer();
}

// A graph as terms, and a program that computes them.
class ReadGraph {
 public:
  explicit ReadGraph(const Graph& graph)
      : arena_(1 << 20), terms_(FoldTermReader(arena_, options_).Read(graph, kFacts)) {
    if (!terms_.obstacle.empty()) return;
    std::vector<TermId> roots;
    for (const auto& output : terms_.outputs) {
      roots.insert(roots.end(), output.elements->begin(), output.elements->end());
    }
    elements_ = roots.size();
    for (const auto& condition : terms_.conditions) roots.push_back(condition.holds);
    if (!roots.empty()) program_.emplace(arena_, roots, 1 << 20);
  }

  const std::string& obstacle() const { return terms_.obstacle; }

  // Evaluates the program on the inputs.
  void Run(const std::vector<Tensor>& inputs) {
    if (!program_) return;
    std::vector<DomainTensor<Scalar>> scalars;
    for (const Tensor& input : inputs) scalars.push_back(ToScalars(input));
    for (size_t i = 0; i < program_->inputs().size(); ++i) {
      const TermId term = program_->inputs()[i];
      const auto position = static_cast<size_t>(arena_.Number(term, 0));
      program_->Input(i, 0) = scalars[position][arena_.Number(term, 1)];
    }
    program_->Run(1);
  }
  bool ConditionsHold() const {
    for (size_t i = 0; i < terms_.conditions.size(); ++i) {
      if (program_->Result(elements_ + i, 0).integer() == 0) return false;
    }
    return true;
  }
  void ExpectOutputs(const Outcome& outcome) const {
    size_t at = 0;
    for (const Tensor& output : outcome.outputs) {
      const DomainTensor<Scalar> expected = ToScalars(output);
      for (int64_t i = 0; i < output.elements(); ++i, ++at) {
        ASSERT_TRUE(SameBits(IsFloat(output.type()), program_->Result(at, 0), expected[i]))
            << "element " << i << ": " << output.ElementText(i);
      }
    }
  }

 private:
  static constexpr auto kFacts = TermDomain::Requirements::kFacts;
  ExecutionOptions options_;
  TermArena arena_;
  FoldTerms terms_;
  size_t elements_ = 0;
  std::optional<FoldProgram> program_;
};

std::vector<TensorType> InputTypes(const Graph& graph) {
  std::vector<TensorType> types;
  for (const TensorIndex input : graph.Main()->inputs) {
    types.push_back(graph.Main()->TypeOf(input));
  }
  return types;
}

// Compares terms and executor on all runs, and returns how many of the runs are valid.
int ExpectAgreement(const Graph& graph, const std::vector<std::vector<Tensor>>& runs) {
  ReadGraph read(graph);
  int valid = 0;
  for (const std::vector<Tensor>& inputs : runs) {
    Context context;
    const Outcome outcome = Execute(context, graph, inputs, {});
    if (outcome.kind == OutcomeKind::kError || outcome.kind == OutcomeKind::kUnsupported) continue;
    if (!read.obstacle().empty()) {
      EXPECT_NE(outcome.kind, OutcomeKind::kValid) << read.obstacle();
      continue;
    }
    read.Run(inputs);
    EXPECT_EQ(read.ConditionsHold(), outcome.kind == OutcomeKind::kValid) << outcome.rule;
    if (outcome.kind != OutcomeKind::kValid || !read.ConditionsHold()) continue;
    ++valid;
    read.ExpectOutputs(outcome);
    if (testing::Test::HasFatalFailure()) return valid;
  }
  return valid;
}

std::vector<std::vector<Tensor>> RunsOf(const Graph& graph, int count) {
  const FoldInputs inputs(graph, graph);
  std::vector<std::vector<Tensor>> runs;
  for (int run = 0; run < count; ++run) runs.push_back(inputs.Of(run, InputTypes(graph)));
  return runs;
}

// Every operator is tested on its hand-worked operands and on special ones.
TEST(TermTest, OperatorsMeanWhatTheyMeanToTheExecutor) {
  int64_t graphs = 0, valid = 0;
  for (const ops::OperatorDefinition* definition : ops::AllDefinitions()) {
    for (const ops::Example& example : definition->examples) {
      const Result<TestVector> vector = VectorOfExample(definition->op, example);
      ASSERT_TRUE(vector) << vector.error().message;
      const Graph& graph = vector->graphs[0];
      auto runs = RunsOf(graph, 24);
      runs.push_back(vector->steps[0].inputs);
      SCOPED_TRACE(std::string(OperatorName(definition->op)) + " " + std::string(example.inputs) +
                   " " + std::string(example.attributes));
      ++graphs;
      valid += ExpectAgreement(graph, runs);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(graphs, 600);
  EXPECT_GT(valid, 4000);
}

// A random graph of element-wise operators, with constants that laws look for.
class RandomGraph {
 public:
  RandomGraph(DType type, uint64_t seed) : type_(type), random_(seed) {}

  Graph Build() {
    const std::string text = std::string(TypeName(type_)) + "[41]";
    pool_ = {builder_.Input(text), builder_.Input(text), Constant(), Constant()};
    bools_ = {builder_.Input("bool[41]")};
    for (int i = 0; i < 9; ++i) IsFloat(type_) ? AddFloat(text) : AddInteger(text);
    builder_.Outputs({pool_.back(), pool_[pool_.size() - 2], bools_.back()});
    return GraphOf({std::move(builder_.block)});
  }

 private:
  TensorIndex Constant() {
    static constexpr double kFloats[] = {0,  -0.0, 1, -1,  2,        0.5,
                                         -2, 4,    3, NAN, INFINITY, -INFINITY};
    static constexpr int64_t kIntegers[] = {0, 1, -1, 2, 3, 4, 7, 8, -8, 100, 255};
    const TensorType type = {type_, {1}};
    Tensor value;
    if (IsFloat(type_)) {
      value = Tensor::FromFloats(type_, type.shape, std::vector{random_.Pick(kFloats)});
    } else {
      const int64_t x = std::min(random_.Pick(kIntegers), MaximumInteger(type_));
      value = Tensor::FromIntegers(type_, type.shape, std::vector{x});
    }
    return builder_.Add(Op::kConst, {}, type.ToString(), {{AttributeId::kValues, value}});
  }
  TensorIndex Any() {
    if (random_.OneIn(5)) return Constant();
    return random_.OneIn(2) ? pool_.back() : random_.Pick(pool_);
  }
  // Returns a value of 41 elements; tiles one that has a single element. A result of 41 elements
  // needs at least one such operand.
  TensorIndex Full(std::string_view text) {
    const TensorIndex x = Any();
    if (builder_.block.TypeOf(x).shape[0] != 1) return x;
    return builder_.Add(Op::kTile, {x, builder_.Constant("shape[1]{41}")}, text);
  }
  NanMode Mode() { return random_.OneIn(2) ? NanMode::kPropagate : NanMode::kIgnore; }
  Attributes ModeAttribute() { return {{AttributeId::kNanMode, static_cast<int32_t>(Mode())}}; }

  void AddCommon(std::string_view text) {
    switch (random_.Below(4)) {
      case 0:
        bools_.push_back(builder_.Add(random_.OneIn(2) ? Op::kGreater : Op::kEqual,
                                      {Full(text), Any()}, "bool[41]"));
        break;
      case 1:
        bools_.push_back(builder_.Add(Op::kGreaterEqual, {Full(text), Any()}, "bool[41]"));
        break;
      case 2:
        bools_.push_back(random_.OneIn(2)
                             ? builder_.Add(Op::kLogicalNot, {random_.Pick(bools_)}, "bool[41]")
                             : builder_.Add(random_.OneIn(2) ? Op::kLogicalAnd : Op::kLogicalXor,
                                            {random_.Pick(bools_), random_.Pick(bools_)},
                                            "bool[41]"));
        break;
      default:
        break;
    }
    pool_.push_back(builder_.Add(Op::kSelect, {random_.Pick(bools_), Full(text), Any()}, text));
  }

  void Clamp(std::string_view text) {
    static constexpr double kBounds[] = {-INFINITY, -4, -1, -0.0, 0, 1, 2, 4, INFINITY};
    double low = random_.Pick(kBounds), high = random_.Pick(kBounds);
    if (low > high) std::swap(low, high);
    const auto bound = [&](double x) {
      if (IsFloat(type_)) return Tensor::FromFloats(type_, {}, std::vector{x});
      const double inside = std::clamp(x, -100.0, 100.0);
      return Tensor::FromIntegers(type_, {}, std::vector{static_cast<int64_t>(inside)});
    };
    pool_.push_back(builder_.Add(Op::kClamp, {Full(text)}, text,
                                 {{AttributeId::kMinVal, bound(low)},
                                  {AttributeId::kMaxVal, bound(high)},
                                  {AttributeId::kNanMode, static_cast<int32_t>(Mode())}}));
  }

  void AddFloat(std::string_view text) {
    static constexpr Op kUnary[] = {Op::kAbs, Op::kFloor, Op::kCeil, Op::kExp};
    static constexpr Op kBinary[] = {Op::kAdd, Op::kSub};
    static constexpr Op kExtreme[] = {Op::kMaximum, Op::kMinimum};
    const std::string zero = std::string(TypeName(type_)) + "[1]{0}";
    switch (random_.Below(8)) {
      case 0:
        return pool_.push_back(builder_.Add(random_.Pick(kUnary), {Full(text)}, text));
      case 1:
        return pool_.push_back(builder_.Add(random_.Pick(kBinary), {Full(text), Any()}, text));
      case 2:
        return pool_.push_back(
            builder_.Add(random_.Pick(kExtreme), {Any(), Full(text)}, text, ModeAttribute()));
      case 3:
        return pool_.push_back(
            builder_.Add(Op::kMul, {Full(text), Any(), builder_.Constant("i8[1]{0}")}, text));
      case 4:
        return pool_.push_back(builder_.Add(
            Op::kNegate, {Full(text), builder_.Constant(zero), builder_.Constant(zero)}, text));
      case 5: {
        const std::string other = type_ == DType::kFp32 ? "fp16[41]" : "fp32[41]";
        const TensorIndex cast = builder_.Add(Op::kCast, {Full(text)}, other);
        const TensorIndex twice = builder_.Add(Op::kAdd, {cast, cast}, other);
        return pool_.push_back(builder_.Add(Op::kCast, {random_.OneIn(2) ? cast : twice}, text));
      }
      case 6:
        return Clamp(text);
      default:
        return AddCommon(text);
    }
  }

  void AddInteger(std::string_view text) {
    static constexpr Op kBinary[] = {Op::kBitwiseAnd, Op::kBitwiseOr, Op::kBitwiseXor};
    static constexpr Op kExtreme[] = {Op::kMaximum, Op::kMinimum};
    static constexpr Op kShifts[] = {Op::kLogicalLeftShift, Op::kLogicalRightShift};
    const std::string shift =
        std::string(TypeName(type_)) + "[1]{" +
        std::to_string(random_.Below(static_cast<uint64_t>(IntegerBits(type_)))) + "}";
    const bool is_i32 = type_ == DType::kInt32;
    switch (random_.Below(9)) {
      case 0:
        return pool_.push_back(builder_.Add(Op::kBitwiseNot, {Full(text)}, text));
      case 1:
        return pool_.push_back(builder_.Add(random_.Pick(kBinary), {Full(text), Any()}, text));
      case 2:
        if (!is_i32) return AddCommon(text);
        return pool_.push_back(
            builder_.Add(random_.Pick(kExtreme), {Any(), Full(text)}, text, ModeAttribute()));
      case 3:
        if (!is_i32) return AddCommon(text);
        return pool_.push_back(
            builder_.Add(Op::kMul, {Full(text), Any(), builder_.Constant("i8[1]{0}")}, text));
      case 4:
        return pool_.push_back(
            builder_.Add(random_.Pick(kShifts), {Full(text), builder_.Constant(shift)}, text));
      case 5: {
        const std::string other = is_i32 ? "i8[41]" : "i32[41]";
        return pool_.push_back(
            builder_.Add(Op::kCast, {builder_.Add(Op::kCast, {Full(text)}, other)}, text));
      }
      case 6:
        if (is_i32) {
          return pool_.push_back(
              builder_.Add(random_.OneIn(2) ? Op::kAdd : Op::kSub, {Full(text), Any()}, text));
        }
        return Clamp(text);
      case 7:
        return pool_.push_back(builder_.Add(Op::kArithmeticRightShift,
                                            {Full(text), builder_.Constant(shift)}, text,
                                            {{AttributeId::kRound, random_.OneIn(2)}}));
      default:
        return AddCommon(text);
    }
  }

  DType type_;
  Random random_;
  BlockBuilder builder_;
  std::vector<TensorIndex> pool_, bools_;
};

TEST(TermTest, LawsChangeNoBit) {
  for (const DType type :
       {DType::kFp32, DType::kFp16, DType::kBf16, DType::kInt8, DType::kInt16, DType::kInt32}) {
    int valid = 0;
    for (uint64_t seed = 0; seed < Rounds(400); ++seed) {
      const Graph graph = RandomGraph(type, seed * 7 + static_cast<uint64_t>(type)).Build();
      SCOPED_TRACE(std::string(TypeName(type)) + " seed " + std::to_string(seed));
      valid += ExpectAgreement(graph, RunsOf(graph, 20));
      if (HasFailure()) return;
    }
    EXPECT_GT(valid, Rounds(1000)) << TypeName(type);
  }
}

}  // namespace
}  // namespace assay::term_test
