// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "allowed_operators.h"

namespace assay {

// The treatment of vague results (PoolValue::vague) while a graph grows.
enum class Vague : uint8_t {
  kAvoid,  // keeps few of them, because a mostly vague graph tests little
  kTake,   // keeps them all, for a graph that is only judged in parts
};

// Grows a graph of `operators` operators, or a few more if the last ones come as a group. CONST and
// CONST_SHAPE do not count. The vector has one step and is complete except for what Describe()
// adds. It has no steps if nothing could be grown.
TestVector GrowGraph(Choices& choices, const GeneratorOptions& options, const Menu& menu,
                     int64_t operators, ValueMode mode, bool control_flow,
                     Vague vague = Vague::kAvoid);

}  // namespace assay
