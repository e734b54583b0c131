// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pool_packing.h"

namespace assay {

// A packing in the form that its searches use. The number of a buffer is its rank in an order, so
// that comparing numbers tells which buffer comes first.
class RankedPacking {
 public:
  // `packing` must outlive it.
  RankedPacking(const Packing& packing, std::span<const int32_t> order);

  // These lists are indexed by rank.
  std::vector<int32_t> order, first_section, last_section;
  std::vector<int64_t> sizes, alignments;
  Lists neighbours, sections_of, sections;  // without those of fixed offset

  static size_t Index(int32_t i) { return static_cast<size_t>(i); }
  int64_t FixedOffset(int32_t buffer) const { return packing_->fixed[Index(order[Index(buffer)])]; }
  int64_t start() const { return packing_->start; }

  // Returns the first offset from `offset` on that is aligned and does not overlap a buffer of
  // fixed offset.
  int64_t LowestFrom(int32_t buffer, int64_t offset) const;
  // Returns the last such offset up to `offset`; negative if there is none.
  int64_t HighestUpTo(int32_t buffer, int64_t offset) const;

  // Returns the offsets, indexed by the packing's own numbers.
  std::vector<int64_t> Unranked(std::span<const int64_t> offsets) const;

  // Cuts the members from `begin` on, which must be in the order of their first sections, into
  // parts that no section joins. Adds a copy of `part` for each of them to `parts`. Returns the
  // first part, which leads to the others and then to `part.next`.
  template <class Part>
  int32_t Split(std::span<const int32_t> members, size_t begin, Part part,
                std::vector<Part>& parts) const {
    int32_t first = part.next;
    for (size_t end = begin; begin < members.size(); begin = end) {
      int32_t last = last_section[Index(members[begin])];
      for (end = begin + 1; end < members.size(); ++end) {
        if (first_section[Index(members[end])] > last) break;
        last = std::max(last, last_section[Index(members[end])]);
      }
      part.begin = begin;
      part.end = end;
      part.next = first;
      first = static_cast<int32_t>(parts.size());
      parts.push_back(part);
    }
    return first;
  }

 private:
  const Packing* packing_;
};

}  // namespace assay
