#pragma once

#include "allowed_operators.h"

namespace assay {

// A graph of that many operators, or a few more where the last ones come as a group (CONST and
// CONST_SHAPE do not count), with one step, complete but for what Describe() adds. No steps if
// nothing could be grown. What became of the operators proposed is added to `statistics`, if
// wished.
TestVector GrowGraph(Choices& choices, const GeneratorOptions& options, const Menu& menu,
                     int64_t operators, ValueMode mode, bool control_flow,
                     BuildStatistics* statistics = nullptr);

}  // namespace assay
