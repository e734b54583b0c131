// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace assay {

// A set of numbers below a bound that is known beforehand, as bits. A further level has a bit for
// every word that is not empty, and so on. Every query takes one step for each power of 64 in the
// bound.
class RankSet {
 public:
  explicit RankSet(size_t bound) {
    do {
      bound = (bound + 63) / 64;
      levels_.emplace_back(bound);
    } while (bound > 1);
  }

  void Insert(size_t rank) {
    for (std::vector<uint64_t>& level : levels_) {
      level[rank / 64] |= uint64_t{1} << rank % 64;
      rank /= 64;
    }
  }

  void Erase(size_t rank) {
    for (std::vector<uint64_t>& level : levels_) {
      level[rank / 64] &= ~(uint64_t{1} << rank % 64);
      if (level[rank / 64] != 0) return;
      rank /= 64;
    }
  }

  // Returns the largest member below `rank`.
  std::optional<size_t> Before(size_t rank) const {
    for (size_t i = 0; i < levels_.size(); ++i) {
      const uint64_t lower = levels_[i][rank / 64] & ((uint64_t{1} << rank % 64) - 1);
      if (lower != 0) return Descend(i, rank / 64 * 64 + Highest(lower), Highest);
      rank /= 64;
    }
    return std::nullopt;
  }

  // Returns the smallest member above `rank`.
  std::optional<size_t> After(size_t rank) const {
    for (size_t i = 0; i < levels_.size(); ++i) {
      const uint64_t higher = levels_[i][rank / 64] & (~uint64_t{1} << rank % 64);
      if (higher != 0) return Descend(i, rank / 64 * 64 + Lowest(higher), Lowest);
      rank /= 64;
    }
    return std::nullopt;
  }

 private:
  static size_t Highest(uint64_t word) { return 63 - static_cast<size_t>(std::countl_zero(word)); }
  static size_t Lowest(uint64_t word) { return static_cast<size_t>(std::countr_zero(word)); }

  // Descends from a non-empty word of level i - 1 to one of its members.
  template <class BitOf>
  size_t Descend(size_t i, size_t at, BitOf bit) const {
    while (i-- > 0) at = at * 64 + bit(levels_[i][at]);
    return at;
  }

  std::vector<std::vector<uint64_t>> levels_;
};

}  // namespace assay
