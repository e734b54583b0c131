// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "folding.h"
#include "graph.h"

namespace assay {

// Facts about operators that change places with others (postpone.h).

// Returns the kind of an operator that makes its operands larger without computing anything;
// nothing for other operators. (No operator has kBroadcast: it is the effect of an element-wise
// operator on CONSTs.)
std::optional<ExpanderKind> ExpanderKindOf(const Block& block, const Operator& op);

// Returns how many of its first operands an expander expands. The other operands say how.
size_t ExpandedOperands(const Operator& op);

// Returns, for each axis, whether an expander from one shape to another changes the index.
std::vector<bool> TouchedAxes(ExpanderKind kind, const Operator& op, const Shape& from,
                              const Shape& to);

// Returns true if each element of the result depends only on the elements of the operands at the
// same place.
bool IsElementWise(const Operator& op);

// Returns true if an operator returns one of its operands, possibly with another sign: then it is
// exact in any type.
bool OnlyChooses(const Operator& op, DType type);

}  // namespace assay
