// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "allowed_operators.h"

namespace assay {

// Returns the type of counters and of their limits; kUnknown if the options allow none.
DType CounterType(Choices& choices, const Menu& menu);

// Returns the types that a variable can have and that can count.
std::vector<DType> CountableTypes(const GeneratorOptions& options, Choices& choices,
                                  const Menu& menu);

// The values that nests of control flow compute with: numbers that steer them, and values that stay
// exact. An operator on a value that could not be added is not added either.
class NestValues {
 protected:
  // With `tame`, uses only operators that have no REQUIRE. Conditions have rank `condition_rank`.
  NestValues(Choices& choices, const Menu& menu, bool tame, int condition_rank)
      : choices_(choices), menu_(menu), tame_(tame), number_(CounterType(choices, menu)) {
    for (int i = 0; i < condition_rank; ++i) condition_shape_.PushBack(1);
  }

  const Shape& ConditionShape() const { return condition_shape_; }

  MaybeValue Add(GraphBuilder& b, Op op, const std::vector<MaybeValue>& inputs, DType result);
  MaybeValue Reshaped(GraphBuilder& b, MaybeValue value, const Shape& shape);
  // Returns one element, at a position along the first axis, as a tensor of the same rank.
  MaybeValue Element(GraphBuilder& b, ValueIndex value, int64_t place);
  // Returns a condition: the first element of a value is above 0, or true. Returns none if the
  // options allow no such operator.
  MaybeValue Positive(GraphBuilder& b, ValueIndex value);
  // Returns greater > less; if `negated`, as the negation of less >= greater.
  MaybeValue Compare(GraphBuilder& b, MaybeValue greater, MaybeValue less, bool negated);
  // Returns a value of the same type and shape, computed from the given one.
  ValueIndex Work(GraphBuilder& b, ValueIndex value);
  std::vector<ValueIndex> WorkOnAll(GraphBuilder& b, const std::vector<ValueIndex>& values);
  // Returns a value that depends on both; the first one if no operator can join them.
  ValueIndex Join(GraphBuilder& b, ValueIndex first, ValueIndex second);
  // Returns integers of a few digits, or floats that sums of a few dozen of them keep exact.
  Tensor SmallNumbers(const TensorType& type);
  Tensor DrawValue(const TensorType& type);
  Tensor Numbers(const Shape& shape, const std::vector<int64_t>& values) const;
  Tensor Number(const Shape& shape, int64_t value) const;
  Tensor ControlTensor(const std::vector<int64_t>& values) const;

  Choices& choices_;
  const Menu& menu_;
  const bool tame_;
  const DType number_;  // the type of numbers that steer

 private:
  Shape condition_shape_;
};

}  // namespace assay
