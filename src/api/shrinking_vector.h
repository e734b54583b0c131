// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "reduce.h"

namespace assay {

// A vector and the vectors that one structural move makes smaller, each with its own in turn. It
// knows vectors with steps, memory problems (IsMemoryVector) and FoldedPair()s. The graph before
// folding shrinks, and is folded again.
class ShrinkingVector {
 public:
  explicit ShrinkingVector(TestVector vector);

  const TestVector& vector() const { return vector_; }

  // Returns the smaller vector of this number, counted from 0; nullopt if there are fewer. The
  // largest cuts come first. Computes only as many as are needed.
  std::optional<ShrinkingVector> At(size_t number);

 private:
  ShrinkingVector(TestVector vector, SmallerVectors moves)
      : vector_(std::move(vector)), moves_(std::move(moves)) {}
  std::optional<ShrinkingVector> PairAt(size_t number);

  TestVector vector_;
  std::optional<SmallerVectors> moves_;   // nullopt: a memory problem
  std::vector<PlannedProblem> problems_;  // the smaller memory problems
  std::vector<ShrinkingVector> pairs_;    // the smaller pairs so far
  size_t next_ = 0;                       // the move for the next pair
};

}  // namespace assay
