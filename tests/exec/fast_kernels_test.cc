// SPDX-License-Identifier: Apache-2.0
// Native kernels give the bits of the templates on random calls. The bound domain gives the same
// results with and without them. Kernels that sum are in fast_sums_test.cc.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <set>

#include "block_builder.h"
#include "executor.h"
#include "float_bytes.h"
#include "generated.h"
#include "generator_table.h"
#include "native_and_template.h"
#include "random.h"
#include "rounds.h"

namespace assay::fast_kernels_test {
namespace {

TEST(FastKernels, GiveTheBitsOfTheTemplateForTwoOperandsThatBroadcast) {
  Random random(3);
  int unpredictable = 0;
  for (int round = 0; round < Rounds(2000); ++round) {
    constexpr Op kOps[] = {Op::kAdd,     Op::kSub,   Op::kMul,     Op::kMaximum,
                           Op::kMinimum, Op::kEqual, Op::kGreater, Op::kGreaterEqual};
    Operator op{random.Pick(kOps), {}, {}, {}};
    constexpr DType kOtherTypes[] = {DType::kInt32, DType::kFp16, DType::kBf16, DType::kFp32};
    constexpr DType kMulTypes[] = {DType::kInt8, DType::kInt16, DType::kInt32,
                                   DType::kFp16, DType::kBf16,  DType::kFp32};
    const DType type = op.op == Op::kMul ? random.Pick(kMulTypes) : random.Pick(kOtherTypes);
    const bool compares =
        op.op == Op::kEqual || op.op == Op::kGreater || op.op == Op::kGreaterEqual;
    if (op.op == Op::kMaximum || op.op == Op::kMinimum) {
      op.attributes.Set(AttributeId::kNanMode, NanModeOf(random));
    }
    const Shape shape = RandomShape(random);
    const bool wild = random.OneIn(2);
    const Value a = RandomTensor(random, type, Shrunk(random, shape), wild);
    const Value b = RandomTensor(random, type, Shrunk(random, shape), wild && random.OneIn(2));
    const bool shifts = type == DType::kInt32 && random.OneIn(2);
    const Value shift = ValueOf(DType::kInt8, {1},
                                std::make_shared<std::vector<Scalar>>(
                                    1, Scalar::OfInteger(shifts ? random.Between(0, 63) : 0)));
    auto run = op.op == Op::kMul ? RunOf(op, {&a, &b, &shift}, IsFloat(type) ? type : DType::kInt32)
                                 : RunOf(op, {&a, &b}, compares ? DType::kBool : type);
    const Fate fate = ExpectTheBitsOfTheTemplate(run, round);
    if (HasFailure()) return;
    unpredictable += fate == Fate::kUnpredictable;
  }
  EXPECT_GT(unpredictable, Rounds(50));
  EXPECT_LT(unpredictable, 1500);
}

constexpr DType kAllTypes[] = {DType::kBool,  DType::kInt8, DType::kInt16, DType::kInt32,
                               DType::kInt48, DType::kFp16, DType::kBf16,  DType::kFp32};

TEST(FastKernels, GiveTheBitsOfTheTemplateForSelect) {
  Random random(4);
  const Operator op{Op::kSelect, {}, {}, {}};
  for (int round = 0; round < Rounds(600); ++round) {
    // No select of i48.
    const DType type = random.Pick(kAllTypes);
    if (type == DType::kInt48) continue;
    const Shape shape = RandomShape(random);
    const Value condition = RandomTensor(random, DType::kBool, Shrunk(random, shape), false);
    const Value a = RandomTensor(random, type, Shrunk(random, shape), true);
    const Value b = RandomTensor(random, type, Shrunk(random, shape), true);
    auto run = RunOf(op, {&condition, &a, &b}, type);
    ExpectTheBitsOfTheTemplate(run, round);
    if (HasFailure()) return;
  }
}

// Operators of one tensor, or of two that broadcast, and their types.
struct Family {
  std::vector<Op> unary, binary;
  std::vector<DType> types;
};

TEST(FastKernels, GiveTheBitsOfTheTemplateForOtherElementWiseOperators) {
  const Family kFamilies[] = {
      {{Op::kAbs}, {}, {DType::kInt32, DType::kFp16, DType::kBf16, DType::kFp32}},
      {{Op::kCeil, Op::kFloor, Op::kReciprocal}, {}, {DType::kFp16, DType::kBf16, DType::kFp32}},
      {{Op::kNegate},
       {},
       {DType::kInt8, DType::kInt16, DType::kInt32, DType::kFp16, DType::kBf16, DType::kFp32}},
      {{Op::kClamp}, {}, {DType::kInt8, DType::kInt16, DType::kFp16, DType::kBf16, DType::kFp32}},
      {{Op::kLogicalNot}, {Op::kLogicalAnd, Op::kLogicalOr, Op::kLogicalXor}, {DType::kBool}},
      {{Op::kBitwiseNot},
       {Op::kBitwiseAnd, Op::kBitwiseOr, Op::kBitwiseXor},
       {DType::kInt8, DType::kInt16, DType::kInt32}},
  };
  Random random(5);
  for (int round = 0; round < Rounds(3000); ++round) {
    const Family& family = random.Pick(kFamilies);
    const bool two = !family.binary.empty() && random.OneIn(2);
    Operator op{random.Pick(two ? family.binary : family.unary), {}, {}, {}};
    const DType type = random.Pick(family.types);
    const Shape shape = RandomShape(random);
    const bool wild = random.OneIn(2);
    const Value x = RandomTensor(random, type, two ? Shrunk(random, shape) : shape, wild);
    const Value y = RandomTensor(random, type, Shrunk(random, shape), wild);
    const Value input_zp = ZeroPoint(random, type), output_zp = ZeroPoint(random, type);
    if (op.op == Op::kClamp) {
      const auto bound = [type](double value) {
        return IsFloat(type) ? Tensor::FromFloats(type, {}, std::vector<double>{value})
                             : Tensor::Splat(type, {}, static_cast<int64_t>(value));
      };
      const double low = static_cast<double>(random.Between(-100, 0));
      op.attributes = {{AttributeId::kMinVal, bound(random.OneIn(4) ? -0.0 : low)},
                       {AttributeId::kMaxVal, bound(static_cast<double>(random.Between(0, 100)))},
                       {AttributeId::kNanMode, NanModeOf(random)}};
    }
    auto run = two                    ? RunOf(op, {&x, &y}, type)
               : op.op == Op::kNegate ? RunOf(op, {&x, &input_zp, &output_zp}, type)
                                      : RunOf(op, {&x}, type);
    EXPECT_EQ(ExpectTheBitsOfTheTemplate(run, round), Fate::kValid);
    if (HasFailure()) return;
  }
  // 0 - -2^31 is no i32.
  const Value least = Value(Tensor::Splat(DType::kInt32, {1}, MinimumInteger(DType::kInt32)));
  const Value zero = Value(Tensor::Splat(DType::kInt32, {1}, 0));
  const Operator abs{Op::kAbs, {}, {}, {}}, negate{Op::kNegate, {}, {}, {}};
  auto run = RunOf(abs, {&least}, DType::kInt32);
  EXPECT_EQ(ExpectTheBitsOfTheTemplate(run, -1), Fate::kUnpredictable);
  run = RunOf(negate, {&least, &zero, &zero}, DType::kInt32);
  EXPECT_EQ(ExpectTheBitsOfTheTemplate(run, -2), Fate::kUnpredictable);
}

constexpr Op kTranscendental[] = {Op::kErf, Op::kExp, Op::kSigmoid, Op::kTanh};

TEST(FastKernels, GiveTheBitsOfTheTemplateForTranscendentalOperators) {
  Random random(6);
  for (int round = 0; round < 120; ++round) {
    const Operator op{random.Pick(kTranscendental), {}, {}, {}};
    auto elements = std::make_shared<std::vector<Scalar>>();
    const int64_t count = random.Between(1, 3000);
    for (int64_t i = 0; i < count; ++i) {
      // Any bits: both signs, all exponents, NaNs; the range where results of EXP are numbers; or
      // the range where ERF is not flat.
      const auto bits = static_cast<uint32_t>(random.Between(0, 0xffffffff));
      const bool small = random.OneIn(2);
      const double near = static_cast<double>(small ? random.Between(-9 << 20, 9 << 20)
                                                    : random.Between(-110 << 20, 95 << 20));
      elements->push_back(Scalar::OfFloat(random.OneIn(4)
                                              ? DecodeFloat(DType::kFp32, bits)
                                              : RoundToType(DType::kFp32, near / (1 << 20))));
    }
    const Value x = ValueOf(DType::kFp32, {static_cast<int32_t>(count)}, elements);
    auto run = RunOf(op, {&x}, DType::kFp32);
    ExpectTheBitsOfTheTemplate(run, round);
    if (HasFailure()) return;
  }
}

// Numbers whose results lie so near to a tie that the approximation leaves them open. Two of each
// operator are rounded down, and two up.
TEST(FastKernels, GiveTheBitsOfTheTemplateForTranscendentalOperatorsNearTies) {
  constexpr double kNumbers[] = {
      0x1.00a35p-1,  0x1.0831fap-1, 0x1.0a65cep-1, 0x1.0b1e5ap-1,   // ERF
      0x1.1ac85cp-1, 0x1.37571ap-1, 0x1.66344ap-1, 0x1.c0c9bp-1,    // EXP
      0x1.0905dp-1,  0x1.355bd2p-1, 0x1.03843ep-1, 0x1.06236p-1,    // SIGMOID
      0x1.00ba34p-1, 0x1.01c6b4p-1, 0x1.0697c2p-1, 0x1.07f3c8p-1};  // TANH
  auto elements = std::make_shared<std::vector<Scalar>>();
  for (const double x : kNumbers) elements->push_back(Scalar::OfFloat(x));
  const Value x = ValueOf(DType::kFp32, {static_cast<int32_t>(elements->size())}, elements);
  for (const Op op : kTranscendental) {
    const Operator of_op{op, {}, {}, {}};
    auto run = RunOf(of_op, {&x}, DType::kFp32);
    ExpectTheBitsOfTheTemplate(run, 0);
  }
}

TEST(FastKernels, GiveTheBitsOfTheTemplateForTranscendentalOperatorsOnAllNarrowFloats) {
  for (const DType type : {DType::kFp16, DType::kBf16}) {
    auto elements = std::make_shared<std::vector<Scalar>>();
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      elements->push_back(Scalar::OfFloat(DecodeFloat(type, bits)));
    }
    const Value x = ValueOf(type, {static_cast<int32_t>(elements->size())}, elements);
    for (const Op op : kTranscendental) {
      const Operator of_op{op, {}, {}, {}};
      auto run = RunOf(of_op, {&x}, type);
      ExpectTheBitsOfTheTemplate(run, 0);
    }
  }
}

TEST(FastKernels, GiveTheBitsOfTheTemplateForCast) {
  constexpr DType kCastTypes[] = {DType::kBool, DType::kInt8, DType::kInt16, DType::kInt32,
                                  DType::kFp16, DType::kBf16, DType::kFp32};
  const Operator op{Op::kCast, {}, {}, {}};
  Random random(11);
  std::set<std::pair<DType, DType>> rows;
  int unpredictable = 0;
  for (int round = 0; round < Rounds(3000); ++round) {
    const DType from = random.Pick(kCastTypes), to = random.Pick(kCastTypes);
    auto elements = std::make_shared<std::vector<Scalar>>();
    const bool wild = random.OneIn(2);
    for (int64_t i = random.Between(1, 40); i > 0; --i) {
      // Halves, on both sides of the ends of i8 and i16, and beyond those of i32; any integer.
      constexpr double kNear[] = {0, 127, -128, 32767, -32768, 65504, 2147483647, 4294967296.0};
      const double half = random.Pick(kNear) + static_cast<double>(random.Between(-9, 9)) / 2;
      const int64_t high = from == DType::kBool ? 1 : MaximumInteger(DType::kInt32);
      const int64_t any = random.Between(from == DType::kBool ? 0 : -high, high);
      const bool fits = IsFloat(from) || from == DType::kBool;
      elements->push_back(
          IsFloat(from) ? Scalar::OfFloat(RoundToType(from, wild && random.OneIn(30)  ? NAN
                                                            : wild && random.OneIn(9) ? HUGE_VAL
                                                            : random.OneIn(9)         ? -0.0
                                                                                      : half))
          : fits        ? Scalar::OfInteger(any)
                        : Scalar::OfInteger(any % (MaximumInteger(from) + 1)));
    }
    const auto count = static_cast<int32_t>(elements->size());
    const Value x = ValueOf(from, {count}, elements);
    auto run = RunOf(op, {&x}, to);
    if (AnswerOf(Kernels::kTemplate, run).fate == Fate::kError) continue;  // no row
    rows.emplace(from, to);
    unpredictable += ExpectTheBitsOfTheTemplate(run, round) == Fate::kUnpredictable;
    if (HasFailure()) return;
  }
  EXPECT_GT(unpredictable, Rounds(50));
  // bool <-> i8, i16, i32; these among each other; i8, i16, i32 <-> fp16, bf16, fp32; the floats
  // among each other, but for fp16 and bf16.
  EXPECT_EQ(rows.size(), 6u + 6u + 18u + 4u);
}

TEST(FastKernels, GiveTheBitsOfTheTemplateForRescale) {
  constexpr DType kIn[] = {DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt48};
  constexpr DType kOut[] = {DType::kInt8, DType::kInt16, DType::kInt32};
  constexpr RoundingMode kModes[] = {RoundingMode::kSingleRound, RoundingMode::kDoubleRound,
                                     RoundingMode::kInexactRound};
  Random random(12);
  int valid = 0, unpredictable = 0;
  for (int round = 0; round < Rounds(6000); ++round) {
    const DType in = random.Pick(kIn), out = random.Pick(kOut);
    const bool scale32 = random.OneIn(2), per_channel = random.OneIn(2);
    const bool input_unsigned = random.OneIn(4), output_unsigned = random.OneIn(4);
    const Operator op{Op::kRescale,
                      {{AttributeId::kScale32, scale32},
                       {AttributeId::kRoundingMode, static_cast<int32_t>(random.Pick(kModes))},
                       {AttributeId::kPerChannel, per_channel},
                       {AttributeId::kInputUnsigned, input_unsigned},
                       {AttributeId::kOutputUnsigned, output_unsigned}},
                      {},
                      {}};
    const int32_t channels = Small(random, 1, 5);
    const int32_t scales = per_channel ? channels : 1;
    auto multipliers = std::make_shared<std::vector<Scalar>>();
    auto shifts = std::make_shared<std::vector<Scalar>>();
    for (int32_t i = 0; i < scales; ++i) {
      multipliers->push_back(Scalar::OfInteger(random.Between(0, scale32 ? INT32_MAX : INT16_MAX)));
      shifts->push_back(
          Scalar::OfInteger(random.OneIn(4) ? random.Between(2, 62) : random.Between(25, 40)));
    }
    const auto zero_point = [&](DType type, bool is_unsigned) {
      const int64_t value = type == DType::kInt8                   ? random.Between(-128, 127)
                            : type == DType::kInt16 && is_unsigned ? -32768
                                                                   : 0;
      return ValueOf(type, {1}, std::make_shared<std::vector<Scalar>>(1, Scalar::OfInteger(value)));
    };
    const Value x = RandomTensor(random, in, {Small(random, 1, 9), channels}, random.OneIn(8));
    const Value multiplier =
        ValueOf(scale32 ? DType::kInt32 : DType::kInt16, {scales}, multipliers);
    const Value shift = ValueOf(DType::kInt8, {scales}, shifts);
    const Value input_zp = zero_point(in, input_unsigned);
    const Value output_zp = zero_point(out, output_unsigned);
    auto run = RunOf(op, {&x, &multiplier, &shift, &input_zp, &output_zp}, out);
    if (AnswerOf(Kernels::kTemplate, run).fate == Fate::kError) continue;
    ++(ExpectTheBitsOfTheTemplate(run, round) == Fate::kValid ? valid : unpredictable);
    if (HasFailure()) return;
  }
  EXPECT_GT(valid, Rounds(500));
  EXPECT_GT(unpredictable, Rounds(300));
}

Value ShapeValue(const std::vector<int32_t>& values) {
  auto elements = std::make_shared<std::vector<Scalar>>();
  for (const int32_t x : values) elements->push_back(Scalar::OfInteger(x));
  return ValueOf(DType::kShape, {static_cast<int32_t>(values.size())}, elements);
}

TEST(FastKernels, GiveTheBitsOfTheTemplateForDataMovement) {
  Random random(8);
  for (int round = 0; round < Rounds(3000); ++round) {
    const DType type = random.Pick(kAllTypes);
    Shape shape = RandomShape(random);
    if (shape.rank() == 0) shape.PushBack(Small(random, 1, 9));
    const Value x = RandomTensor(random, type, shape, true);
    std::vector<int32_t> first, second;  // numbers for each axis
    for (int i = 0; i < shape.rank(); ++i) {
      first.push_back(Small(random, 0, shape[i] - 1));
      second.push_back(Small(random, 1, shape[i] - first.back()));
    }
    const int32_t axis = Small(random, 0, shape.rank() - 1);
    OperatorRun<ValueDomain> run;
    Operator op{};
    Value a, b;
    switch (random.Between(0, 5)) {
      case 0: {
        op.op = Op::kTranspose;
        std::vector<int32_t> perms;
        for (int i = 0; i < shape.rank(); ++i) {
          perms.insert(perms.begin() + random.Between(0, i), i);
        }
        op.attributes.Set(AttributeId::kPerms, perms);
        run = RunOf(op, {&x}, type);
        break;
      }
      case 1:
        op.op = Op::kSlice;
        a = ShapeValue(first);
        b = ShapeValue(second);
        run = RunOf(op, {&x, &a, &b}, type);
        break;
      case 2: {
        if (type == DType::kInt48) continue;  // PAD has no i48
        op.op = Op::kPad;
        std::vector<int32_t> padding;
        for (int i = 0; i < 2 * shape.rank(); ++i) padding.push_back(Small(random, 0, 2));
        a = ShapeValue(padding);
        b = RandomTensor(random, type, {1}, false);
        run = RunOf(op, {&x, &a, &b}, type);
        break;
      }
      case 3: {
        op.op = Op::kTile;
        std::vector<int32_t> multiples;
        for (int i = 0; i < shape.rank(); ++i) multiples.push_back(Small(random, 1, 2));
        a = ShapeValue(multiples);
        run = RunOf(op, {&x, &a}, type);
        break;
      }
      case 4:
        op.op = Op::kReverse;
        op.attributes.Set(AttributeId::kAxis, axis);
        run = RunOf(op, {&x}, type);
        break;
      default: {
        op.op = Op::kConcat;
        op.attributes.Set(AttributeId::kAxis, axis);
        Shape other = shape;
        other[axis] = Small(random, 1, 5);
        a = RandomTensor(random, type, other, true);
        run = RunOf(op, {&x, &a, &x}, type);
        break;
      }
    }
    run.op = &op;
    if (type == DType::kInt48 && AnswerOf(Kernels::kTemplate, run).fate == Fate::kError) continue;
    EXPECT_EQ(ExpectTheBitsOfTheTemplate(run, round), Fate::kValid);
    if (HasFailure()) return;
  }
}

// Returns doubles of every exponent, many of them values of the type or a tie between two, and
// special values.
std::vector<double> NumbersAround(Random& random, DType type, size_t count) {
  const FloatFormat& format = FormatOf(type);
  std::vector<double> numbers(count);
  for (double& x : numbers) {
    const uint64_t exponent = 1023 - 160 + random.Below(320);
    const int dropped_bits = 51 - format.fraction_bits - (random.OneIn(2) ? 1 : 0);
    const uint64_t kept = ~uint64_t{0} << dropped_bits;
    const uint64_t fraction = random.Next() >> 12 & (random.OneIn(2) ? kept : ~uint64_t{0});
    x = std::bit_cast<double>(random.Below(2) << 63 | exponent << 52 | fraction);
    if (random.OneIn(8)) {
      constexpr double kSpecial[] = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, NAN, -NAN, 1e300, -1e-300};
      x = random.Pick(kSpecial);
    }
    if (random.OneIn(8)) x = std::copysign(format.normal_min, x);
    if (random.OneIn(8)) x = std::copysign(format.max, x);
  }
  return numbers;
}

TEST(FastKernels, ConvertManyFloatsAsTheyConvertOne) {
  Random random(11);
  for (const DType type :
       {DType::kFp32, DType::kFp16, DType::kBf16, DType::kFp8e4m3, DType::kFp8e5m2}) {
    const auto width = static_cast<size_t>(ElementBytes(type));
    const auto code = [&](const std::vector<uint8_t>& bytes, size_t i) {
      uint32_t bits = 0;
      std::memcpy(&bits, bytes.data() + i * width, width);
      return bits;
    };
    for (int round = 0; round < Rounds(2000); ++round) {
      const size_t count = random.Below(40);
      const std::vector<double> numbers = NumbersAround(random, type, count);
      std::vector<uint8_t> bytes(count * width);
      const bool kept = EncodeFloats(type, numbers, bytes.data());
      std::vector<double> decoded(count);
      DecodeFloats(type, bytes.data(), decoded);
      bool all_values = true;
      for (size_t i = 0; i < count; ++i) {
        ASSERT_EQ(code(bytes, i), EncodeFloat(type, numbers[i])) << numbers[i];
        const double one = DecodeFloat(type, code(bytes, i));
        ASSERT_EQ(std::bit_cast<uint64_t>(decoded[i]), std::bit_cast<uint64_t>(one)) << numbers[i];
        all_values &= std::isnan(numbers[i]) || one == numbers[i];
      }
      ASSERT_EQ(kept, all_values);
      for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.Next());  // any codes
      DecodeFloats(type, bytes.data(), decoded);
      for (size_t i = 0; i < count; ++i) {
        ASSERT_EQ(std::bit_cast<uint64_t>(decoded[i]),
                  std::bit_cast<uint64_t>(DecodeFloat(type, code(bytes, i))));
      }
    }
  }
}

TEST(FastKernels, SeeOnlyCanonicalNans) {
  // -NaN and signalling NaNs with a payload, into a constant and through a view and a movement.
  const std::vector<int64_t> bits = {0x3f800000, 0xffc00000, 0x7f800001, 0x7fffffff, 0xff800000};
  const std::vector<int64_t> canonical = {0x3f800000, 0x7fc00000, 0x7fc00000, 0x7fc00000,
                                          0xff800000};
  const Tensor tensor = Tensor::FromIntegers(DType::kFp32, {5}, bits);
  const Tensor wanted = Tensor::FromIntegers(DType::kFp32, {5}, canonical);
  EXPECT_EQ(ValueTensor(tensor).tensor(), wanted);
  BlockBuilder b;
  const TensorIndex constant = b.Declare("fp32[5]");
  b.Append(Op::kConst, {}, {constant}, {{AttributeId::kValues, tensor}});
  b.Outputs({constant, b.Add(Op::kReverse, {constant}, "fp32[5]", {{AttributeId::kAxis, 0}})});
  const Outcome outcome = Session().Run(GraphOf({b.block}));
  ASSERT_EQ(outcome.outputs.size(), 2u);
  EXPECT_EQ(outcome.outputs[0], wanted);
  EXPECT_EQ(outcome.outputs[1].FloatBits(4), 0x3f800000u);
  EXPECT_EQ(outcome.outputs[1].FloatBits(3), 0x7fc00000u);
}

TEST(FastKernels, GiveTheBitsOfTheTemplateForGatherAndScatter) {
  Random random(13);
  int unpredictable = 0;
  for (int round = 0; round < Rounds(2000); ++round) {
    const DType type = random.Pick(kAllTypes);
    if (type == DType::kBool || type == DType::kInt48) continue;  // neither has them
    const bool scatter = random.OneIn(2);
    const int32_t N = Small(random, 1, 3), K = Small(random, 1, 6), C = Small(random, 1, 4);
    const int32_t W = Small(random, 1, scatter ? K : 9);
    const int64_t beyond = random.OneIn(9) ? 1 : 0;
    auto rows = std::make_shared<std::vector<Scalar>>();
    const int64_t first = random.Between(0, K - 1);
    for (int64_t i = 0; i < N * W; ++i) {
      const int64_t other = (first + i % W) % K;  // differs from the earlier ones of its batch
      const bool any = !scatter || random.OneIn(20);
      rows->push_back(Scalar::OfInteger(any ? random.Between(-beyond, K - 1 + beyond) : other));
    }
    const Value indices = ValueOf(DType::kInt32, {N, W}, rows);
    const Value values = RandomTensor(random, type, {N, K, C}, true);
    const Value input = RandomTensor(random, type, {N, W, C}, true);
    const Operator op{scatter ? Op::kScatter : Op::kGather, {}, {}, {}};
    auto run = scatter ? RunOf(op, {&values, &indices, &input}, type)
                       : RunOf(op, {&values, &indices}, type);
    unpredictable += ExpectTheBitsOfTheTemplate(run, round) == Fate::kUnpredictable;
    if (HasFailure()) return;
  }
  EXPECT_GT(unpredictable, Rounds(100));
  EXPECT_LT(unpredictable, 500);
}

// Returns integers over the whole range, or floats with one NaN whose bits are not canonical.
Tensor RandomBits(Random& random, DType type, const Shape& shape) {
  const int64_t high = type == DType::kFp16   ? 0x3fff
                       : type == DType::kFp32 ? 0x3fffffff
                                              : MaximumInteger(type);
  std::vector<int64_t> bits(static_cast<size_t>(shape.Elements()));
  for (int64_t& x : bits) x = random.Between(IsFloat(type) ? 0 : MinimumInteger(type), high);
  if (IsFloat(type)) bits[random.Below(bits.size())] = -1;
  return Tensor::FromIntegers(type, shape, bits);
}

// Outputs of more than 8 MB, in rows that begin and end anywhere in a cache line, short and long.
TEST(FastKernels, GiveTheBitsOfTheTemplateForWhatDoesNotFitTheCaches) {
  Random random(10);
  for (const DType type : {DType::kInt8, DType::kFp16, DType::kFp32}) {
    const int32_t bytes = ElementBytes(type);
    // Dimensions that are multiples of a cache line, and others.
    for (const Shape& shape : {Shape{1472, 6016 / bytes}, Shape{150, 9, 7200 / bytes + 3},
                               Shape{180, 1024, 64 / bytes}}) {
      const Value in(RandomBits(random, type, shape));
      const int32_t last = shape.rank() - 1;
      std::vector<int32_t> ones, less, padding, perms;
      for (int32_t i = 0; i <= last; ++i) {
        ones.push_back(1);
        less.push_back(shape[i] - (i == last ? 2 : 1));
        padding.insert(padding.end(), {i, 1});
        perms.push_back((i + 1) % shape.rank());
      }
      const Value start = ShapeValue(ones), size = ShapeValue(less), pads = ShapeValue(padding);
      const Value constant(RandomBits(random, type, {1}));
      const Operator ops[] = {
          {Op::kSlice, {}, {}, {}},
          {Op::kPad, {}, {}, {}},
          {Op::kReverse, {{AttributeId::kAxis, last}}, {}, {}},
          {Op::kReverse, {{AttributeId::kAxis, 0}}, {}, {}},
          {Op::kTranspose, {{AttributeId::kPerms, perms}}, {}, {}},
          {Op::kConcat, {{AttributeId::kAxis, last}}, {}, {}},
      };
      for (const Operator& op : ops) {
        OperatorRun<ValueDomain> run = op.op == Op::kSlice ? RunOf(op, {&in, &start, &size}, type)
                                       : op.op == Op::kPad
                                           ? RunOf(op, {&in, &pads, &constant}, type)
                                       : op.op == Op::kConcat ? RunOf(op, {&in, &in}, type)
                                                              : RunOf(op, {&in}, type);
        const std::string where = std::string(OperatorName(op.op)) + " " + shape.ToString();
        const KernelAnswer fast = AnswerOf(Kernels::kFast, run);
        EXPECT_GT(fast.bytes.size(), size_t{8} << 20) << where;
        EXPECT_TRUE(fast == AnswerOf(Kernels::kTemplate, run)) << TypeName(type) << " " << where;
      }
    }
  }
}

TEST(FastKernels, KeepTheBoundsOfWhatIsPicked) {
  Random random(9);
  for (int round = 0; round < Rounds(400); ++round) {
    constexpr DType kPicked[] = {DType::kInt8, DType::kInt32, DType::kFp16, DType::kFp32};
    const DType type = random.Pick(kPicked);
    const int32_t N = Small(random, 1, 2), K = Small(random, 1, 5), C = Small(random, 1, 3);
    const int32_t W = Small(random, 1, K);
    auto rows = std::make_shared<std::vector<Scalar>>();
    const int64_t beyond = random.OneIn(20) ? 1 : 0;
    for (int64_t i = 0; i < N * W; ++i) rows->push_back(Scalar::OfInteger(i % W + beyond));
    const Value indices = ValueOf(DType::kInt32, {N, W}, rows);
    const Value values = RandomTensor(random, type, {N, K, C}, true);
    const Value input = RandomTensor(random, type, {N, W, C}, true);
    const Operator gather{Op::kGather, {}, {}, {}};
    const Operator scatter{Op::kScatter, {}, {}, {}};
    const Operator constant{Op::kConst, {{AttributeId::kValues, values.tensor()}}, {}, {}};
    OperatorRun<ValueDomain> runs[3];
    runs[0] = RunOf(gather, {&values, &indices}, type);
    runs[1] = RunOf(scatter, {&values, &indices, &input}, type);
    runs[2].op = &constant;
    runs[2].output_types = {values.type()};
    for (const auto& run : runs) {
      const auto open = static_cast<uint32_t>(random.Below(8));
      ASSERT_EQ(BoundAnswerOf(Kernels::kTemplate, run, open),
                BoundAnswerOf(Kernels::kFast, run, open))
          << OperatorName(run.op->op) << " " << round;
    }
  }
}

// Returns everything that ExecuteWithBounds() reports about an output except its name: values,
// references, errors.
std::vector<uint64_t> WordsOf(const Expectation& output) {
  std::vector<uint64_t> words(output.value.bytes().begin(), output.value.bytes().end());
  for (const double x : output.reference) words.push_back(Bits(x));
  for (const double x : output.error) words.push_back(Bits(x));
  return words;
}

TEST(FastKernels, ChangeNoExpectation) {
  int64_t outputs = 0;
  for (const char* kind : {"operator", "graph", "control-flow", "stateful", "invalid"}) {
    for (uint64_t index = 0; index < kCases; ++index) {
      // Targets of small kinds come in the order of the operators: steps reach all of them.
      const auto vector = GeneratorByKind(kind)->make(Options(1), 7 * index);
      if (!vector) continue;
      BoundContext contexts[2];
      for (const Step& step : vector->steps) {
        const Graph& graph = vector->graphs[static_cast<size_t>(step.graph)];
        BoundedOutcome outcomes[2];
        for (const Kernels kernels : {Kernels::kFast, Kernels::kTemplate}) {
          ExecutionOptions options;
          options.kernels = kernels;
          options.dynamic = true;
          const auto i = static_cast<size_t>(kernels);
          outcomes[i] = ExecuteWithBounds(contexts[i], graph, step.inputs, options);
        }
        const auto& [fast, wanted] = outcomes;
        const std::string where = std::string(kind) + " " + std::to_string(7 * index);
        ASSERT_EQ(fast.kind, wanted.kind) << where;
        ASSERT_EQ(fast.rule, wanted.rule) << where;
        ASSERT_EQ(fast.order_dependent, wanted.order_dependent) << where;
        ASSERT_EQ(fast.uncertain_requirement, wanted.uncertain_requirement) << where;
        ASSERT_EQ(fast.outputs.size(), wanted.outputs.size()) << where;
        for (size_t k = 0; k < wanted.outputs.size(); ++k) {
          ASSERT_EQ(WordsOf(fast.outputs[k]), WordsOf(wanted.outputs[k])) << where;
          ++outputs;
        }
      }
    }
  }
  EXPECT_GT(outputs, Rounds(1000));
}

}  // namespace
}  // namespace assay::fast_kernels_test
