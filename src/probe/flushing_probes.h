// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "probe_graph.h"

namespace assay {

// The elements of a probe of element-wise operators: no whole number of vector registers.
inline constexpr int kProbeElements = 33;

// Returns probes that show if a backend keeps or flushes subnormal numbers: each has subnormal
// results of normal operands, or other results of subnormal ones. The expectation is that of the
// specification, which admits both.
std::vector<Probe> SubnormalNumbers();

}  // namespace assay
