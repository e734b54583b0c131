// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "operator.h"
#include "types.h"

namespace assay {

// The course of a function of one operand, which tells its values on an interval.
enum class Course : uint8_t {
  kRising,
  kFalling,
  kGentle,  // its slope is at most 1 in magnitude
};

// The function of an operator that computes an elementary function of one float.
struct ElementaryFunction {
  Op op;
  Course course;
  const char* form;  // of a step of a calculation; $ stands for the operand
  double (*value)(double x);
  double (*error)(DType type, double x, double reference);  // that the accuracy rule allows
};

// Returns the function of EXP, LOG, SIN, COS, TANH, ERF, SIGMOID, RECIPROCAL or RSQRT.
const ElementaryFunction& ElementaryFunctionOf(Op op);

}  // namespace assay
