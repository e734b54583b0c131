// SPDX-License-Identifier: Apache-2.0
// Tests convolutions, MATMUL, pooling and reductions in the same way as fast_kernels_test.cc.
#include "native_and_template.h"
#include "random.h"

namespace assay::fast_sums_test {
namespace {

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

// One axis of a random convolution.
struct Axis {
  int32_t in, kernel, out, stride, dilation;
  int32_t before, after;  // padding; of the output if transposed
};

// The largest numbers that are drawn.
struct Most {
  int32_t out = 4, kernel = 3, channels = 5, multiplier = 3, padding = 4, out_channels = 19;
  int32_t stride = 3, dilation = 3;
  int32_t least_kernel = 1;  // the smallest kernel
};

Axis RandomAxis(Random& random, bool transposed, const Most& most) {
  Axis axis = {0,
               Small(random, most.least_kernel, most.kernel),
               0,
               Small(random, 1, most.stride),
               Small(random, 1, most.dilation),
               0,
               0};
  if (transposed) {
    axis.in = Small(random, 1, 4);
    axis.before = Small(random, 1 - axis.kernel, 2);
    axis.after = Small(random, 1 - axis.kernel, 2);
    axis.out = (axis.in - 1) * axis.stride + axis.before + axis.after + axis.kernel;
    return axis;
  }
  axis.before = Small(random, 0, most.padding);
  axis.after = Small(random, 0, most.padding);
  axis.out = Small(random, 1, most.out);
  // The image that the output needs, less the padding.
  axis.in = (axis.out - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1 - axis.before -
            axis.after;
  return axis;
}

// Compares kernel and template on a random convolution of `axes` spatial dimensions.
void ExpectTheBitsOfTheTemplate(Op op, int axes, const Most& most = {}) {
  const bool transposed = op == Op::kTransposeConv2d;
  const bool depthwise = op == Op::kDepthwiseConv2d;
  Random random(1);
  int valid = 0;
  int unpredictable = 0;
  for (int round = 0; round < 600; ++round) {
    const Types types = random.Pick(kTypes);
    const bool wild = random.OneIn(4);
    const int32_t IC = Small(random, 1, most.channels), M = Small(random, 1, most.multiplier);
    const int32_t OC = depthwise ? IC * M : Small(random, 1, most.out_channels);
    Shape in = {Small(random, 1, 2)}, kernel, out = {in[0]};
    if (!depthwise) kernel.PushBack(OC);
    std::vector<int32_t> pad, stride, dilation;
    bool exists = true;  // at least one pixel everywhere
    for (int i = 0; i < axes; ++i) {
      const Axis axis = RandomAxis(random, transposed, most);
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
    if (depthwise) kernel.PushBack(M);
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
    const KernelAnswer wanted = AnswerOf(Kernels::kTemplate, run);
    ASSERT_EQ(wanted, AnswerOf(Kernels::kFast, run)) << "round " << round;
    ASSERT_EQ(BoundAnswerOf(Kernels::kTemplate, run), BoundAnswerOf(Kernels::kFast, run)) << round;
    ASSERT_TRUE(HasNativeKernel(run)) << "round " << round;
    ASSERT_NE(wanted.fate, Fate::kError) << "round " << round;
    ++(wanted.fate == Fate::kValid ? valid : unpredictable);
  }
  EXPECT_GT(valid, 100);
  EXPECT_GT(unpredictable, 5);
}

TEST(FastSums, GiveTheBitsOfTheTemplateForConv2d) { ExpectTheBitsOfTheTemplate(Op::kConv2d, 2); }

TEST(FastSums, GiveTheBitsOfTheTemplateForConv3d) { ExpectTheBitsOfTheTemplate(Op::kConv3d, 3); }

TEST(FastSums, GiveTheBitsOfTheTemplateForTransposeConv2d) {
  ExpectTheBitsOfTheTemplate(Op::kTransposeConv2d, 2);
}

TEST(FastSums, GiveTheBitsOfTheTemplateForDepthwiseConv2d) {
  ExpectTheBitsOfTheTemplate(Op::kDepthwiseConv2d, 2);
}

// Rows of positions that share pixels, and more channels than registers hold.
TEST(FastSums, GiveTheBitsOfTheTemplateForDepthwiseConv2dOfManyChannels) {
  ExpectTheBitsOfTheTemplate(Op::kDepthwiseConv2d, 2,
                             {.out = 11, .kernel = 4, .channels = 75, .multiplier = 1});
}

// The kernel that reads the elements itself. It leaves weights that are infinite or NaN to the
// other one, because it multiplies them by the padding.
TEST(FastSums, GiveTheBitsOfTheTemplateForDepthwiseConv2dOf3x3) {
  ExpectTheBitsOfTheTemplate(Op::kDepthwiseConv2d, 2,
                             {.out = 11,
                              .channels = 75,
                              .multiplier = 1,
                              .padding = 3,
                              .stride = 1,
                              .dilation = 1,
                              .least_kernel = 3});
}

// Windows of more elements than are copied at once.
TEST(FastSums, GiveTheBitsOfTheTemplateForConv2dOfManyChannels) {
  ExpectTheBitsOfTheTemplate(Op::kConv2d, 2, {.channels = 40});
}

// One output position, whose window meets padding or not, and more channels than are summed
// together.
TEST(FastSums, GiveTheBitsOfTheTemplateForConv2dOfOnePosition) {
  ExpectTheBitsOfTheTemplate(Op::kConv2d, 2,
                             {.out = 1, .channels = 40, .padding = 1, .out_channels = 75});
}

TEST(FastSums, GiveTheBitsOfTheTemplateForMatmul) {
  constexpr Types kMatmulTypes[] = {
      {DType::kInt8, DType::kInt8, DType::kInt32, DType::kInt32},
      {DType::kInt16, DType::kInt16, DType::kInt48, DType::kInt48},
      {DType::kFp16, DType::kFp16, DType::kFp32, DType::kFp32},
      {DType::kBf16, DType::kBf16, DType::kFp32, DType::kFp32},
      {DType::kFp32, DType::kFp32, DType::kFp32, DType::kFp32},
  };
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    const Types types = random.Pick(kMatmulTypes);
    const bool wild = random.OneIn(4), one_row = random.OneIn(3);
    const int32_t N = Small(random, 1, 3), H = one_row ? 1 : Small(random, 1, 9);
    const int32_t C = Small(random, 1, 40), W = Small(random, 1, one_row ? 300 : 70);
    const Operator op{Op::kMatmul, {}, {}, {}};
    const Value a = RandomTensor(random, types.in, {N, H, C}, wild);
    const Value b = RandomTensor(random, types.in, {N, C, W}, wild);
    const Value a_zp = ZeroPoint(random, types.in);
    const Value b_zp = ZeroPoint(random, types.in);
    OperatorRun<ValueDomain> run;
    run.op = &op;
    run.inputs = {&a, &b, &a_zp, &b_zp};
    run.output_types = {{types.out, {N, H, W}}};
    const KernelAnswer wanted = AnswerOf(Kernels::kTemplate, run);
    ASSERT_EQ(wanted, AnswerOf(Kernels::kFast, run)) << "round " << round;
    ASSERT_EQ(BoundAnswerOf(Kernels::kTemplate, run), BoundAnswerOf(Kernels::kFast, run)) << round;
    ASSERT_EQ(wanted.fate, Fate::kValid) << "round " << round;
  }
}

TEST(FastSums, LeaveSumsThatMayOverflowToTheTemplate) {
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
  const Value zero =
      ValueOf(DType::kInt8, {1}, std::make_shared<std::vector<Scalar>>(1, Scalar::OfInteger(-128)));
  const Operator op{Op::kMatmul, {}, {}, {}};
  for (const bool overflows : {false, true}) {
    const Value a = ValueOf(DType::kInt8, {1, 1, 40000}, overflows ? products(false) : row);
    const Value b = ValueOf(DType::kInt8, {1, 40000, 1}, column);
    OperatorRun<ValueDomain> run;
    run.op = &op;
    run.inputs = {&a, &b, &zero, &zero};
    run.output_types = {{DType::kInt32, {1, 1, 1}}};
    const KernelAnswer wanted = AnswerOf(Kernels::kTemplate, run);
    EXPECT_EQ(wanted, AnswerOf(Kernels::kFast, run));
    EXPECT_EQ(BoundAnswerOf(Kernels::kTemplate, run), BoundAnswerOf(Kernels::kFast, run));
    EXPECT_EQ(wanted.fate, overflows ? Fate::kUnpredictable : Fate::kValid);
  }
}

void ExpectTheBitsOfTheTemplateForPooling(Op pooling, std::span<const DType> types) {
  Random random(7);
  for (int round = 0; round < 600; ++round) {
    const DType type = random.Pick(types);
    Shape in = {Small(random, 1, 2)};
    std::vector<int32_t> kernel, stride, pad;
    for (int axis = 0; axis < 2; ++axis) {
      kernel.push_back(Small(random, 1, 4));
      stride.push_back(Small(random, 1, 3));
      const int32_t before = Small(random, 0, kernel.back() - 1);
      const int32_t after = Small(random, 0, kernel.back() - 1);
      pad.push_back(before);
      pad.push_back(after);
      // Windows that end where the padded image ends.
      int32_t size = kernel.back() - before - after;
      while (size < 1 || random.OneIn(2)) size += stride.back();
      in.PushBack(size);
    }
    in.PushBack(Small(random, 1, 20));
    Operator op{pooling, {}, {}, {}};
    op.attributes = {
        {AttributeId::kKernel, kernel}, {AttributeId::kStride, stride}, {AttributeId::kPad, pad}};
    const Value x = RandomTensor(random, type, in, random.OneIn(2));
    const Value input_zp = ZeroPoint(random, type), output_zp = ZeroPoint(random, type);
    const bool averages = pooling == Op::kAvgPool2d;
    if (averages) {
      op.attributes.Set(AttributeId::kAccType,
                        static_cast<int32_t>(IsFloat(type) ? DType::kFp32 : DType::kInt32));
    } else {
      op.attributes.Set(AttributeId::kNanMode, NanModeOf(random));
    }
    auto run = averages ? RunOf(op, {&x, &input_zp, &output_zp}, type) : RunOf(op, {&x}, type);
    EXPECT_EQ(ExpectTheBitsOfTheTemplate(run, round), Fate::kValid);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(FastSums, GiveTheBitsOfTheTemplateForMaxPool2d) {
  constexpr DType kPoolTypes[] = {DType::kInt8, DType::kInt16, DType::kFp32};
  ExpectTheBitsOfTheTemplateForPooling(Op::kMaxPool2d, kPoolTypes);
}

TEST(FastSums, GiveTheBitsOfTheTemplateForAvgPool2d) {
  constexpr DType kPoolTypes[] = {DType::kInt8, DType::kInt16, DType::kFp16, DType::kBf16,
                                  DType::kFp32};
  ExpectTheBitsOfTheTemplateForPooling(Op::kAvgPool2d, kPoolTypes);
}

TEST(FastSums, LeaveWindowsWhoseSumsMayOverflowToTheTemplate) {
  // 256 * 256 * 32767 = 2147418112 is an i32, 256 * 257 * 32767 is none.
  for (const int32_t columns : {256, 257}) {
    const std::vector<int32_t> kernel = {256, columns};
    const Operator op{Op::kAvgPool2d,
                      {{AttributeId::kKernel, kernel},
                       {AttributeId::kStride, std::vector<int32_t>{1, 1}},
                       {AttributeId::kPad, std::vector<int32_t>{0, 0, 0, 0}},
                       {AttributeId::kAccType, static_cast<int32_t>(DType::kInt32)}},
                      {},
                      {}};
    const Value x = Value(Tensor::Splat(DType::kInt16, {1, 256, columns, 1}, 32767));
    const Value zero = Value(Tensor::Splat(DType::kInt16, {1}, 0));
    auto run = RunOf(op, {&x, &zero, &zero}, DType::kInt16);
    EXPECT_EQ(ExpectTheBitsOfTheTemplate(run, columns),
              columns == 256 ? Fate::kValid : Fate::kUnpredictable);
  }
}

TEST(FastSums, GiveTheBitsOfTheTemplateForReductions) {
  constexpr DType kNumbers[] = {DType::kInt8, DType::kInt16, DType::kInt32,
                                DType::kFp16, DType::kBf16,  DType::kFp32};
  constexpr DType kSums[] = {DType::kInt32, DType::kFp16, DType::kBf16, DType::kFp32};
  constexpr DType kFloats[] = {DType::kFp16, DType::kBf16, DType::kFp32};
  constexpr DType kBools[] = {DType::kBool};
  const std::pair<Op, std::span<const DType>> kReductions[] = {
      {Op::kReduceAll, kBools},   {Op::kReduceAny, kBools}, {Op::kReduceMax, kNumbers},
      {Op::kReduceMin, kNumbers}, {Op::kReduceSum, kSums},  {Op::kReduceProduct, kFloats}};
  Random random(9);
  int valid = 0, unpredictable = 0;
  for (int round = 0; round < 2000; ++round) {
    const auto& [reduction, types] = random.Pick(kReductions);
    Operator op{reduction, {}, {}, {}};
    const DType type = random.Pick(types);
    Shape shape = RandomShape(random);
    // Some reductions have more results than the kernel computes together.
    shape.PushBack(random.OneIn(20) ? Small(random, 500, 600) : Small(random, 1, 9));
    op.attributes.Set(AttributeId::kAxis, Small(random, 0, shape.rank() - 1));
    if (types.data() == kNumbers) op.attributes.Set(AttributeId::kNanMode, NanModeOf(random));
    // Integers have any magnitude: some sums stay in range only in some orders.
    const Value x = RandomTensor(random, type, shape, random.OneIn(2));
    auto run = RunOf(op, {&x}, type);
    const Fate fate = ExpectTheBitsOfTheTemplate(run, round);
    if (HasFailure()) return;
    ++(fate == Fate::kValid ? valid : unpredictable);
  }
  EXPECT_GT(valid, 1500);
  EXPECT_GT(unpredictable, 50);
}

TEST(FastSums, SumIntegersThatFit) {
  Random random(10);
  for (int round = 0; round < 100; ++round) {
    const auto elements = std::make_shared<std::vector<Scalar>>();
    for (int i = 0; i < 40; ++i) {
      elements->push_back(Scalar::OfInteger(random.Between(-1 << 24, 1 << 24)));
    }
    const Operator op{Op::kReduceSum, {{AttributeId::kAxis, 1}}, {}, {}};
    const Value x = ValueOf(DType::kInt32, {2, 20}, elements);
    auto run = RunOf(op, {&x}, DType::kInt32);
    EXPECT_EQ(ExpectTheBitsOfTheTemplate(run, round), Fate::kValid);
  }
}

// A sum that lies just beside the middle of two results is rounded once. By way of fp32 it would be
// the middle.
TEST(FastSums, RoundOnce) {
  const auto column = [](DType type, const Shape& shape, std::initializer_list<double> values) {
    auto elements = std::make_shared<std::vector<Scalar>>();
    for (const double x : values) elements->push_back(Scalar::OfFloat(x));
    return ValueOf(type, shape, std::move(elements));
  };
  const Operator op{Op::kConv2d,
                    {{AttributeId::kPad, std::vector<int32_t>{0, 0, 0, 0}},
                     {AttributeId::kStride, std::vector<int32_t>{1, 1}},
                     {AttributeId::kDilation, std::vector<int32_t>{1, 1}},
                     {AttributeId::kAccType, static_cast<int32_t>(DType::kFp32)},
                     {AttributeId::kLocalBound, false}},
                    {},
                    {}};
  for (const auto& [type, half] : {std::pair(DType::kFp16, 0x1p-11), {DType::kBf16, 0x1p-8}}) {
    for (const double beside : {0x1p-14, -0x1p-14}) {
      const Value x = column(type, {1, 1, 1, 3}, {1, half, beside});
      const Value w = column(type, {1, 1, 1, 3}, {1, 1, 0x1p-14});
      const Value zero = column(type, {1}, {0});
      auto run = RunOf(op, {&x, &w, &zero, &zero, &zero}, type);
      EXPECT_EQ(ExpectTheBitsOfTheTemplate(run, 0), Fate::kValid);
    }
  }
}

}  // namespace
}  // namespace assay::fast_sums_test
