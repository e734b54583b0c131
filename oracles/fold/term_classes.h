#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "term_arena.h"

namespace assay {

// Two terms that have to be equal, and the conditions on the same inputs under which they have to.
struct TermPair {
  TermId before, after;
  std::vector<TermId> conditions;
};

// Sorts pairs of terms into classes: pairs that are the same but for which inputs they read.
class FoldClasses {
 public:
  // `conditions` are known to hold (each 0 or 1).
  FoldClasses(const TermArena& arena, const std::vector<TermId>& conditions);

  // Adds a pair. False if there is more to look at than is worth the while.
  bool Add(TermId before, TermId after);
  // One pair of each class, in the order in which they came.
  const std::vector<TermPair>& pairs() const { return pairs_; }

 private:
  // All that terms are made of, operands first, as far as the room goes.
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
