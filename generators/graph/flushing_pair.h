// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "allowed_operators.h"

namespace assay {

// Grows a graph of two or three operators of one type whose subnormal results are outputs. Each
// could flush them, and the run must flush all or none. So a backend that flushes in one operator
// only shows it. The second operator reads what the first one gives, or is apart from it. The
// vector has one step; it has no steps if the options allow no such graph.
TestVector GrowFlushingPair(Choices& choices, const GeneratorOptions& options, const Menu& menu);

}  // namespace assay
