// SPDX-License-Identifier: Apache-2.0
#include "lattice_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace assay {
namespace {

constexpr int32_t kDenseWeightMax = 6;

// The axes of a tensor of weights.
struct WeightAxes {
  std::vector<int> outputs;    // an output has weights for each index of the other axes
  std::optional<int> channel;  // of the inputs; nothing: each output reads one
};

WeightAxes AxesOf(Op op, size_t operand, const Shape& shape) {
  if (op == Op::kDepthwiseConv2d) return {{2, 3}, {}};  // [KH, KW, C, M]
  if (op == Op::kMatmul) return operand == 0 ? WeightAxes{{0, 1}, 2} : WeightAxes{{0, 2}, 1};
  return {{0}, shape.rank() - 1};  // [OC, ..., IC]
}

int32_t OutputsOf(const WeightAxes& axes, const Shape& shape) {
  int32_t outputs = 1;
  for (const int axis : axes.outputs) outputs *= shape[axis];
  return outputs;
}

// Deals the numbers from 0 to `count` - 1 in random order, again and again.
class Deck {
 public:
  Deck(Random& random, int32_t count) : random_(random), cards_(static_cast<size_t>(count)) {
    std::iota(cards_.begin(), cards_.end(), 0);
    dealt_ = cards_.size();
  }
  int32_t Deal() {
    if (dealt_ == cards_.size()) {
      for (size_t i = cards_.size(); i > 1; --i) std::swap(cards_[i - 1], cards_[random_.Below(i)]);
      dealt_ = 0;
    }
    return cards_[dealt_++];
  }

 private:
  Random& random_;
  std::vector<int32_t> cards_;
  size_t dealt_;
};

}  // namespace

ConstantRole RoleOf(Op op, size_t operand) {
  switch (op) {
    case Op::kConv2d:
    case Op::kConv3d:
    case Op::kDepthwiseConv2d:
    case Op::kTransposeConv2d:
      return operand == 1   ? ConstantRole::kWeight
             : operand == 2 ? ConstantRole::kBias
                            : ConstantRole::kKept;
    case Op::kMatmul:
      return operand < 2 ? ConstantRole::kWeight : ConstantRole::kKept;
    case Op::kAdd:
    case Op::kSub:
      return ConstantRole::kShift;
    case Op::kMul:
      return ConstantRole::kScale;
    case Op::kGather:
    case Op::kConcat:
    case Op::kSelect:
    case Op::kMaximum:
    case Op::kMinimum:
    case Op::kGreater:
    case Op::kGreaterEqual:
      return ConstantRole::kValue;
    case Op::kReshape:
    case Op::kTranspose:
    case Op::kReverse:
    case Op::kSlice:
    case Op::kTile:
    case Op::kIdentity:
    case Op::kCast:
      return operand == 0 ? ConstantRole::kMoved : ConstantRole::kKept;
    default:
      return ConstantRole::kKept;
  }
}

int32_t TapsOf(Op op, size_t operand, const Shape& shape) {
  return static_cast<int32_t>(shape.Elements() / OutputsOf(AxesOf(op, operand, shape), shape));
}

int32_t ConnectionsToCover(Op op, size_t operand, const Shape& shape) {
  const WeightAxes axes = AxesOf(op, operand, shape);
  if (!axes.channel) return 1;
  const int32_t outputs = OutputsOf(axes, shape);
  return (shape[*axes.channel] + outputs - 1) / outputs;
}

std::vector<double> DrawWeights(Random& random, Op op, size_t operand, const Shape& shape,
                                const WeightPlan& plan) {
  const WeightAxes axes = AxesOf(op, operand, shape);
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()), 1);
  for (size_t axis = strides.size(); axis-- > 1;) {
    strides[axis - 1] = strides[axis] * shape[static_cast<int>(axis)];
  }
  const auto is_output = [&](int axis) {
    return std::ranges::find(axes.outputs, axis) != axes.outputs.end();
  };
  const auto sign = [&] { return random.OneIn(2) ? -plan.unit : plan.unit; };
  std::vector<double> weights(static_cast<size_t>(shape.Elements()), 0);
  if (plan.dense) {
    for (double& w : weights) w = sign() * static_cast<double>(random.Between(1, kDenseWeightMax));
    return weights;
  }
  Deck deck(random, axes.channel ? shape[*axes.channel] : 1);
  const int32_t outputs = OutputsOf(axes, shape);
  for (int32_t output = 0; output < outputs; ++output) {
    int64_t base = 0;
    int32_t rest = output;
    for (size_t i = axes.outputs.size(); i-- > 0;) {
      base += rest % shape[axes.outputs[i]] * strides[static_cast<size_t>(axes.outputs[i])];
      rest /= shape[axes.outputs[i]];
    }
    for (int32_t i = 0; i < plan.connections; ++i) {
      int64_t at = base;
      for (int axis = 0; axis < shape.rank(); ++axis) {
        if (is_output(axis)) continue;
        const int64_t index =
            axis == axes.channel
                ? deck.Deal()
                : static_cast<int64_t>(random.Below(static_cast<uint64_t>(shape[axis])));
        at += index * strides[static_cast<size_t>(axis)];
      }
      weights[static_cast<size_t>(at)] = sign();
    }
  }
  return weights;
}

std::vector<double> FloatsOf(const Tensor& tensor) {
  std::vector<double> elements(static_cast<size_t>(tensor.elements()));
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = tensor.Float(static_cast<int64_t>(i));
  return elements;
}

std::vector<std::vector<double>> ElementsMet(const Shape& from, const Shape& to,
                                             std::span<const double> all) {
  std::vector<std::vector<double>> met(static_cast<size_t>(from.Elements()));
  for (size_t i = 0; i < all.size(); ++i) {
    auto rest = static_cast<int64_t>(i);
    int64_t at = 0, stride = 1;
    for (int axis = to.rank() - 1, own = from.rank() - 1; own >= 0; --axis, --own) {
      const int64_t index = rest % to[axis];
      rest /= to[axis];
      at += from[own] == 1 ? 0 : index * stride;
      stride *= from[own];
    }
    met[static_cast<size_t>(at)].push_back(all[i]);
  }
  return met;
}

double MedianOf(std::vector<double>& elements) {
  if (elements.empty()) return 0;
  const auto middle = elements.begin() + static_cast<std::ptrdiff_t>(elements.size() / 2);
  std::nth_element(elements.begin(), middle, elements.end());
  return *middle;
}

double StandardDeviationOf(std::span<const double> elements) {
  if (elements.empty()) return 0;
  const auto count = static_cast<double>(elements.size());
  const double mean = std::accumulate(elements.begin(), elements.end(), 0.0) / count;
  double squares = 0;
  for (const double x : elements) squares += (x - mean) * (x - mean);
  return std::sqrt(squares / count);
}

double PowerOfTwoNear(double x) {
  if (x == 0 || !std::isfinite(x)) return 1;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(x), &exponent);  // from 0.5 to 1
  return std::copysign(std::ldexp(1.0, fraction < 0.75 ? exponent - 1 : exponent), x);
}

}  // namespace assay
