// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "overlap_certificate.h"

namespace assay {

// The bytes of a buffer while one of its live ranges lasts: a rectangle in time and address, with
// at least a tick and a byte.
struct Occupancy {
  int64_t lower, upper;  // ticks, [lower, upper)
  int64_t begin, end;    // bytes from the pool's base, [begin, end)
  int32_t buffer;
  int32_t pool;
  int32_t range;  // its number in certificates
};

struct Collision {
  size_t first, second;  // indices of Occupancy; `second` began later, or at the same tick
  int64_t tick;          // the first at which both are live
};

struct SweepResult {
  std::vector<Collision> collisions;  // in the order of time
  PlanCertificate certificate;        // if there are no collisions; `max_live` always
};

// Goes through time once, with the live ranges in a set ordered by address. Each range that begins
// is compared with its two neighbours. If it collides with one, it is left out of the rest. So the
// first collision is at the first tick at which any two ranges overlap. Each reported collision is
// a real one, and there is none only if nothing overlaps. O(n log n). The sizes of each pool's
// buffers must add up within 64 bits. Leaves `all` in the order in which the ranges begin.
SweepResult Sweep(std::vector<Occupancy>& all, size_t pools);

}  // namespace assay
