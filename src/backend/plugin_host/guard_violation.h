// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "guarded_memory.h"

namespace assay {

// An access to guarded memory that is not allowed.
struct Trespass {
  std::string text;    // "wrote behind output 0 "y""
  bool wrote = false;  // also false if the machine does not tell
};

// Reports faults with an address in one of the `watched` memories to `report`, in a separate
// thread. The thread that caused the fault stops meanwhile. The vector may change while no other
// code runs. Other faults end the process as usual. Call it once.
void WatchForTrespass(const std::vector<const GuardedMemory*>* watched,
                      std::function<void(const Trespass&)> report);

}  // namespace assay
