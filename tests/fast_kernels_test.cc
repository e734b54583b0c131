// Fast kernels give the bits of the templates, on random calls.

#include "fast_kernels.h"

#include <gtest/gtest.h>

#include "random.h"
#include "run_operator.h"

namespace assay {
namespace {

using Value = DomainTensor<Scalar>;

// Elements near the ends of the type in one call of four, so that accumulators overflow as well;
// floats with NaN, infinities and both zeros in one call of four.
Value RandomTensor(Random& random, DType type, const Shape& shape, bool wild) {
  auto elements = std::make_shared<std::vector<Scalar>>();
  for (int64_t i = 0; i < shape.Elements(); ++i) {
    if (IsFloat(type)) {
      constexpr double kSpecial[] = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, NAN, 1e-30, 3e38};
      const double plain = static_cast<double>(random.Between(-2000, 2000)) / 64;
      const double x = wild && random.OneIn(8) ? random.Pick(kSpecial) : plain;
      elements->push_back(Scalar::OfFloat(RoundToType(type, x)));
    } else {
      const int64_t low = wild ? MaximumInteger(type) - 1 : MinimumInteger(type);
      elements->push_back(Scalar::OfInteger(random.Between(low, MaximumInteger(type))));
    }
  }
  return {{type, shape}, elements};
}

Value ZeroPoint(Random& random, DType type) {
  if (type == DType::kInt8) return RandomTensor(random, type, {1}, false);
  return {{type, {1}}, std::make_shared<std::vector<Scalar>>(1)};
}

struct Answer {
  Fate fate;
  bool order_dependent;
  std::vector<uint64_t> bits;
  friend bool operator==(const Answer&, const Answer&) = default;
};

Answer AnswerOf(Kernels kernels, OperatorRun<ValueDomain>& run) {
  ValueDomain d;
  RunOperator(d, kLevel8K, kernels, run);
  Answer result{d.judgement().fate(), d.order_dependent(), {}};
  for (const Value& output : run.outputs) {
    for (const Scalar x : *output.elements) {
      result.bits.push_back(static_cast<uint64_t>(x.integer()));
    }
  }
  return result;
}

struct Types {
  DType in, weight, acc, out;
};
constexpr Types kTypes[] = {
    {DType::kInt8, DType::kInt8, DType::kInt32, DType::kInt32},
    {DType::kInt8, DType::kInt4, DType::kInt32, DType::kInt32},
    {DType::kInt16, DType::kInt8, DType::kInt48, DType::kInt48},
    {DType::kFp16, DType::kFp16, DType::kFp16, DType::kFp16},
    {DType::kFp16, DType::kFp16, DType::kFp32, DType::kFp16},
    {DType::kBf16, DType::kBf16, DType::kFp32, DType::kBf16},
    {DType::kFp32, DType::kFp32, DType::kFp32, DType::kFp32},
};

int32_t Small(Random& random, int32_t low, int32_t high) {
  return static_cast<int32_t>(random.Between(low, high));
}

// One axis of a random convolution.
struct Axis {
  int32_t in, kernel, out, stride, dilation;
  int32_t before, after;  // padding; of the output if transposed
};

Axis RandomAxis(Random& random, bool transposed) {
  Axis axis = {0, Small(random, 1, 3), 0, Small(random, 1, 3), Small(random, 1, 3), 0, 0};
  if (transposed) {
    axis.in = Small(random, 1, 4);
    axis.before = Small(random, 1 - axis.kernel, 2);
    axis.after = Small(random, 1 - axis.kernel, 2);
    axis.out = (axis.in - 1) * axis.stride + axis.before + axis.after + axis.kernel;
    return axis;
  }
  axis.before = Small(random, 0, 4);
  axis.after = Small(random, 0, 4);
  axis.out = Small(random, 1, 4);
  // The image that the output needs, less the padding.
  axis.in = (axis.out - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1 - axis.before -
            axis.after;
  return axis;
}

// Operators of `axes` spatial dimensions and one group of channels.
void ExpectTheBitsOfTheTemplate(Op op, int axes) {
  const bool transposed = op == Op::kTransposeConv2d;
  Random random(1);
  int valid = 0;
  int unpredictable = 0;
  for (int round = 0; round < 600; ++round) {
    const Types types = random.Pick(kTypes);
    const bool wild = random.OneIn(4);
    const int32_t IC = Small(random, 1, 5), OC = Small(random, 1, 19);
    Shape in = {Small(random, 1, 2)}, kernel = {OC}, out = {in[0]};
    std::vector<int32_t> pad, stride, dilation;
    bool exists = true;  // at least one pixel everywhere
    for (int i = 0; i < axes; ++i) {
      const Axis axis = RandomAxis(random, transposed);
      in.PushBack(axis.in);
      kernel.PushBack(axis.kernel);
      out.PushBack(axis.out);
      pad.push_back(axis.before);
      pad.push_back(axis.after);
      stride.push_back(axis.stride);
      dilation.push_back(axis.dilation);
      exists = exists && axis.in > 0 && axis.out > 0;
    }
    if (!exists) continue;
    in.PushBack(IC);
    kernel.PushBack(IC);
    out.PushBack(OC);
    Operator conv{op, {}, {}, {}};
    conv.attributes = {{AttributeId::kStride, stride},
                       {AttributeId::kAccType, static_cast<int32_t>(types.acc)}};
    conv.attributes.Set(transposed ? AttributeId::kOutPad : AttributeId::kPad, pad);
    if (!transposed) conv.attributes.Set(AttributeId::kDilation, dilation);
    const Value input = RandomTensor(random, types.in, in, wild);
    const Value weight = RandomTensor(random, types.weight, kernel, wild);
    const Value bias =
        RandomTensor(random, types.out, {random.OneIn(3) ? 1 : OC}, wild && random.OneIn(2));
    const Value input_zp = ZeroPoint(random, types.in);
    const Value weight_zp = ZeroPoint(random, types.weight);
    OperatorRun<ValueDomain> run;
    run.op = &conv;
    run.inputs = {&input, &weight, &bias, &input_zp, &weight_zp};
    run.output_types = {{types.out, out}};
    const Answer wanted = AnswerOf(Kernels::kTemplate, run);
    ASSERT_EQ(wanted, AnswerOf(Kernels::kFast, run)) << "round " << round;
    ASSERT_NE(wanted.fate, Fate::kError) << "round " << round;
    ++(wanted.fate == Fate::kValid ? valid : unpredictable);
  }
  EXPECT_GT(valid, 100);
  EXPECT_GT(unpredictable, 5);
}

TEST(FastKernels, GiveTheBitsOfTheTemplateForConv2d) { ExpectTheBitsOfTheTemplate(Op::kConv2d, 2); }

TEST(FastKernels, GiveTheBitsOfTheTemplateForConv3d) { ExpectTheBitsOfTheTemplate(Op::kConv3d, 3); }

TEST(FastKernels, GiveTheBitsOfTheTemplateForTransposeConv2d) {
  ExpectTheBitsOfTheTemplate(Op::kTransposeConv2d, 2);
}

TEST(FastKernels, GiveTheBitsOfTheTemplateForMatmul) {
  constexpr Types kMatmulTypes[] = {
      {DType::kInt8, DType::kInt8, DType::kInt32, DType::kInt32},
      {DType::kInt16, DType::kInt16, DType::kInt48, DType::kInt48},
      {DType::kFp16, DType::kFp16, DType::kFp32, DType::kFp32},
      {DType::kFp32, DType::kFp32, DType::kFp32, DType::kFp32},
  };
  Random random(2);
  for (int round = 0; round < 200; ++round) {
    const Types types = random.Pick(kMatmulTypes);
    const bool wild = random.OneIn(4);
    const int32_t N = Small(random, 1, 3), H = Small(random, 1, 5);
    const int32_t C = Small(random, 1, 40), W = Small(random, 1, 19);
    const Operator op{Op::kMatmul, {}, {}, {}};
    const Value a = RandomTensor(random, types.in, {N, H, C}, wild);
    const Value b = RandomTensor(random, types.in, {N, C, W}, wild);
    const Value a_zp = ZeroPoint(random, types.in);
    const Value b_zp = ZeroPoint(random, types.in);
    OperatorRun<ValueDomain> run;
    run.op = &op;
    run.inputs = {&a, &b, &a_zp, &b_zp};
    run.output_types = {{types.out, {N, H, W}}};
    const Answer wanted = AnswerOf(Kernels::kTemplate, run);
    ASSERT_EQ(wanted, AnswerOf(Kernels::kFast, run)) << "round " << round;
    ASSERT_EQ(wanted.fate, Fate::kValid) << "round " << round;
  }
}

TEST(FastKernels, LeaveSumsThatMayOverflowToTheTemplate) {
  // 40000 * 255 * 255 > 2^31 - 1: the order decides whether a running sum stays inside.
  auto products = [](bool alternating) {
    auto elements = std::make_shared<std::vector<Scalar>>();
    for (int i = 0; i < 40000; ++i) {
      elements->push_back(Scalar::OfInteger(alternating && i % 2 == 1 ? -127 : 127));
    }
    return elements;
  };
  const auto row = products(true);
  const auto column = std::make_shared<std::vector<Scalar>>(40000, Scalar::OfInteger(127));
  const Value zero = {{DType::kInt8, {1}},
                      std::make_shared<std::vector<Scalar>>(1, Scalar::OfInteger(-128))};
  const Operator op{Op::kMatmul, {}, {}, {}};
  for (const bool overflows : {false, true}) {
    const Value a = {{DType::kInt8, {1, 1, 40000}}, overflows ? products(false) : row};
    const Value b = {{DType::kInt8, {1, 40000, 1}}, column};
    OperatorRun<ValueDomain> run;
    run.op = &op;
    run.inputs = {&a, &b, &zero, &zero};
    run.output_types = {{DType::kInt32, {1, 1, 1}}};
    const Answer wanted = AnswerOf(Kernels::kTemplate, run);
    EXPECT_EQ(wanted, AnswerOf(Kernels::kFast, run));
    EXPECT_EQ(wanted.fate, overflows ? Fate::kUnpredictable : Fate::kValid);
  }
}

}  // namespace
}  // namespace assay
