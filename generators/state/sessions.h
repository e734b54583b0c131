// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "allowed_operators.h"
#include "test_vector.h"

namespace assay {

// Draws graphs that declare, write, read and accumulate the values that they calculate. They are
// invoked in turns, in one context or two. They use VARIABLE operators, or tensors with
// `variable=true` that IDENTITY reads and writes. The steps have no expectations yet. Returns
// nullopt if the options do not allow such graphs, or if an attempt fails.
std::optional<TestVector> DrawSessions(Choices& choices, const GeneratorOptions& options,
                                       const Menu& menu);

}  // namespace assay
