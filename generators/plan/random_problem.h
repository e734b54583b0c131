// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "memory_plan.h"
#include "random.h"

namespace assay {

// Returns a buffer called "b" and its index, with any of the features of BufferInfo but a fixed
// offset. It may list conflicts with buffers of smaller indices.
BufferInfo RandomBuffer(Random& random, size_t index);

// Returns a problem of all features, with one to three pools. The last pool has room for
// everything, unless the problem is `tight`.
MemoryProblem RandomProblem(Random& random, size_t buffers, bool tight);

}  // namespace assay
