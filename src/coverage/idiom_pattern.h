// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph.h"

namespace assay {

// A pattern of operators, as text:
//
//   *          any tensor
//   $          a tensor that is given: an input of the block or a constant
//   x          the same tensor wherever the letter occurs
//   TANH       the result of an operator
//   A|B        the result of either operator
//   MUL(p,q)   the result of an operator whose first operands match p and q; those of ADD and MUL
//              in either order
//   e=p        a tensor that matches p, and is called e from there on
//   ..p        a tensor that matches p, or that was computed from one in a few steps
//
// DOT stands for all convolutions and MATMUL, POINTWISE for a CONV2D with a kernel of 1 x 1, POOL
// for pooling and REDUCE_SUM, ACTIVATION for the usual activation functions, QUANTIZE for a CAST of
// floats to integers, DEQUANTIZE for the inverse. Results are floats, except that of QUANTIZE.
// Operators that only copy a tensor (RESHAPE, TRANSPOSE, IDENTITY, TILE) may stand anywhere.
struct IdiomPattern {
  enum class Kind : uint8_t { kAny, kGiven, kLetter, kOperator };
  Kind kind = Kind::kAny;
  bool far = false;                  // "..p"
  char letter = 0;                   // of kLetter, or of "e=p"; 0 for none
  std::vector<std::string> results;  // of kOperator: operators or words like DOT
  std::vector<IdiomPattern> operands;

  // Reads a pattern of the table of idioms, which must be right.
  static IdiomPattern Parse(std::string_view text);
};

// Tells whether tensors of one block match patterns.
class IdiomMatcher {
 public:
  explicit IdiomMatcher(const Block& block);  // must outlive this object
  bool Matches(const IdiomPattern& pattern, TensorIndex tensor) const;

 private:
  friend class IdiomSearch;
  // Returns the operator that produces a tensor; null for an input.
  const Operator* Producer(TensorIndex tensor) const;
  // Returns the tensor that a tensor is a copy of.
  TensorIndex Source(TensorIndex tensor) const;
  bool IsResultOf(const std::vector<std::string>& words, const Operator& op) const;
  // Returns the tensors that a tensor was computed from in a few steps, and itself, near ones
  // first.
  std::vector<TensorIndex> Behind(TensorIndex tensor) const;

  const Block& block_;
  std::vector<int32_t> producers_;
};

}  // namespace assay
