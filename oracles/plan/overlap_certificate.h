#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memory_plan.h"

namespace assay {

// Why no two buffers that are live at once share a byte: the order in which live ranges begin and
// end, and for each that begins, which of those live in its pool lies next below it. Whoever keeps
// a list of what is live, in the order of addresses, sees that each fits between its neighbours.
struct PlanCertificate {
  static constexpr int32_t kEnds = -2;
  static constexpr int32_t kLowest = -1;
  struct Event {
    int32_t range;  // counted through the live ranges of all buffers, in the problem's order
    int32_t below;  // the range below the one that begins, kLowest if there is none; or kEnds
  };
  // Of a pool: the most bytes that are live at a time, in its buffers, and when.
  struct MaxLive {
    int64_t bytes = 0;
    int64_t tick = 0;
  };
  std::vector<Event> events;  // in the order of time; ranges without ticks or bytes have none
  std::vector<MaxLive> max_live;
};

// Checks a certificate, from nothing but the problem and the plan: "" if it holds, otherwise what
// is wrong. It speaks of the buffers that the plan places in a pool of the problem with their end
// within 64 bits. Linear in time, and knows nothing of how certificates are made.
std::string FlawOf(const PlanCertificate& certificate, const MemoryProblem& problem,
                   const MemoryPlan& plan);

}  // namespace assay
