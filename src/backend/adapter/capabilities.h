// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target.h"
#include "worker_message.h"

namespace assay {

// Returns what a worker declares, as a target: its operators, and the largest graphs that it takes.
Target TargetOf(const worker::Ready& ready);

}  // namespace assay
