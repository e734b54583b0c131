// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "liveness.h"

namespace assay {

// A mistake that was seen in planners, in the computation of live ranges, sizes and shared bytes.
// It is made in the result of MemoryOf(). A plan for the changed problem corrupts data.
struct LivenessFault {
  std::string_view name;  // "ends-early"
  std::string_view what;
  void (*change)(const Graph& graph, GraphMemory& memory);  // `memory` is that of `graph`
};

std::span<const LivenessFault> AllLivenessFaults();

}  // namespace assay
