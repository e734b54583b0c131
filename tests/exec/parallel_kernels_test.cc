// SPDX-License-Identifier: Apache-2.0
// Computes operators of every family with several threads, in both domains. The results must have
// the same bytes as with one.
#include "native_and_template.h"
#include "parallel.h"
#include "random.h"

namespace assay::parallel_kernels_test {
namespace {

// A call of an operator on operands of its own.
struct Case {
  Operator op;
  std::vector<Value> inputs;
  DType out;
};

OperatorRun<ValueDomain> RunOf(const Case& c) {
  OperatorRun<ValueDomain> run;
  run.op = &c.op;
  std::vector<TensorType> types;
  std::vector<std::span<const Scalar>> constants;
  for (const Value& input : c.inputs) {
    run.inputs.push_back(&input);
    types.push_back(input.type());
    constants.emplace_back(*input.elements().elements);
  }
  run.output_types = {{c.out, {}}};
  EXPECT_TRUE(InferOutputs({c.op.op, &c.op.attributes, types, {}, constants}, run.output_types));
  return run;
}

// Makes cases with random operands.
class Cases {
 public:
  explicit Cases(bool wild) : wild_(wild), random_(7) {}

  Value Tensor(DType type, const Shape& shape) { return RandomTensor(random_, type, shape, wild_); }
  Value Zero(DType type) { return ZeroPoint(random_, type); }
  Value Integers(DType type, int64_t value) {
    return ValueOf(type, {1}, std::make_shared<std::vector<Scalar>>(1, Scalar::OfInteger(value)));
  }
  void Add(Op op, Attributes attributes, std::vector<Value> inputs, DType out) {
    list.push_back({{op, std::move(attributes), {}, {}}, std::move(inputs), out});
  }

  void AddConvolution(Op op, DType in, DType weight, DType acc, const Shape& image,
                      const Shape& kernel, int32_t channels) {
    const DType out = IsFloat(in) ? in : acc;
    Attributes attributes = {{AttributeId::kStride, std::vector<int32_t>{1, 1}},
                             {AttributeId::kAccType, static_cast<int32_t>(acc)},
                             {AttributeId::kLocalBound, false}};
    const bool transposed = op == Op::kTransposeConv2d;
    attributes.Set(transposed ? AttributeId::kOutPad : AttributeId::kPad,
                   std::vector<int32_t>{1, 1, 1, 1});
    if (!transposed) attributes.Set(AttributeId::kDilation, std::vector<int32_t>{1, 1});
    Add(op, std::move(attributes),
        {Tensor(in, image), Tensor(weight, kernel), Tensor(out, {channels}), Zero(in),
         Zero(weight)},
        out);
  }

  void AddDotProducts() {
    struct Types {
      DType in, weight, acc;
    };
    for (const auto& [in, weight, acc] : {Types{DType::kInt8, DType::kInt8, DType::kInt32},
                                          Types{DType::kInt16, DType::kInt8, DType::kInt48},
                                          Types{DType::kFp16, DType::kFp16, DType::kFp32},
                                          Types{DType::kBf16, DType::kBf16, DType::kFp32},
                                          Types{DType::kFp32, DType::kFp32, DType::kFp32}}) {
      // More channels than a panel has, and a last panel that is not full.
      AddConvolution(Op::kConv2d, in, weight, acc, {1, 9, 7, 5}, {75, 3, 3, 5}, 75);
      AddConvolution(Op::kConv2d, in, weight, acc, {1, 1, 1, 33}, {141, 1, 1, 33}, 141);
      AddConvolution(Op::kTransposeConv2d, in, weight, acc, {2, 4, 5, 3}, {35, 2, 3, 3}, 35);
      AddConvolution(Op::kDepthwiseConv2d, in, weight, acc, {1, 9, 7, 45}, {3, 3, 45, 1}, 45);
    }
    for (const auto& [in, out] : {std::pair{DType::kInt8, DType::kInt32},
                                  {DType::kInt16, DType::kInt48},
                                  {DType::kFp16, DType::kFp32},
                                  {DType::kFp32, DType::kFp32}}) {
      Add(Op::kMatmul, {}, {Tensor(in, {2, 53, 31}), Tensor(in, {2, 31, 77}), Zero(in), Zero(in)},
          out);
    }
  }

  void AddPoolsAndReductions() {
    const std::vector<int32_t> kernel = {3, 3}, stride = {1, 1}, pad = {1, 1, 1, 1};
    for (const DType type : {DType::kInt8, DType::kFp32}) {
      const DType acc = IsFloat(type) ? DType::kFp32 : DType::kInt32;
      Add(Op::kAvgPool2d,
          {{AttributeId::kKernel, kernel},
           {AttributeId::kStride, stride},
           {AttributeId::kPad, pad},
           {AttributeId::kAccType, static_cast<int32_t>(acc)}},
          {Tensor(type, {2, 11, 13, 5}), Zero(type), Zero(type)}, type);
      Add(Op::kMaxPool2d,
          {{AttributeId::kKernel, kernel},
           {AttributeId::kStride, stride},
           {AttributeId::kPad, pad},
           {AttributeId::kNanMode, NanModeOf(random_)}},
          {Tensor(type, {2, 11, 13, 5})}, type);
    }
    for (const DType type : {DType::kInt32, DType::kFp32}) {
      for (const int32_t axis : {0, 1, 2}) {
        Add(Op::kReduceSum, {{AttributeId::kAxis, axis}}, {Tensor(type, {9, 11, 13})}, type);
      }
    }
  }

  // Runs of neighbours, rows of transposed matrices that are copied together, and a last part that
  // is smaller.
  void AddMoves() {
    const auto move = [&](Op op, AttributeId id, auto value, DType type, const Shape& shape) {
      Add(op, {{id, std::move(value)}}, {Tensor(type, shape)}, type);
    };
    for (const DType type : {DType::kInt8, DType::kFp16, DType::kFp32}) {
      for (const std::vector<int32_t>& perms : {std::vector{1, 0, 2}, {0, 2, 1}, {2, 1, 0}}) {
        move(Op::kTranspose, AttributeId::kPerms, perms, type, {3, 203, 41});
      }
      move(Op::kReverse, AttributeId::kAxis, 1, type, {3, 203, 41});
    }
  }

  // Elements enough for templates to be divided, in shapes that divide in different ways.
  void AddElementWise() {
    const Shape all = {1, 70, 90}, row = {1, 1, 90}, column = {1, 70, 1};
    for (const Op op : {Op::kExp, Op::kTanh, Op::kErf, Op::kSigmoid, Op::kRsqrt, Op::kAbs}) {
      Add(op, {}, {Tensor(DType::kFp32, all)}, DType::kFp32);
    }
    for (const Shape& other : {all, row, column}) {
      Add(Op::kAdd, {}, {Tensor(DType::kFp32, all), Tensor(DType::kFp32, other)}, DType::kFp32);
      Add(Op::kAdd, {}, {Tensor(DType::kInt32, all), Tensor(DType::kInt32, other)}, DType::kInt32);
      Add(Op::kPow, {}, {Tensor(DType::kFp32, other), Tensor(DType::kFp32, all)}, DType::kFp32);
      Add(Op::kMul, {},
          {Tensor(DType::kFp16, all), Tensor(DType::kFp16, other), Integers(DType::kInt8, 0)},
          DType::kFp16);
      Add(Op::kIntdiv, {}, {Tensor(DType::kInt32, all), Tensor(DType::kInt32, other)},
          DType::kInt32);
      Add(Op::kSelect, {},
          {Tensor(DType::kBool, other), Tensor(DType::kFp32, all), Tensor(DType::kFp32, all)},
          DType::kFp32);
    }
    Add(Op::kPow, {}, {Tensor(DType::kFp32, {70, 1, 90}), Tensor(DType::kFp32, {1, 2, 90})},
        DType::kFp32);
    Add(Op::kTable, {}, {Tensor(DType::kInt8, {6300}), Tensor(DType::kInt8, {256})}, DType::kInt8);
    Add(Op::kCast, {}, {Tensor(DType::kFp32, {6300})}, DType::kInt8);
    Add(Op::kCast, {}, {Tensor(DType::kFp8e4m3, {6300})}, DType::kFp16);
    const auto rescale = [&](const Shape& shape, bool per_channel, const Value& multiplier,
                             const Value& shift) {
      Add(Op::kRescale,
          {{AttributeId::kScale32, true},
           {AttributeId::kRoundingMode, static_cast<int32_t>(RoundingMode::kSingleRound)},
           {AttributeId::kPerChannel, per_channel},
           {AttributeId::kInputUnsigned, false},
           {AttributeId::kOutputUnsigned, false}},
          {Tensor(DType::kInt16, shape), multiplier, shift, Integers(DType::kInt16, 0),
           Integers(DType::kInt8, 3)},
          DType::kInt8);
    };
    rescale(all, false, Integers(DType::kInt32, 1 << 30), Integers(DType::kInt8, 36));
    // The scales of the channels differ.
    auto multipliers = std::make_shared<std::vector<Scalar>>();
    for (int i = 0; i < 6300; ++i)
      multipliers->push_back(Scalar::OfInteger((1 << 30) + int64_t{99999} * i % (1 << 30)));
    rescale({6300}, true, ValueOf(DType::kInt32, {6300}, multipliers),
            ValueOf(DType::kInt8, {6300},
                    std::make_shared<std::vector<Scalar>>(6300, Scalar::OfInteger(36))));
  }

  std::vector<Case> list;

 private:
  bool wild_;
  Random random_;
};

class ParallelKernels : public testing::TestWithParam<bool> {
 protected:
  void TearDown() override { SetThreads(1); }
};

TEST_P(ParallelKernels, GiveTheBytesOfOneThread) {
  Cases cases(GetParam());
  cases.AddDotProducts();
  cases.AddPoolsAndReductions();
  cases.AddMoves();
  cases.AddElementWise();
  for (size_t i = 0; i < cases.list.size(); ++i) {
    const Case& c = cases.list[i];
    const auto name = [&] { return std::string(OperatorName(c.op.op)) + " " + std::to_string(i); };
    OperatorRun<ValueDomain> run = RunOf(c);
    SetThreads(1);
    const KernelAnswer wanted = AnswerOf(Kernels::kTemplate, run);
    const BoundAnswer bounds = BoundAnswerOf(Kernels::kTemplate, run, 1);
    EXPECT_NE(wanted.fate, Fate::kError) << name() << " " << wanted.rule;
    for (const int threads : {1, 2, 3, 7}) {
      SetThreads(threads, 1);
      for (const Kernels kernels : {Kernels::kFast, Kernels::kTemplate}) {
        EXPECT_EQ(AnswerOf(kernels, run), wanted) << name() << " on " << threads;
        EXPECT_EQ(BoundAnswerOf(kernels, run, 1), bounds) << name() << " on " << threads;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Values, ParallelKernels, testing::Values(false, true));

}  // namespace
}  // namespace assay::parallel_kernels_test
