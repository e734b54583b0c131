#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "result.h"

namespace assay {

// Work cut by index and done in worker processes. A worker that crashes or hangs costs the one
// index it was at, never the run: a new worker gets that index again, and only if it dies as well
// is the index lost. What is merged does not depend on the number of workers. Where indices take
// little time, workers are given some more of them before they have answered.
// Interrupts (SIGINT, SIGTERM) end the parent, and only with it its workers.

// What a worker does with an index; the bytes travel to the parent. Its Error ends the run.
using Work = std::function<Result<std::string>(int64_t index)>;

// The end of the workers that an index was lost with.
struct Loss {
  std::string how;  // of the last one: "signal 9 (Killed)"; "" if the index was not lost
  // Whether the worker crashed, hung or gave up, which is a defect of what it ran. Otherwise it was
  // killed from outside, or there was not enough memory.
  bool by_itself = false;
  explicit operator bool() const { return !how.empty(); }
};

struct WorkPlan {
  int64_t first = 0, last = 0;      // indices, `last` exclusive
  int jobs = 1;                     // worker processes
  double index_seconds_max = 3600;  // after that long a worker is taken to hang, and not replaced
  int tries = 2;                    // workers that may die of an index before it is lost
  // Called in each worker before its first index: opens what it needs. Its Error ends the run.
  std::function<Result<Work>()> start;
  // Called in the parent, in the order of indices; `bytes` is empty if the index was lost. Its
  // Error ends the run.
  std::function<Result<Done>(int64_t index, std::string bytes, const Loss& loss)> merge;
  // Asked in the parent before an index is handed out, if given: true ends the run there. The
  // indices that were merged are always all those before some index.
  std::function<bool()> stop;
};

// The first index that was not merged: `last`, or less if `stop` or a signal (interrupt.h) has
// ended the run. After a signal, what is at work is given up.
Result<int64_t> RunWork(const WorkPlan& plan);

}  // namespace assay
