#pragma once

#include <vector>

#include "allowed_operators.h"

namespace assay {

// The type of counters and of what they count towards; kUnknown if the options allow none.
DType CounterType(Choices& choices, const Menu& menu);

// Types that a variable can have and be counted in.
std::vector<DType> CountableTypes(const GeneratorOptions& options, Choices& choices,
                                  const Menu& menu);

// What nests of control flow compute with: numbers that steer them, and values that stay exact. An
// index of -1 stands for what could not be added, and so is everything on it.
class NestValues {
 protected:
  // `tame`: only operators that have no REQUIRE. Conditions are of this rank.
  NestValues(Choices& choices, const Menu& menu, bool tame, int condition_rank)
      : choices_(choices), menu_(menu), tame_(tame), number_(CounterType(choices, menu)) {
    for (int i = 0; i < condition_rank; ++i) condition_shape_.PushBack(1);
  }

  const Shape& ConditionShape() const { return condition_shape_; }

  ValueIndex Add(GraphBuilder& b, Op op, std::vector<ValueIndex> inputs, DType result);
  ValueIndex Reshaped(GraphBuilder& b, ValueIndex value, const Shape& shape);
  // One element, at a place along the first axis, as a tensor of the same rank.
  ValueIndex Element(GraphBuilder& b, ValueIndex value, int64_t place);
  // Whether the first element of a value is above 0, or true; -1 if there is no way to say.
  ValueIndex Positive(GraphBuilder& b, ValueIndex value);
  // greater > less, perhaps as the negation of less >= greater.
  ValueIndex Compare(GraphBuilder& b, ValueIndex greater, ValueIndex less, bool negated);
  // A value of the same type and shape, computed from the given one.
  ValueIndex Work(GraphBuilder& b, ValueIndex value);
  std::vector<ValueIndex> WorkOnAll(GraphBuilder& b, const std::vector<ValueIndex>& values);
  // A value that hangs on both; the first if nothing can join them.
  ValueIndex Join(GraphBuilder& b, ValueIndex first, ValueIndex second);
  // Integers of a few digits, and floats that sums of a few dozen of them keep exact.
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
