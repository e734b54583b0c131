#pragma once

#include <optional>
#include <vector>

#include "folding.h"
#include "graph.h"

namespace assay {

// What there is to know of an operator that is to change places with another (postpone.h).

// The kind of an operator that makes its operands larger without computing anything; nothing for
// others. (kBroadcast is what an element-wise operator does to CONSTs, and no operator's own.)
std::optional<ExpanderKind> ExpanderKindOf(const Block& block, const Operator& op);

// How many of its first operands an expander expands; the others say how.
size_t ExpandedOperands(const Operator& op);

// The axes that an expander of a shape into another gives a new index.
std::vector<bool> TouchedAxes(ExpanderKind kind, const Operator& op, const Shape& from,
                              const Shape& to);

// Whether each element of the result hangs on the elements of the operands at the same place alone.
bool IsElementWise(const Operator& op);

// Whether an operator gives one of its operands, or one with another sign: exact in any type.
bool OnlyChooses(const Operator& op, DType type);

}  // namespace assay
