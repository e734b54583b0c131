// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator_definition.h"

namespace assay::ops {

// Shape rules that many operators share.
bool InferSameAsInput(const Signature& signature,
                      std::vector<TensorType>& outputs);  // type and shape of input 0
bool InferBroadcast(const Signature& signature,
                    std::vector<TensorType>& outputs);  // type of input 0
bool InferBroadcastToBool(const Signature& signature, std::vector<TensorType>& outputs);
// Sets the shape broadcast_shape(shape1, shape2); `outputs` holds the wished type.
bool InferBroadcastShape(const Signature& signature, std::vector<TensorType>& outputs);
// Sets the shape of input 0; `outputs` holds the wished type.
bool InferSameShape(const Signature& signature, std::vector<TensorType>& outputs);
// Says that there are no outputs.
bool InferNoOutputs(const Signature& signature, std::vector<TensorType>& outputs);
// Returns false, where the outputs depend on something that is not in the signature.
bool CannotInfer(const Signature& signature, std::vector<TensorType>& outputs);

// Appends the runs of a view: every element of operand 0, in order.
void MoveInOrder(const Signature& signature, std::vector<Run>& runs);

// Checks ERROR_IF(shape != broadcast_shape(shape1, shape2)), the operator's first. Shapes that do
// not broadcast break the ERROR_IF in broadcast_shape().
void CheckBroadcast(const Signature& signature, const Level& level, Judgement& judgement);

// The strides with which an operand of shape `from` is read along the axes of `to`. A stride is 0
// where the operand stretches.
struct BroadcastStrides {
  BroadcastStrides(const Shape& from, const Shape& to);
  int rank = 0;
  std::array<int64_t, Shape::kMaxRank> stride{};
};

// Appends the runs of an output of shape `to` whose elements are read from operand 0, with the
// strides `along`, beginning at element `first`.
void MoveAlong(const Shape& to, const BroadcastStrides& along, int64_t first,
               std::vector<Run>& runs);

// Calls f(i, offsets) for the elements `begin` to `end` of `to` in row-major order, with the offset
// of each operand. Offsets step by the strides, without a division per element.
template <size_t kOperands, class F>
void ForEachBroadcast(const Shape& to, const std::array<BroadcastStrides, kOperands>& strides,
                      int64_t begin, int64_t end, F f) {
  std::array<int64_t, kOperands> offset{};
  std::array<int64_t, Shape::kMaxRank> index{};
  int64_t rest = begin;
  for (int axis = to.rank() - 1; axis >= 0 && rest != 0; rest /= to[axis--]) {
    const auto a = static_cast<size_t>(axis);
    index[a] = rest % to[axis];
    for (size_t k = 0; k < kOperands; ++k) offset[k] += index[a] * strides[k].stride[a];
  }
  for (int64_t i = begin; i < end; ++i) {
    f(i, offset);
    for (int axis = to.rank() - 1; axis >= 0; --axis) {
      const auto a = static_cast<size_t>(axis);
      for (size_t k = 0; k < kOperands; ++k) offset[k] += strides[k].stride[a];
      if (++index[a] < to[axis]) break;
      for (size_t k = 0; k < kOperands; ++k) offset[k] -= strides[k].stride[a] * to[axis];
      index[a] = 0;
    }
  }
}
// Does the same for all elements.
template <size_t kOperands, class F>
void ForEachBroadcast(const Shape& to, const std::array<BroadcastStrides, kOperands>& strides,
                      F f) {
  ForEachBroadcast(to, strides, 0, to.Elements(), f);
}

// Computes output[i] = f(input[i]).
template <class D, class F>
void Unary(D& d, const Call<D>& call, F f) {
  const auto& x = call.input(0);
  auto& out = call.output();
  const DType type = call.out();
  for (int64_t i = 0; i < x.size(); ++i) out[static_cast<size_t>(i)] = d.Store(type, f(x[i]));
}

// Computes output[i] = f(input1[..], input2[..]) with broadcasting.
template <class D, class F>
void Binary(D& d, const Call<D>& call, F f) {
  const auto& a = call.input(0);
  const auto& b = call.input(1);
  auto& out = call.output();
  const DType type = call.out();
  if (call.shape(0) == call.shape(1)) {
    for (int64_t i = 0; i < a.size(); ++i) {
      out[static_cast<size_t>(i)] = d.Store(type, f(a[i], b[i]));
    }
    return;
  }
  const std::array<BroadcastStrides, 2> strides = {
      BroadcastStrides(call.shape(0), call.out_shape()),
      BroadcastStrides(call.shape(1), call.out_shape())};
  ForEachBroadcast<2>(call.out_shape(), strides, [&](int64_t i, const auto& offset) {
    out[static_cast<size_t>(i)] = d.Store(type, f(a[offset[0]], b[offset[1]]));
  });
}

// The readings of the operators that compute an elementary function of one operand.
constexpr Readings ElementaryReadings() {
  return ReadingsOf([](auto& d, const auto& call) {
    const Op op = call.signature.op;
    const DType type = call.in();
    Unary(d, call, [&](const auto& x) { return d.Elementary(op, type, x); });
  });
}

// The readings of an element-wise operator whose meaning is one word of the domains. `Word` is a
// generic lambda (d, type, x) or (d, type, a, b) without captures, with the type of input 0.
template <class Word>
constexpr Readings UnaryReadings(Word) {
  return ReadingsOf([](auto& d, const auto& call) {
    const DType type = call.in();
    Unary(d, call, [&](const auto& x) { return Word()(d, type, x); });
  });
}
template <class Word>
constexpr Readings BinaryReadings(Word) {
  return ReadingsOf([](auto& d, const auto& call) {
    const DType type = call.in();
    Binary(d, call, [&](const auto& a, const auto& b) { return Word()(d, type, a, b); });
  });
}

}  // namespace assay::ops
