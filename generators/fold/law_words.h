// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <numeric>

#include "equation.h"

namespace assay {

// Functions in which the tables of laws are written. Not for other files.

using T = TensorIndex;
using S = Side;

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kInt32Max = 2147483647;
inline constexpr double kInt32Min = -2147483648.0;

template <class Left, class Right>
void Say(Equation& e, Left left, Right right) {
  e.before_output = left(e.before);
  e.after_output = right(e.after);
}

// Writes the law that `left` is x.
template <class Left>
void SayUnchanged(Equation& e, T x, Left left) {
  Say(e, left, [x](S& s) { return s.Same(x); });
}

// Adds an operand of modest numbers: sums and products of a few of them stay in range.
inline T Modest(Equation& e, DType type, std::initializer_list<double> planted = {}) {
  return e.Operand({type, e.DrawShape()}, ValueRange::Between(-1000, 1000), planted);
}
inline T Another(Equation& e, T like, ValueRange range,
                 std::initializer_list<double> planted = {}) {
  return e.Operand(e.before.TypeOf(like), range, planted);
}

inline T Int32(Equation& e, std::initializer_list<double> planted = {}) {
  return e.Operand({DType::kInt32, e.DrawShape()}, planted);
}
inline T Float(Equation& e, std::initializer_list<double> planted = {}) {
  return e.Operand({e.DrawFloat(), e.DrawShape()}, planted);
}
inline T Fp32(Equation& e, std::initializer_list<double> planted = {}) {
  return e.Operand({DType::kFp32, e.DrawShape()}, planted);
}
inline T Any(Equation& e, int rank = 0) { return e.Operand({e.DrawAnyType(), e.DrawShape(rank)}); }

// Returns a permutation of the axes that is not the identity. The rank must be at least 2.
inline std::vector<int32_t> DrawPermutation(Equation& e, int rank) {
  std::vector<int32_t> perms(static_cast<size_t>(rank));
  std::iota(perms.begin(), perms.end(), 0);
  const auto by = e.choices().Between(1, rank - 1);
  std::rotate(perms.begin(), perms.begin() + by, perms.end());
  return perms;
}
inline std::vector<int64_t> Zeros(int rank) {
  return std::vector<int64_t>(static_cast<size_t>(rank));
}
inline Shape FlatShape(const Shape& shape) { return {static_cast<int32_t>(shape.Elements())}; }

}  // namespace assay
