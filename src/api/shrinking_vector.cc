// SPDX-License-Identifier: Apache-2.0
#include "shrinking_vector.h"

#include "folded_pair.h"
#include "memory_vector.h"
#include "smaller_problems.h"

namespace assay {

ShrinkingVector::ShrinkingVector(TestVector vector) : vector_(std::move(vector)) {
  if (IsMemoryVector(vector_)) return;
  moves_.emplace(IsFoldedPair(vector_) ? BeforeFolding(vector_) : vector_);
}

std::optional<ShrinkingVector> ShrinkingVector::At(size_t number) {
  if (!moves_) {
    if (problems_.empty()) problems_ = SmallerProblems(vector_.plans[0].planned);
    if (number >= problems_.size()) return std::nullopt;
    return ShrinkingVector(WithProblem(vector_, problems_[number]));
  }
  if (IsFoldedPair(vector_)) return PairAt(number);
  std::optional<SmallerVectors> smaller = moves_->At(number);
  if (!smaller) return std::nullopt;
  TestVector vector = smaller->vector();
  return ShrinkingVector(std::move(vector), std::move(*smaller));
}

std::optional<ShrinkingVector> ShrinkingVector::PairAt(size_t number) {
  while (number >= pairs_.size()) {
    std::optional<SmallerVectors> before = moves_->At(next_++);
    if (!before) return std::nullopt;
    Result<TestVector> pair = FoldedPair(before->vector(), 0);
    if (pair) pairs_.push_back(ShrinkingVector(std::move(*pair), std::move(*before)));
  }
  return pairs_[number];
}

}  // namespace assay
