// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "term_arena.h"

namespace assay {

// Two terms that must be equal if the conditions on the same inputs hold.
struct TermPair {
  TermId before, after;
  std::vector<TermId> conditions;
};

// Sorts pairs of terms into classes. The pairs of a class differ only in the inputs that they read.
class FoldClasses {
 public:
  // The `conditions` are known to hold (each is 0 or 1).
  FoldClasses(const TermArena& arena, const std::vector<TermId>& conditions);

  // Adds a pair. Returns false if the pair exceeds the limit of terms to visit.
  bool Add(TermId before, TermId after);
  // Returns one pair of each class, in the order in which they came.
  const std::vector<TermPair>& pairs() const { return pairs_; }

 private:
  // Collects all terms that a term is made of, operands first. Returns false if the limit is
  // reached.
  bool Collect(TermId root, std::vector<TermId>& terms);
  std::vector<TermId> ConditionsOn(const std::vector<TermId>& terms) const;
  void AppendKey(TermId term, std::string& key) const;

  const TermArena& arena_;
  std::unordered_map<TermId, std::vector<size_t>> by_input_;  // conditions, by their first input
  std::vector<TermId> conditions_;
  std::vector<std::vector<TermId>> inputs_of_;  // of each condition, ascending
  std::unordered_map<TermId, uint32_t> order_;  // of the terms of one pair
  std::unordered_map<std::string, size_t> known_;
  std::vector<TermPair> pairs_;
  int64_t room_ = int64_t{1} << 23;  // terms to look at
};

}  // namespace assay
