// SPDX-License-Identifier: Apache-2.0
// Tests the probes of declarations: on executors that keep the declarations, and on executors that
// do not.
#include "declaration_probes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "backend_exam.h"
#include "backend_kind.h"
#include "executor.h"
#include "float_format.h"
#include "judge_vector.h"

namespace assay::declaration_probes_test {
namespace {

ExamPoint PointOf(Backend& backend, std::string_view declaration) {
  for (const ExamPoint& point : ProbeDeclarations(backend)) {
    if (point.question.find(declaration) != std::string::npos) return point;
  }
  ADD_FAILURE() << declaration;
  return {};
}

ExamPoint PointOf(const std::string& backend, std::string_view declaration, bool declares) {
  BackendOptions options;
  if (declares) options.declarations = {std::string(declaration)};
  const auto opened = OpenBackend(backend, options);
  EXPECT_TRUE(opened) << opened.error().message;
  return PointOf(**opened, declaration);
}

using Mark = ExamPoint::Mark;

TEST(Probes, AgreeWithTheReference) {
  for (const char* backend : {"reference", "reference:template"}) {
    for (const DeclarationRow& row : AllDeclarations()) {
      if (row.field == &Declarations::flushes_subnormals) continue;  // it keeps them
      if (ProbesOf(row).empty()) continue;                           // tap_probes.h
      const ExamPoint declared = PointOf(backend, row.name, true);
      EXPECT_EQ(declared.mark, Mark::kGood) << declared.remark;
      const ExamPoint point = PointOf(backend, row.name, false);
      EXPECT_EQ(point.mark, Mark::kNotDeclared);
      EXPECT_EQ(point.remark, declared.remark);
      EXPECT_EQ(point.remark.find("all "), 0u) << point.remark;
    }
  }
}

Tensor Magnitudes(const Tensor& tensor) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < tensor.elements(); ++i) numbers.push_back(std::fabs(tensor.Float(i)));
  return Tensor::FromFloats(tensor.type(), tensor.shape(), numbers);
}

// A backend that has some operators alone, and checks no graphs.
class OnlySome : public Backend {
 public:
  explicit OnlySome(std::vector<Op> operators) : operators_(std::move(operators)) {}
  std::string WhyUnsupported(const TestVector& vector) const override {
    for (const Operator& op : vector.graphs[0].Main()->operators) {
      if (std::ranges::find(operators_, op.op) == operators_.end()) {
        return std::string(OperatorName(op.op));
      }
    }
    return {};
  }
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    std::vector<Outcome> outcomes = ExecuteVector(vector, {});
    for (Outcome& outcome : outcomes) {
      if (outcome.kind != OutcomeKind::kError) continue;
      outcome.kind = OutcomeKind::kValid;
      outcome.outputs = {Tensor::Splat(DType::kInt32, {1}, 0)};
    }
    return outcomes;
  }
  std::string Describe() const override { return "only some"; }

 private:
  std::vector<Op> operators_;
};

TEST(Exam, AsksABackendWithoutIdentityWithAnOperatorThatItHas) {
  OnlySome backend({Op::kSub, Op::kReverse});
  const auto find = [](const std::vector<ExamPoint>& points, const std::string& question) {
    const auto found = std::ranges::find(points, question, &ExamPoint::question);
    return found == points.end() ? ExamPoint{} : *found;
  };
  const std::vector<ExamPoint> points = ExamineBackend(backend);
  EXPECT_EQ(find(points, "takes and gives tensors of rank 0").remark, "SUB i32[]");
  EXPECT_EQ(find(points, "takes and gives a million elements").remark, "SUB i32[1048576]");
  const ExamPoint inputs = find(points, "leaves its inputs as they are");
  EXPECT_EQ(inputs.mark, Mark::kGood) << inputs.remark;
  EXPECT_EQ(inputs.remark, "SUB i32[3,5]");
  const std::string refuses = "refuses a graph that breaks an ERROR_IF";
  const ExamPoint refusal = find(points, refuses);
  EXPECT_EQ(refusal.mark, Mark::kFailed);
  EXPECT_NE(refusal.remark.find("declare no-checks"), std::string::npos) << refusal.remark;
  BackendDeclarations unchecked;
  unchecked.no_checks = true;
  backend.Declare(unchecked);
  const ExamPoint declared = find(ExamineBackend(backend), refuses);
  EXPECT_EQ(declared.mark, Mark::kNotSupported);
  EXPECT_EQ(declared.remark, "declares no checks");
}

// All operands are whole numbers. So each partial sum in every order is exact if the sum of the
// magnitudes is no larger than the numbers up to which the type has all whole numbers.
TEST(Probes, OfPlainSumsNeedNoRoundingInAnyOrder) {
  const std::vector<Probe> probes = ProbesOf(AllDeclarations()[0]);
  EXPECT_GT(probes.size(), 20u);
  for (const Probe& probe : probes) {
    TestVector computed = probe.vector;
    std::string reason;
    EXPECT_TRUE(Expect(computed, {}, &reason)) << probe.what << ": " << reason;
    EXPECT_EQ(computed.steps[0].outputs[0].value, probe.vector.steps[0].outputs[0].value)
        << probe.what;
    TestVector positive = probe.vector;
    for (Tensor& input : positive.steps[0].inputs) input = Magnitudes(input);
    for (Operator& op : positive.graphs[0].Main()->operators) {
      if (op.op != Op::kConst || !IsFloat(op.attributes.Value(AttributeId::kValues).type()))
        continue;
      op.attributes.Set(AttributeId::kValues,
                        Magnitudes(op.attributes.Value(AttributeId::kValues)));
    }
    const Tensor sums = ExecuteVector(positive, {})[0].outputs[0];
    const double whole_max = std::ldexp(1, FormatOf(sums.type()).fraction_bits + 1);
    for (int64_t i = 0; i < sums.elements(); ++i) EXPECT_LE(sums.Float(i), whole_max) << probe.what;
  }
}

// These accumulators have three bits too few, for which fp32 and fp16 leave no room.
TEST(Probes, FindSumsThatAreNotPlain) {
  const ExamPoint silent = PointOf("canary:short-accumulator", "plain-sums", false);
  EXPECT_EQ(silent.mark, Mark::kNotDeclared);
  EXPECT_NE(silent.remark.find(" of 34 probes differ; MATMUL fp32, 3 products: step 0"),
            std::string::npos)
      << silent.remark;
  const ExamPoint declared = PointOf("canary:short-accumulator", "plain-sums", true);
  EXPECT_EQ(declared.mark, Mark::kFailed);
  EXPECT_EQ(declared.remark, silent.remark);
}

// A backend that keeps every result in double until the end of the graph.
class KeepsPrecision : public Backend {
 public:
  std::string WhyUnsupported(const TestVector& vector) const override {
    for (const Operator& op : vector.graphs[0].Main()->operators) {
      const bool is_known = op.op == Op::kMul || op.op == Op::kAdd || op.op == Op::kSub ||
                            op.op == Op::kCast || op.op == Op::kConst;
      if (!is_known) return "other operators";
    }
    return {};
  }
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    const Block& main = *vector.graphs[0].Main();
    std::vector<std::vector<double>> values(main.tensors.size());
    for (size_t i = 0; i < main.inputs.size(); ++i) {
      const Tensor& input = vector.steps[0].inputs[i];
      for (int64_t k = 0; k < input.elements(); ++k) {
        const double number =
            IsFloat(input.type()) ? input.Float(k) : static_cast<double>(input.Integer(k));
        values[static_cast<size_t>(main.inputs[i])].push_back(number);
      }
    }
    for (const Operator& op : main.operators) {
      if (op.op == Op::kConst) continue;
      const auto& x = values[static_cast<size_t>(op.inputs[0])];
      const auto& y = values[static_cast<size_t>(op.inputs[op.op == Op::kCast ? 0 : 1])];
      for (size_t k = 0; k < x.size(); ++k) {
        values[static_cast<size_t>(op.outputs[0])].push_back(op.op == Op::kMul   ? x[k] * y[k]
                                                             : op.op == Op::kAdd ? x[k] + y[k]
                                                             : op.op == Op::kSub ? x[k] - y[k]
                                                                                 : x[k]);
      }
    }
    Outcome outcome;
    outcome.kind = OutcomeKind::kValid;
    const TensorType& type = main.TypeOf(main.outputs[0]);
    const std::vector<double>& result = values[static_cast<size_t>(main.outputs[0])];
    outcome.outputs = {
        IsFloat(type.type)
            ? Tensor::FromFloats(type.type, type.shape, result)
            : Tensor::FromIntegers(type.type, type.shape,
                                   std::vector<int64_t>(result.begin(), result.end()))};
    return std::vector<Outcome>{outcome};
  }
  std::string Describe() const override { return "keeps precision"; }
};

// Two probes of MUL, ADD and SUB said that all agree, of a backend that keeps casts.
TEST(Probes, SayHowMuchOfADeclarationWasTried) {
  OnlySome backend({Op::kSub, Op::kMul, Op::kAdd, Op::kConst});
  const ExamPoint point = PointOf(backend, "rounds-results");
  EXPECT_EQ(point.mark, Mark::kNotDeclared);
  EXPECT_EQ(point.remark.find("only 6 of 18 probes ran, and agree: MUL, SUB fp32; ADD, SUB fp32; "),
            0u)
      << point.remark;
  EXPECT_TRUE(point.remark.ends_with("; the others are not supported: CAST")) << point.remark;
}

class SupportsNothing : public KeepsPrecision {
 public:
  std::string WhyUnsupported(const TestVector&) const override { return "other operators"; }
};

TEST(Probes, SayWhatIsNotSupported) {
  SupportsNothing backend;
  backend.Declare({{.plain_sums = true, .rounds_results = false}});
  const ExamPoint point = PointOf(backend, "plain-sums");
  EXPECT_EQ(point.mark, Mark::kNotSupported);
  EXPECT_EQ(point.remark, "other operators");
}

TEST(Probes, FindResultsThatAreNotRounded) {
  KeepsPrecision backend;
  const ExamPoint silent = PointOf(backend, "rounds-results");
  EXPECT_EQ(silent.mark, Mark::kNotDeclared);
  EXPECT_EQ(silent.remark.find("18 of 18 probes differ; MUL, SUB fp32: step 0"), 0u)
      << silent.remark;
  // It has no dot products, so that only the probes of ADD and MUL reach it.
  const ExamPoint other = PointOf(backend, "plain-sums");
  EXPECT_EQ(other.mark, Mark::kNotDeclared);
  EXPECT_EQ(
      other.remark,
      "only 3 of 34 probes ran, and agree: MUL, ADD to powers of two fp32; MUL, ADD to powers "
      "of two fp16; MUL, ADD to powers of two bf16; the others are not supported: other "
      "operators");
  backend.Declare({{.plain_sums = true, .rounds_results = true}});
  EXPECT_EQ(PointOf(backend, "rounds-results").mark, Mark::kFailed);
  EXPECT_EQ(PointOf(backend, "plain-sums").mark, Mark::kGood);
}

// A backend that makes subnormal operands of a graph zeros, or subnormal results of operators, or
// both. Its graphs have one operator.
class FlushesNumbers : public Backend {
 public:
  FlushesNumbers(bool operands, bool results) : operands_(operands), results_(results) {}
  Result<std::vector<Outcome>> Run(const TestVector& vector) override {
    TestVector flushed = vector;
    for (Tensor& input : flushed.steps[0].inputs) {
      if (operands_) input = Flushed(input);
    }
    std::vector<Outcome> outcomes = ExecuteVector(flushed, {});
    for (Tensor& output : outcomes[0].outputs) {
      if (results_) output = Flushed(output);
    }
    return outcomes;
  }
  std::string Describe() const override { return "flushes"; }

 private:
  static Tensor Flushed(const Tensor& tensor) {
    if (!IsFloat(tensor.type())) return tensor;
    std::vector<double> numbers;
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      const double x = tensor.Float(i);
      numbers.push_back(std::fabs(x) < FormatOf(tensor.type()).normal_min ? std::copysign(0.0, x)
                                                                          : x);
    }
    return Tensor::FromFloats(tensor.type(), tensor.shape(), numbers);
  }

  const bool operands_, results_;
};

TEST(Probes, FindSubnormalNumbersThatAreFlushedOrKept) {
  const ExamPoint keeps = PointOf("reference", "keeps-subnormals", true);
  EXPECT_EQ(keeps.mark, Mark::kGood);
  EXPECT_EQ(keeps.remark, "all 15 probes agree");
  const ExamPoint wrong = PointOf("reference", "flushes-subnormals", true);
  EXPECT_EQ(wrong.mark, Mark::kFailed);
  EXPECT_EQ(wrong.remark.find("15 of 15 probes differ; SUB to subnormal fp32: "), 0u)
      << wrong.remark;
  FlushesNumbers all(true, true);
  all.Declare({{.flushes_subnormals = true}});
  EXPECT_EQ(PointOf(all, "flushes-subnormals").mark, Mark::kGood);
  EXPECT_EQ(PointOf(all, "flushes-subnormals").remark, "all 15 probes agree");
  EXPECT_EQ(PointOf(all, "keeps-subnormals").mark, Mark::kNotDeclared);
  EXPECT_EQ(PointOf(all, "keeps-subnormals").remark.find("15 of 15 probes differ"), 0u)
      << PointOf(all, "keeps-subnormals").remark;
}

// Most processors can flush results and still read subnormal operands, or the other way round.
TEST(Probes, FindBackendsThatFlushOnOneSideOnly) {
  FlushesNumbers results(false, true), operands(true, false);
  EXPECT_EQ(PointOf(results, "flushes-subnormals").remark.find("6 of 15 probes differ; MUL of"), 0u)
      << PointOf(results, "flushes-subnormals").remark;
  EXPECT_EQ(PointOf(operands, "flushes-subnormals").remark.find("9 of 15 probes differ; SUB to"),
            0u)
      << PointOf(operands, "flushes-subnormals").remark;
}

TEST(Probes, EndWithTheBackend) {
  for (const char* backend : {"canary:crashes", "canary:hangs"}) {
    const ExamPoint point = PointOf(backend, "plain-sums", false);
    EXPECT_EQ(point.remark.find("1 of 1 probes differ; MATMUL fp32"), 0u) << point.remark;
  }
}

}  // namespace
}  // namespace assay::declaration_probes_test
