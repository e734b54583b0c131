// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memory_plan.h"

namespace assay {

// A proof that no two buffers that are live at once share a byte. It has the order in which live
// ranges begin and end. For each range that begins, it names the live range of the same pool that
// lies next below. A checker keeps a list of the live ranges in the order of addresses, and sees
// that each one fits between its neighbours.
struct PlanCertificate {
  static constexpr int32_t kEnds = -2;
  static constexpr int32_t kLowest = -1;
  struct Event {
    int32_t range;  // counted through the live ranges of all buffers, in the problem's order
    int32_t below;  // the range below the one that begins, kLowest if there is none; or kEnds
  };
  // The most bytes that are live at a time in the buffers of a pool, and when.
  struct MaxLive {
    int64_t bytes = 0;
    int64_t tick = 0;
  };
  std::vector<Event> events;  // in the order of time; ranges without ticks or bytes have none
  std::vector<MaxLive> max_live;
};

// Checks a certificate with nothing but the problem and the plan. Returns "" if it holds, otherwise
// what is wrong. It covers the buffers that the plan places in a pool of the problem with their end
// within 64 bits. Linear in time, and independent of how certificates are made.
std::string FlawOf(const PlanCertificate& certificate, const MemoryProblem& problem,
                   const MemoryPlan& plan);

}  // namespace assay
