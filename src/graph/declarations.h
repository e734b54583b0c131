// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace assay {

// The declarations of a backend about its floating point, beyond what the specification demands.
// A declaration narrows what a result may be. A finding that rests on one says so.
struct Declarations {
  // Every dot product and sum is a sum of its products in some order, fused or not, in the
  // accumulator's type or in wider ones. So it has no error where all products and partial sums
  // are exact. The same holds for ADD, SUB, MUL, CEIL and FLOOR: a result that is a value of the
  // type has no error.
  bool plain_sums = false;
  // Every result is rounded to its type before the next operator reads it.
  bool rounds_results = false;
  // Every subnormal operand and result of arithmetic is read or written as a zero, in the types
  // whose subnormal numbers may be flushed: fp32, fp16 and bf16.
  bool flushes_subnormals = false;
  // No subnormal operand or result becomes a zero.
  bool keeps_subnormals = false;
  // The value that the backend returns for a tensor inside a graph (a tap) is the one that every
  // later operator has read, rounded to its type. It changes no expectation of a vector.
  bool taps_used = false;
  friend bool operator==(const Declarations&, const Declarations&) = default;
};

}  // namespace assay
