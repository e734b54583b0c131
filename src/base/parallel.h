// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace assay {

// One computation on several threads. A part of the work computes results of its own, in the same
// order of operations as one thread does. So the results have the same bytes for any number of
// threads.

// The least work of a thread. To wake one takes some 10 us, and longer on a virtual machine.
inline constexpr double kNanosecondsOfThread = 1e5;

// Sets the number of threads that one computation of this process may use; 1 unless set. A command
// calls it before it computes. It is process-wide, because the places that compute are far below
// those that know the number, and no result depends on it. Forked processes inherit it. Tests make
// the least work of a thread small.
void SetThreads(int threads, double nanoseconds_of_thread = kNanosecondsOfThread);

// Returns the number of threads that a computation of this thread may use. It is 1 in a part.
int Threads();

// Calls part(begin, end) for ranges that cover 0 to count. `nanoseconds_each` is an estimate of the
// time for one index. If the whole takes long enough, parts run on up to Threads() threads, and all
// have ended when the function returns; else there is one part and no other thread. The TimeLimit
// of this thread holds for all threads. Throws what a part throws; then some parts have not run.
void ForEachPart(int64_t count, double nanoseconds_each,
                 const std::function<void(int64_t begin, int64_t end)>& part);

}  // namespace assay
