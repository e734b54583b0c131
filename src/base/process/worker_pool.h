// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "result.h"

namespace assay {

// Work that is divided by index and done in worker processes. If a worker crashes or hangs, only
// its current index is at stake, never the run. A new worker gets that index again, and the index
// is lost only if that worker dies as well. The merged result does not depend on the number of
// workers. If indices take little time, workers get more of them before they have answered.
// Interrupts (SIGINT, SIGTERM) end the parent, and the workers end with it.

// The work for one index. The bytes are sent to the parent. An Error ends the run.
using Work = std::function<Result<std::string>(int64_t index)>;

// The reason why an index was lost: the end of its last worker.
struct Loss {
  std::string how;  // of the last one: "signal 9 (Killed)"; "" if the index was not lost
  // True if the worker crashed, hung or gave up, which is a defect of the code that it ran. False
  // if it was killed from outside or memory ran out.
  bool by_itself = false;
  explicit operator bool() const { return !how.empty(); }
};

// Bytes about an index in progress, such as a result that the work may still improve. They reach
// the parent even if the work does not end. A worker that sends them does not count as hung.
class WorkNotes {
 public:
  // Called in the parent.
  std::function<void(int64_t index, std::string bytes)> take;
  // Sends bytes. Called in a worker, by the work for an index.
  void Send(std::string_view bytes) const;
  // Sets the descriptor of a worker's replies. RunWork() calls it in each worker.
  void SendTo(int replies) { replies_ = replies; }

 private:
  int replies_ = -1;
};

struct WorkPlan {
  int64_t first = 0, last = 0;      // indices, `last` exclusive
  int jobs = 1;                     // worker processes
  double index_seconds_max = 3600;  // a slower worker counts as hung; its index is lost
  int tries = 2;                    // workers that may die of an index before the index is lost
  // Called in each worker before its first index, to open what it needs. An Error ends the run.
  std::function<Result<Work>()> start;
  // Called in the parent, in the order of indices. `bytes` is empty if the index was lost. An Error
  // ends the run.
  std::function<Result<Done>(int64_t index, std::string bytes, const Loss& loss)> merge;
  // If set, called in the parent before an index is handed out; true ends the run. The merged
  // indices are always all those before some index.
  std::function<bool()> stop;
  WorkNotes* notes = nullptr;  // of workers that send some
};

// Runs the work. Returns the first index that was not merged: `last`, or less if `stop` or a signal
// (interrupt.h) ended the run. After a signal, indices in progress are abandoned.
Result<int64_t> RunWork(const WorkPlan& plan);

}  // namespace assay
