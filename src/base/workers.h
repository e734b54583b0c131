#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "result.h"

namespace assay {

// What is said of a worker that died for want of memory.
inline constexpr char kNoMemory[] = "not enough memory";

// Work cut by index and done in worker processes. A worker that crashes or hangs loses the one
// index it was at, never the run; what is merged does not depend on the number of workers. Where
// indices take little time, workers are given some more of them before they have answered.
// Interrupts (SIGINT, SIGTERM) end the parent, and only with it its workers.

// What a worker does with an index; the bytes travel to the parent. Its Error ends the run.
using Work = std::function<Result<std::string>(int64_t index)>;

struct WorkPlan {
  int64_t first = 0, last = 0;      // indices, `last` exclusive
  int jobs = 1;                     // worker processes
  double index_seconds_max = 3600;  // after that long a worker is taken to hang
  // Called in each worker before its first index: opens what it needs. Its Error ends the run.
  std::function<Result<Work>()> start;
  // Called in the parent, in the order of indices. `lost` says how the worker died, "" if it did
  // not. Its Error ends the run.
  std::function<Result<Done>(int64_t index, std::string bytes, std::string lost)> merge;
  // Asked in the parent before an index is handed out, if given: true ends the run there. The
  // indices that were merged are always all those before some index.
  std::function<bool()> stop;
};

// The first index that was not merged.
Result<int64_t> RunWork(const WorkPlan& plan);

}  // namespace assay
