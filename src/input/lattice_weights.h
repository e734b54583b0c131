// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "operator.h"
#include "random.h"
#include "shape.h"
#include "tensor.h"

namespace assay {

// The purpose of an operand that is a float constant.
enum class ConstantRole : uint8_t {
  kKept,    // a zero point, padding and the like
  kWeight,  // of a dot product
  kBias,    // of a convolution
  kShift,   // is added or subtracted
  kScale,   // is multiplied
  kValue,   // is selected, compared or copied
  kMoved,   // is moved or converted before another operator reads it
};
ConstantRole RoleOf(Op op, size_t operand);

// The way in which the weights of a dot product are drawn.
struct WeightPlan {
  int32_t connections = 4;  // weights that are not zero, for each output
  bool dense = false;       // no weight is zero, and they have several bits
  double unit = 1;          // a power of two
};

// Draws the weights of the dot product of an operator, whose operand they are. Weights that are not
// zero are spread evenly over the input channels.
std::vector<double> DrawWeights(Random& random, Op op, size_t operand, const Shape& shape,
                                const WeightPlan& plan);
// Returns the number of weights of one output, and how many of them must not be zero so that some
// output reads each input channel.
int32_t TapsOf(Op op, size_t operand, const Shape& shape);
int32_t ConnectionsToCover(Op op, size_t operand, const Shape& shape);

// Returns the elements of a float tensor.
std::vector<double> FloatsOf(const Tensor& tensor);
// Returns, for each element of a tensor of shape `from`, which broadcasts to `to`, the elements of
// `all`, a tensor of shape `to`, that it meets. Broadcasting aligns the last axes.
std::vector<std::vector<double>> ElementsMet(const Shape& from, const Shape& to,
                                             std::span<const double> all);
double MedianOf(std::vector<double>& elements);
double StandardDeviationOf(std::span<const double> elements);
// Returns the power of two nearest to the magnitude of a finite number, with its sign; 1 for 0.
double PowerOfTwoNear(double x);

}  // namespace assay
