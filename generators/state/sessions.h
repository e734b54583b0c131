#pragma once

#include <optional>

#include "allowed_operators.h"
#include "test_vector.h"

namespace assay {

// Graphs that declare, write, read and accumulate what they calculate, invoked in turns, in one
// context or two; by VARIABLE operators, or in tensors with `variable=true` that IDENTITY reads and
// writes. Its steps expect nothing yet. Nothing if the options do not allow it, or by bad luck.
std::optional<TestVector> DrawSessions(Choices& choices, const GeneratorOptions& options,
                                       const Menu& menu);

}  // namespace assay
