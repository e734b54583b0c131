// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "memory_plan.h"
#include "overlap_certificate.h"

namespace assay {

// Z3's opinions on a plan. It is asked in three ways that know nothing of the sweep or of each
// other. All ask about overlap alone, among the buffers that the plan places in a pool of the
// problem with their end within 64 bits.

enum class PlanOpinionKind : uint8_t { kSound, kCollides, kUndecided };

// A tick and a byte at which two conflicting buffers both are; no tick if they conflict only by the
// lists.
struct PlanWitness {
  int32_t first = 0, second = 0;
  int32_t pool = 0;
  std::optional<int64_t> tick;
  int64_t byte = 0;  // from the pool's base
};

struct PlanOpinion {
  std::string_view by;  // "certificate facts", "symbolic point", "pairs"
  PlanOpinionKind kind = PlanOpinionKind::kUndecided;
  std::optional<PlanWitness> witness;  // of a collision
};

// Asks whether each range that begins fits between its neighbours in the certificate. This takes at
// most two facts about numbers for each range, and the listed conflicts. Trusts the certificate's
// order, which FlawOf() checks. 100,000 buffers take about a second.
PlanOpinion OpinionOnFacts(const MemoryProblem& problem, const MemoryPlan& plan,
                           const PlanCertificate& certificate);

// Asks whether there is a tick and a byte of a pool in which two buffers are, as a question about
// bit vectors. The question is linear in the buffers, and finds its own witness. Undecided beyond
// kPointRangesMax live ranges or listed conflicts.
inline constexpr size_t kPointRangesMax = 2000;
PlanOpinion OpinionOnPoint(const MemoryProblem& problem, const MemoryPlan& plan);

// Asks for every pair whether two live ranges overlap in time and address: the definition, about
// integers. Undecided beyond kPairsMax pairs.
inline constexpr size_t kPairsMax = 5000;
PlanOpinion OpinionOnPairs(const MemoryProblem& problem, const MemoryPlan& plan);

}  // namespace assay
