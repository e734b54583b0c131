// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend.h"
#include "backend_exam.h"

namespace assay {

// Asks a backend for taps, with small vectors. Returns two points: whether it gives right values of
// inner tensors, and whether it keeps what `taps-used` declares.
std::vector<ExamPoint> ProbeTaps(Backend& backend);

}  // namespace assay
