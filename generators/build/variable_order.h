// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "test_vector.h"

namespace assay {

// Returns true if the effect of this operator on a variable depends on the operator's position in
// the list of the block (reading `variable-order`). That the variable is declared before does not
// count. Three conditions must hold: the operator comes after another one that touches the same
// variable; at least one of the two does more than read it; no data lead from one to the other.
// Operators of control flow touch what the graphs that they run touch.
bool HangsOnOrder(const TestVector& vector, const Block& block, const Operator& op);

}  // namespace assay
