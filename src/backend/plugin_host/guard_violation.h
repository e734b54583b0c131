#pragma once

#include <functional>
#include <string>
#include <vector>

#include "guarded_memory.h"

namespace assay {

// An access to guarded memory that is not allowed.
struct Trespass {
  std::string text;    // "wrote behind output 0 "y""
  bool wrote = false;  // false also where the machine does not tell
};

// From now on a fault in one of the `watched` (by its address; the vector may change while nobody
// else runs) is handed to `report`, in a thread of its own, while the one at fault stands still.
// Other faults end the process as ever. To be called once.
void WatchForTrespass(const std::vector<const GuardedMemory*>* watched,
                      std::function<void(const Trespass&)> report);

}  // namespace assay
