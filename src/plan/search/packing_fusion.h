// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pool_packing.h"

namespace assay {

// A packing below a height in which buffers that have to lie together are one buffer. If two
// successive sections leave nothing free, the buffers that begin take exactly the places of those
// that end. So if one buffer ends and one begins, both have the same offset. If one buffer ends and
// several begin, these lie in its place, one above the other. Their order does not matter if they
// end together. The same holds backwards in time.
class PackingFusion {
 public:
  // Fuses nothing if a buffer has an alignment or a fixed offset.
  PackingFusion(const Packing& packing, int64_t height);

  const Packing& packing() const { return fused_; }

  // Returns the offset of each buffer of the original packing.
  std::vector<int64_t> Offsets(std::span<const int64_t> fused) const;

 private:
  static size_t Index(int32_t i) { return static_cast<size_t>(i); }
  bool Fuse();
  bool FuseAcross(int32_t section);
  bool Stack(std::span<const int32_t> buffers);
  void Join(int32_t lower, int32_t buffer, int64_t distance);
  void Renumber(const Packing& packing);

  Packing fused_;
  std::vector<int32_t> first_;   // of each original buffer, the first that it is fused with
  std::vector<int64_t> above_;   // and how much higher it is than the lowest of them
  std::vector<int32_t> number_;  // of each first one, its number in fused_
  std::vector<bool> is_full_;    // of each section
  std::vector<std::vector<int32_t>> sections_, sections_of_;
};

}  // namespace assay
