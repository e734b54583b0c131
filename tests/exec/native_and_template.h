// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "native_kernels.h"
#include "random.h"
#include "run_operator.h"

namespace assay {

// Runs random calls natively and by the template, in both domains.

using Value = ValueTensor;

inline Value ValueOf(DType type, const Shape& shape,
                     std::shared_ptr<std::vector<Scalar>> elements) {
  return Value(DomainTensor<Scalar>{{type, shape}, std::move(elements)});
}

// Returns random elements. If `wild`, they lie near the ends of the type, so that accumulators
// overflow as well, and floats include NaN, infinities, subnormals and both zeros.
inline Value RandomTensor(Random& random, DType type, const Shape& shape, bool wild) {
  auto elements = std::make_shared<std::vector<Scalar>>();
  for (int64_t i = 0; i < shape.Elements(); ++i) {
    if (IsFloat(type)) {
      constexpr double kSpecial[] = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, NAN, 1e-30, 3e38, 1e-40};
      const double plain = static_cast<double>(random.Between(-2000, 2000)) / 64;
      const double x = wild && random.OneIn(8) ? random.Pick(kSpecial) : plain;
      elements->push_back(Scalar::OfFloat(RoundToType(type, x)));
    } else {
      const int64_t low = type == DType::kBool ? 0
                          : wild               ? MaximumInteger(type) - 1
                                               : MinimumInteger(type);
      elements->push_back(Scalar::OfInteger(random.Between(low, MaximumInteger(type))));
    }
  }
  return ValueOf(type, shape, elements);
}

inline Value ZeroPoint(Random& random, DType type) {
  if (type == DType::kInt8) return RandomTensor(random, type, {1}, false);
  return ValueOf(type, {1}, std::make_shared<std::vector<Scalar>>(1));
}

struct KernelAnswer {
  Fate fate;
  std::string rule;
  bool order_dependent;
  std::vector<uint8_t> bytes;
  friend bool operator==(const KernelAnswer&, const KernelAnswer&) = default;
};

inline KernelAnswer AnswerOf(Kernels kernels, OperatorRun<ValueDomain>& run) {
  ValueDomain d;
  RunOperator(d, kLevel8K, kernels, run);
  KernelAnswer result{d.judgement().fate(), d.judgement().rule(), d.order_dependent(), {}};
  for (const Value& output : run.outputs) {
    const auto bytes = output.tensor().bytes();
    result.bytes.insert(result.bytes.end(), bytes.begin(), bytes.end());
  }
  return result;
}

// The result of the bound domain on the same operands. The operands are inputs of a graph; if bit i
// of `open` is set, operand i is a result instead, whose zeros have open signs.
struct BoundAnswer {
  Fate fate;
  std::string rule;
  bool order_dependent, uncertain_requirement;
  std::vector<std::tuple<Certainty, uint64_t, uint64_t, uint64_t>> elements;
  friend bool operator==(const BoundAnswer&, const BoundAnswer&) = default;
};

inline uint64_t Bits(double x) { return std::bit_cast<uint64_t>(std::isnan(x) ? NAN : x); }

inline BoundAnswer BoundAnswerOf(Kernels kernels, const OperatorRun<ValueDomain>& values,
                                 uint32_t open = 0) {
  std::vector<BoundTensor> inputs;
  for (const Value* input : values.inputs) {
    const bool is_open = (open >> inputs.size() & 1) != 0;
    inputs.emplace_back(*input, is_open ? ZeroSigns::kOpen : ZeroSigns::kKnown);
  }
  OperatorRun<BoundDomain> run;
  run.op = values.op;
  for (const BoundTensor& input : inputs) run.inputs.push_back(&input);
  run.output_types = values.output_types;
  BoundDomain d;
  RunOperator(d, kLevel8K, kernels, run);
  BoundAnswer answer{d.judgement().fate(),
                     d.judgement().rule(),
                     d.order_dependent(),
                     d.uncertain_requirement(),
                     {}};
  for (const BoundTensor& output : run.outputs) {
    const bool real = IsFloat(output.type().type);
    for (const Bounded& x : *output.elements().elements) {
      const uint64_t value = real ? Bits(x.value.real()) : static_cast<uint64_t>(x.value.integer());
      const bool bounded = x.certainty == Certainty::kBounded;
      answer.elements.emplace_back(x.certainty, value, bounded ? Bits(x.reference) : 0,
                                   bounded ? Bits(x.error) : 0);
    }
  }
  return answer;
}

inline bool HasNativeKernel(const OperatorRun<ValueDomain>& run) {
  std::vector<TensorType> types;
  for (const Value* input : run.inputs) types.push_back(input->type());
  const std::vector<std::span<const Scalar>> constants(types.size());
  return NativeKernelOf({run.op->op, &run.op->attributes, types, run.output_types, constants}) !=
         nullptr;
}

// Returns the operator on these operands, with the output that its shape rule gives for `out`.
inline OperatorRun<ValueDomain> RunOf(const Operator& op,
                                      std::initializer_list<const Value*> inputs, DType out) {
  OperatorRun<ValueDomain> run;
  run.op = &op;
  run.inputs = inputs;
  std::vector<TensorType> types;
  std::vector<std::span<const Scalar>> constants;
  for (const Value* input : inputs) {
    types.push_back(input->type());
    constants.emplace_back(*input->elements().elements);
  }
  run.output_types = {{out, {}}};
  EXPECT_TRUE(InferOutputs({op.op, &op.attributes, types, {}, constants}, run.output_types));
  return run;
}

// Runs kernel and template, in both domains, and returns the fate on which they agree.
inline Fate ExpectTheBitsOfTheTemplate(OperatorRun<ValueDomain>& run, int round) {
  EXPECT_TRUE(HasNativeKernel(run)) << OperatorName(run.op->op);
  const KernelAnswer wanted = AnswerOf(Kernels::kTemplate, run);
  EXPECT_EQ(wanted, AnswerOf(Kernels::kFast, run)) << OperatorName(run.op->op) << " " << round;
  const auto open = std::array{0b000u, 0b111u, 0b001u, 0b110u}[static_cast<size_t>(round) % 4];
  EXPECT_EQ(BoundAnswerOf(Kernels::kTemplate, run, open), BoundAnswerOf(Kernels::kFast, run, open))
      << OperatorName(run.op->op) << " " << round;
  EXPECT_NE(wanted.fate, Fate::kError) << OperatorName(run.op->op) << " " << wanted.rule;
  return wanted.fate;
}

inline int32_t Small(Random& random, int32_t low, int32_t high) {
  return static_cast<int32_t>(random.Between(low, high));
}

// Returns a shape of up to four axes, some of them long.
inline Shape RandomShape(Random& random) {
  Shape shape;
  for (int64_t rank = random.Between(0, 4); rank > 0; --rank) {
    shape.PushBack(random.OneIn(6) ? Small(random, 20, 40) : Small(random, 1, 4));
  }
  return shape;
}

inline Shape Shrunk(Random& random, Shape shape) {
  const bool shrinks = random.OneIn(2);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shrinks && random.OneIn(2)) shape[axis] = 1;
  }
  return shape;
}

inline int32_t NanModeOf(Random& random) {
  return static_cast<int32_t>(random.OneIn(2) ? NanMode::kIgnore : NanMode::kPropagate);
}

}  // namespace assay
