// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay {

// The answers of a backend to sums that reveal in which order it adds n terms. In the sum of the
// pair (i, j), term i is a large number M, term j is -M, all others are 1, and 1 is lost beside M.
// So the result counts the ones that are added after M and -M have met. n minus the result is the
// number of terms below the node of the summation tree where they meet. (The method is that of Xie,
// Shi et al., "FPRev: Revealing the Order of Floating-Point Summation", 2024.)
class MeetingTerms {
 public:
  explicit MeetingTerms(int terms)
      : terms_(terms), met_(static_cast<size_t>(terms) * static_cast<size_t>(terms)) {}

  int terms() const { return terms_; }
  int At(int i, int j) const { return met_[Index(i, j)]; }
  void Set(int i, int j, int met) { met_[Index(i, j)] = met_[Index(j, i)] = met; }

 private:
  size_t Index(int i, int j) const {
    return static_cast<size_t>(i) * static_cast<size_t>(terms_) + static_cast<size_t>(j);
  }
  int terms_;
  std::vector<int> met_;
};

// Returns the order in words: "one after the other, from the first", "in 8 lanes, then the lanes:
// [...]", "no ones are lost: ...". An order without a name is written as its tree: [a b c] adds b
// to a, then c; items may be trees again, and "0..28 step 4" stands for these terms. A node that
// adds more than two at once is written {a b c}. Returns "no tree fits: ..." if the results are not
// those of one tree.
std::string SummationOrderText(const MeetingTerms& meeting);

}  // namespace assay
