// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "target_range.h"
#include "test_vector.h"

namespace assay {

// Small vectors whose outputs nobody judges: they show what a backend takes. They are the same on
// every call.

// The vectors of one row that are wished.
struct ProbeWish {
  // A vector of the operator that is taken, as which they are in all else (LikeBase()). Without,
  // each is followed by itself with zeros as constants.
  const TestVector* base = nullptr;
  std::optional<int> rank = {};  // RANK as a Quantity is this number; nothing: that of the base
  bool is_wide = false;          // further vectors, of all classes of the recipe and of any rank
};

// Returns vectors of an operator in one row of its type table: worked examples, and what its recipe
// makes. Empty for operators without examples and recipe.
std::vector<TestVector> VectorsOfRow(Op op, int row, const ProbeWish& wish = {});

// Returns vectors of an operator in one of `rows` in which an attribute has a value. The recipe
// makes them.
std::vector<TestVector> VectorsWithValue(Op op, const std::vector<int>& rows, AttributeId attribute,
                                         int64_t value);

// Returns vectors of an operator in one row, of some classes of its recipe.
std::vector<TestVector> MixedVectors(Op op, int row);

// The numbers of a window on one axis.
enum class WindowNumber : uint8_t { kKernel, kStride, kDilation, kPad };

// Returns true for AVG_POOL2D and MAX_POOL2D.
bool IsPool(Op op);
// Returns the number of axes of the window of a convolution or pooling operator; 0 for others.
int WindowAxes(Op op);
// Returns a vector in which one number of one axis is `number`, and the others are as small as
// possible. Nothing if the operator has no such number.
std::optional<TestVector> WindowVector(Op op, int row, WindowNumber which, int axis,
                                       int32_t number);

// Returns true for an operator of one operand, without attributes, whose result has its type and
// shape: IDENTITY, ABS.
bool IsUnary(Op op);
// Returns a unary operator on an input.
TestVector UnaryVector(Op op, const TensorType& type);
// Returns a unary operator on a constant.
TestVector ConstantVector(Op op, const TensorType& type);
// Returns a vector of `graphs` graphs of a unary operator.
TestVector ManyGraphs(Op op, const TensorType& type, int graphs);

// Returns a COND_IF or WHILE_LOOP on a value. It needs IDENTITY and, for the loop, LOGICAL_NOT.
TestVector ControlFlowVector(Op op, const TensorType& value);
// Returns a vector with a variable of a type that is read and written.
TestVector VariableVector(const TensorType& value);
// Does the same with a tensor that has `variable=true`. It needs IDENTITY.
TestVector VariableTensorVector(const TensorType& value);

}  // namespace assay
