// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "nest_shapes.h"
#include "test_vector.h"

namespace assay {

// Returns a vector of that shape. Its loops end by construction: each counts towards a number that
// it does not change. In the first step, execution reaches the innermost operator. With `tame`, it
// uses only operators that have no REQUIRE. Returns nullopt if the drawn vector is not valid in all
// steps or leaves an element undecided.
std::optional<TestVector> GrowControlFlow(Choices& choices, const GeneratorOptions& options,
                                          const Menu& menu, const ControlFlowShape& shape,
                                          bool tame);

}  // namespace assay
