#pragma once

#include "menu.h"

namespace assay {

// A graph of about that many operators (an idiom counts as one; constants do not count) with one
// step, complete but for what Describe() adds. No steps if nothing could be grown.
TestVector GrowGraph(Choices& choices, const GeneratorOptions& options, const Menu& menu,
                     int64_t operators, ValueMode mode, bool control_flow);

}  // namespace assay
