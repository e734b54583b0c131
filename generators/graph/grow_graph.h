#pragma once

#include "allowed_operators.h"

namespace assay {

// Grows a graph of `operators` operators, or a few more if the last ones come as a group. CONST and
// CONST_SHAPE do not count. The vector has one step and is complete except for what Describe()
// adds. It has no steps if nothing could be grown. Adds to `statistics`, if not null, what became
// of the proposed operators.
TestVector GrowGraph(Choices& choices, const GeneratorOptions& options, const Menu& menu,
                     int64_t operators, ValueMode mode, bool control_flow,
                     BuildStatistics* statistics = nullptr);

}  // namespace assay
